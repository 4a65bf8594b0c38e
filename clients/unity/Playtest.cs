// Sends playtest telemetry from Unity (2019.4 or later) and other C# games. Copy this file into your project; it has no
// dependencies.
//
//   Playtest.Init(new PlaytestOptions { BaseUrl = "http://127.0.0.1:4400", Key = "pt_ik_..." });
//   Playtest.Start();
//   Playtest.Track("player_death", "room", "dock");
//   Playtest.Position(transform.position.x, transform.position.z, "dock");  // in Update(); 2 per second are recorded
//   Playtest.End();
//
// Telemetry never disturbs the game: no method throws or blocks, and memory and disk use are bounded. Files and requests
// run on a background thread (in WebGL, where there are no threads, on the main thread without blocking it). Events are
// queued in files, so that they survive a crash and time without a connection. docs/guide/send-telemetry.md describes what all
// clients have in common, and clients/README.md specifies it.
//
// In Unity, y of a 2D game and z of a 3D game grow upwards on a map, as heatmaps draw them. --flip-y draws them the other way round.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Net;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;
#if UNITY_5_3_OR_NEWER
using UnityEngine;
using UnityEngine.Networking;
#endif

public sealed class PlaytestOptions
{
    /// <summary>Address of the service, such as http://127.0.0.1:4400.</summary>
    public string BaseUrl;
    /// <summary>Ingest key (pt_ik_...). Never put a management key into a game.</summary>
    public string Key;
    /// <summary>Id or slug of the game. Required unless the key is limited to one game.</summary>
    public string GameId;
    /// <summary>Default: Application.version in Unity.</summary>
    public string GameVersion;
    /// <summary>Default: the platform of the player.</summary>
    public string Platform;
    /// <summary>Environment slug.</summary>
    public string Environment = "production";
    /// <summary>Anonymous id of the device. Default: a random id, which is stored.</summary>
    public string DeviceId;
    public string TesterHandle;
    public Dictionary<string, string> ExperimentTags;
    /// <summary>Seconds between heartbeats, at least 30.</summary>
    public double HeartbeatSec = 60;
    /// <summary>Recorded positions per second, at most 10.</summary>
    public double PositionsPerSec = 2;
    /// <summary>Seconds between requests, at least 1.</summary>
    public double FlushSec = 10;
    /// <summary>Limit of the queue. Above it, the oldest batches are dropped.</summary>
    public long MaxQueueBytes = 16 * 1024 * 1024;
    /// <summary>What applies until the player chooses. False asks first: nothing is sent before SetConsent(true).</summary>
    public bool Consent = true;
    /// <summary>Folder of the queue. Default: playtest in Application.persistentDataPath.</summary>
    public string Folder;
    /// <summary>Receives messages for developers: info, warn or error, and the text. Default: the Unity console.</summary>
    public Action<string, string> Log;
}

/// <summary>What happened to a feedback, a bug report or a test event, in words for developers.</summary>
public struct PlaytestResult
{
    public bool Ok;
    /// <summary>True if there was no connection, so that it is sent later.</summary>
    public bool Queued;
    public string Message;
    /// <summary>The tester that this device is linked to; null if it is not linked, or if the call does not concern testers.</summary>
    public string Handle;
}

/// <summary>The client of the game. In Unity, callbacks run on the main thread.</summary>
public static class Playtest
{
    static PlaytestClient client;

    public static PlaytestClient Client { get { return client; } }

    /// <summary>Lets Init create a new client, because the Unity editor keeps static fields between games.</summary>
    internal static void Reset() { client = null; }

    /// <summary>Prepares the client. Call it once, before all other methods.</summary>
    public static void Init(PlaytestOptions options)
    {
        if (client != null) return;
#if UNITY_5_3_OR_NEWER
        client = PlaytestBehaviour.Create(options);
#else
        client = new PlaytestClient(options);
#endif
    }

    /// <summary>Starts a session. A running session ends first.</summary>
    public static void Start() { if (client != null) client.Start(); }

    /// <summary>Records an event. The data is copied at once.</summary>
    public static void Track(string name, IDictionary data = null) { if (client != null) client.Track(name, data); }

    /// <summary>Records an event with names and values: Track("player_death", "room", "dock", "lives", 2).</summary>
    public static void Track(string name, string key, object value, params object[] more)
    {
        if (client == null) return;
        var data = PlaytestClient.ToData(more);
        data[key ?? ""] = value;
        client.Track(name, data);
    }

    /// <summary>
    /// Records where the player is. Call it in every frame: only PositionsPerSec are recorded for each player, and changes of the
    /// room. Name the player if several play on this device.
    /// </summary>
    public static void Position(double x, double y, string room, string player = null) { if (client != null) client.Position(x, y, room, player); }

    /// <summary>Records where the player is in a 3D game.</summary>
    public static void Position(double x, double y, double z, string room, string player = null) { if (client != null) client.Position(x, y, z, room, player); }

#if UNITY_5_3_OR_NEWER
    /// <summary>Records where the player is in a 3D game.</summary>
    public static void Position(Vector3 position, string room, string player = null) { Position(position.x, position.y, position.z, room, player); }

    /// <summary>Records where the player is in a 2D game.</summary>
    public static void Position(Vector2 position, string room, string player = null) { Position(position.x, position.y, room, player); }
#endif

    /// <summary>Counts a frame of a game that has a loop of its own. From then on, the client no longer measures the frames of Unity.</summary>
    public static void Frame(double ms) { if (client != null) client.Frame(ms); }

    /// <summary>Reports how long it took to load the room that the player is in, or enters now, in ms.</summary>
    public static void Loaded(double ms) { if (client != null) client.Loaded(ms); }

    /// <summary>Reports that the game lost or gained the focus. In Unity, this happens on its own.</summary>
    public static void Focus(bool hasFocus) { if (client != null) client.Focus(hasFocus); }

    /// <summary>Ends the session. What cannot be sent now is sent after the next start.</summary>
    public static void End(IDictionary summary = null) { if (client != null) client.End(summary); }

    /// <summary>Sends what is queued, without waiting for the next interval.</summary>
    public static void Flush() { if (client != null) client.Flush(); }

    /// <summary>Sends a player's answers to a form, by field id.</summary>
    public static void Feedback(string formId, IDictionary answers, Action<PlaytestResult> onResult = null)
    {
        if (client != null) client.Feedback(formId, answers, onResult);
    }

    /// <summary>Sends a bug report of the player. The severity is low, medium, high or critical.</summary>
    public static void BugReport(string title, string description, string severity = "medium", Action<PlaytestResult> onResult = null)
    {
        if (client != null) client.BugReport(title, description, severity, onResult);
    }

    /// <summary>Records the choice of the player. False ends the session, sends nothing more and deletes the queue.</summary>
    public static void SetConsent(bool isGiven) { if (client != null) client.SetConsent(isGiven); }

    /// <summary>Runs the callback when the event config and the variants of this session were read, or could not be read.</summary>
    public static void WhenReady(Action onReady) { if (client != null) client.WhenReady(onReady); }

    /// <summary>
    /// The variant of this device in an experiment, by the id of the experiment; null if it takes part in none, or if the
    /// variants are not known yet (WhenReady). The session is counted for the variant, so call it where the game shows the difference.
    /// </summary>
    public static string Variant(string experiment) { return client == null ? null : client.Variant(experiment); }

    /// <summary>The values of the variant that Variant returned: texts, numbers (double) and bools.</summary>
    public static Dictionary<string, object> VariantValues(string experiment)
    {
        return client == null ? new Dictionary<string, object>() : client.VariantValues(experiment);
    }

    /// <summary>The anonymous id of this device; null without consent.</summary>
    public static string DeviceId { get { return client == null ? null : client.DeviceId; } }

    /// <summary>Replaces the id of this device, and stores it. The running session keeps its id.</summary>
    public static void SetDeviceId(string deviceId) { if (client != null) client.SetDeviceId(deviceId); }

    /// <summary>Links this device to the tester of a claim token (pt_tt_...).</summary>
    public static void LinkTester(string token, Action<PlaytestResult> onResult = null) { if (client != null) client.LinkTester(token, onResult); }

    /// <summary>Reports the tester that this device is linked to.</summary>
    public static void GetCurrentTester(Action<PlaytestResult> onResult) { if (client != null) client.GetCurrentTester(onResult); }

    /// <summary>Unlinks this device from its tester. The token is that of LinkTester by default.</summary>
    public static void UnlinkTester(string token = null, Action<PlaytestResult> onResult = null) { if (client != null) client.UnlinkTester(token, onResult); }

    /// <summary>Sends one event to the environment sdk-test, and reports whether the address and the key work.</summary>
    public static void SendTestEvent(Action<PlaytestResult> onResult) { if (client != null) client.SendTestEvent(onResult); }
}

/// <summary>The client itself, without Unity. Its methods may be called from any thread.</summary>
public class PlaytestClient
{
    // The service accepts 2,000 events and 1 MiB. Half of it leaves space for what proxies and encodings add.
    const int MaxEvents = 2000;
    const int MaxBatchBytes = 512 * 1024;
    const int MaxEventBytes = 256 * 1024;
    const int MaxResponseBytes = 1024 * 1024;
    const int MinGzipBytes = 1024;
    const double FirstFlushSec = 1;
    // The Date of an answer has whole seconds, and a slow answer says little about the time.
    const int MinClockOffsetMs = 2000;
    const int TickMs = 250;
    const int TimeoutMs = 20000;
    const int MaxDepth = 50;
    /// <summary>The actors of a session whose positions are recorded.</summary>
    const int MaxActors = 64;
    /// <summary>A load time that is reported directly before the position in the new room belongs to that room.</summary>
    const double LoadToRoomSec = 1;
    const double MaxLoadMs = 10000000;
    /// <summary>The upper bounds of the buckets of frame times, ms. The last bucket has none.</summary>
    static readonly double[] frameBounds = { 4, 6, 8, 10, 12, 14, 17, 20, 25, 34, 42, 50, 67, 100, 250, double.PositiveInfinity };
    /// <summary>The decisions about sampled events that a session remembers.</summary>
    const int MaxSampledNames = 10000;
    const double MaxBackoffSec = 60;
    const double MaxRetryAfterSec = 600;
    const double MaxQueueAgeMs = 7 * 24 * 3600000.0;
    const string EndLine = "{\"sessionEnded\":true}";
    const string Open = ".open";
    const string NoConsent = "Nothing was sent, because the player has not agreed.";
    /// <summary>After as many failures that may be due to the content of an item, the next one is tried.</summary>
    const int MaxItemFailures = 3;
    static readonly Regex queueName = new Regex(@"^\d{14}-\w+-\d{8}\.(events|feedback|bug)(\.open)?$");
    /// <summary>What belongs to the player besides the queue.</summary>
    static readonly string[] playerFiles = { "device", "config", "tester" };
    static readonly Regex jsonWord = new Regex(@"\G(?:null|true|false|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)");
    static readonly Encoding utf8 = new UTF8Encoding(false);

    /// <summary>One request that waits in the queue: a batch of events, a feedback or a bug report.</summary>
    sealed class Item
    {
        public string Name;
        public Session Session; // null for the files of earlier runs
        public long Size;
        public long Events; // estimated for the files of earlier runs
        public List<string> Lines; // of a batch, until it is on disk
        public string Text; // of a feedback or a bug report, until it is on disk
        public bool IsInMemory { get { return Lines != null || Text != null; } }
        public bool IsRefused; // sent again after the next Start()
        public Action<PlaytestResult> OnResult;
    }

    /// <summary>The batch that is being filled.</summary>
    sealed class Batch
    {
        public string Name;
        public Session Session;
        public readonly List<string> Lines = new List<string>();
        public int Saved;
        public long Bytes;
    }

    sealed class Session
    {
        public string Id;
        public Dictionary<string, object> Envelope;
        /// <summary>The body of its requests without events: the envelope as JSON.</summary>
        public string Header;
        /// <summary>Whether it records an event, by name. The first event of a name decides.</summary>
        public readonly Dictionary<string, bool> Sampled = new Dictionary<string, bool>();
        public bool IsClockKnown;
        public long StartedAt;
        public double StartedTick;
        public int NextEvent = 1;
        public double LastHeartbeat;
        public readonly Dictionary<string, Actor> Actors = new Dictionary<string, Actor>();
        /// <summary>The actor whose room the performance belongs to.</summary>
        public Actor FirstActor;
        public string Room;
        /// <summary>The frames since the last performance event.</summary>
        public readonly int[] Buckets = new int[frameBounds.Length];
        public bool HasFrames;
        public long MemoryMb;
        public long LoadMs = -1;
        public double LoadedAt = double.NegativeInfinity;
        public double UnfocusedSince = -1;
        public double UnfocusedSec;
    }

    /// <summary>A player of the device.</summary>
    sealed class Actor
    {
        public double LastPosition = double.NegativeInfinity;
        public string LastRoom = "";
    }

    /// <summary>What the service sets for an event.</summary>
    sealed class EventSetting
    {
        public bool IsIgnored;
        public double SampleRate = 1;
    }

    /// <summary>What the service sets for this game and device.</summary>
    sealed class Config
    {
        /// <summary>The device that the variants belong to.</summary>
        public string DeviceId = "";
        public readonly Dictionary<string, EventSetting> Events = new Dictionary<string, EventSetting>();
        public Dictionary<string, object> Variants = new Dictionary<string, object>();
        public Dictionary<string, object> Values = new Dictionary<string, object>();
        /// <summary>The answers as they were received.</summary>
        public string EventConfig = "null";
        public string Experiments = "null";
    }

    sealed class ShownVariant
    {
        public string Name;
        public Dictionary<string, object> Values;
    }

    /// <summary>The answer to a request. Status 0 means that there was none; Body is null if it was too large.</summary>
    public struct Answer
    {
        public int Status;
        public string Body;
        public string RetryAfter;
        public string Date;
        public string Failure;
    }

    enum Kind { Stored, Retry, Refused }

    struct Outcome
    {
        public Kind Kind;
        public int Status;
        public string Message;
        public double AfterSec;
        public bool MayConcernItem;
        public string Body;
    }

    readonly object gate = new object();
    protected readonly PlaytestOptions options;
    readonly string folder;
    readonly Stopwatch watch = Stopwatch.StartNew();
    readonly AutoResetEvent wake = new AutoResetEvent(false);
    readonly AutoResetEvent wakeSender = new AutoResetEvent(false);
    readonly Dictionary<string, string> sessionIds = new Dictionary<string, string>();
    /// <summary>Operations on files, in order. Only the thread of Step runs them.</summary>
    readonly Queue<Action> disk = new Queue<Action>();
    readonly Queue<Action> callbacks = new Queue<Action>();
    /// <summary>The variants that the game has seen in this run.</summary>
    readonly Dictionary<string, ShownVariant> shown = new Dictionary<string, ShownVariant>();
    readonly List<Action> onReady = new List<Action>();
    Config config = new Config();
    int readings;
    List<Item> items = new List<Item>();
    Session session;
    Session lastSession;
    Batch batch;
    Item inFlight;
    string device;
    string stopped;
    string lastReport = "";
    volatile bool consent;
    volatile bool countsOwnFrames;
    int epoch;
    int nextItem = 1;
    int failures;
    /// <summary>The name of the item whose content may be why requests fail, and the number of these failures in a row.</summary>
    string suspect;
    int suspectFailures;
    long dropped;
    double retryAt;
    double firstSendAt;
    double flushAt;
    bool hasWarnedOfNoSession;
    double lastStep = double.NegativeInfinity;
    volatile bool isQuitting;
    volatile bool isClosed;
    /// <summary>Whether files were changed. Only web pages have to do something then.</summary>
    protected volatile bool hasNewFiles;
    /// <summary>How to cancel the requests that wait for an answer.</summary>
    readonly HashSet<Action> aborts = new HashSet<Action>();

    static string ReadVariable(string name)
    {
        var value = System.Environment.GetEnvironmentVariable(name);
        return string.IsNullOrEmpty(value) ? null : value;
    }

    public PlaytestClient(PlaytestOptions options)
    {
        this.options = options ?? new PlaytestOptions();
        // The environment of the program overrides the options of the game. CI runs builds with it.
        this.options.BaseUrl = ReadVariable("PLAYTEST_BASE_URL") ?? this.options.BaseUrl;
        this.options.Key = ReadVariable("PLAYTEST_INGEST_KEY") ?? this.options.Key;
        this.options.GameVersion = ReadVariable("PLAYTEST_BUILD") ?? this.options.GameVersion;
        this.options.Environment = ReadVariable("PLAYTEST_ENVIRONMENT") ?? this.options.Environment;
        this.options.DeviceId = ReadVariable("PLAYTEST_DEVICE_ID") ?? this.options.DeviceId;
        consent = this.options.Consent;
        folder = this.options.Folder ?? Path.Combine(Path.GetTempPath(), "playtest");
        Safely(() =>
        {
            stopped = FindOptionsFault();
            if (stopped != null) Report("error", stopped);
            if (this.options.HeartbeatSec < 30) Report("warn", "HeartbeatSec was raised to 30.");
            Directory.CreateDirectory(folder);
            // A game that calls SetConsent(false) directly after Init must not send what an earlier run left.
            firstSendAt = Now() + 1;
            var choice = ReadSetting("consent");
            consent = choice == "yes" || (choice != "no" && this.options.Consent);
            device = ReadSetting("device");
            if (choice != "no")
            {
                config = ParseConfig(ReadSetting("config"));
                AdoptQueue();
            }
        });
        if (UsesThread)
        {
            // A request blocks its thread, so that heartbeats and files need another one.
            Safely(new Thread(Run) { IsBackground = true, Name = "Playtest files" }.Start);
            Safely(new Thread(RunSender) { IsBackground = true, Name = "Playtest requests" }.Start);
        }
    }

    /// <summary>Seconds of a clock that never goes back.</summary>
    protected virtual double Now() { return watch.Elapsed.TotalSeconds; }

    /// <summary>The clock of the device, which may be wrong and change in play.</summary>
    protected virtual long UnixMs() { return (long)(DateTime.UtcNow - new DateTime(1970, 1, 1, 0, 0, 0, DateTimeKind.Utc)).TotalMilliseconds; }

    /// <summary>Whether a background thread of the client sends. Otherwise the owner calls Step.</summary>
    protected virtual bool UsesThread { get { return true; } }

    /// <summary>Sends a request and calls `done`, at once or later, on the thread that called.</summary>
    protected virtual void Send(string method, string path, byte[] body, bool isGzip, Action<Answer> done) { done(SendBlocking(method, path, body, isGzip)); }

    /// <summary>Calls back into the game, in order, on a thread that holds no lock of the client.</summary>
    protected virtual void Dispatch(Action callback)
    {
        lock (callbacks)
        {
            callbacks.Enqueue(callback);
            if (callbacks.Count > 1) return;
        }
        ThreadPool.QueueUserWorkItem(_ => RunCallbacks());
    }

    /// <summary>Runs the waiting callbacks.</summary>
    protected void RunCallbacks()
    {
        while (true)
        {
            Action callback;
            lock (callbacks)
            {
                if (callbacks.Count == 0) return;
                callback = callbacks.Peek();
            }
            Safely(callback, false);
            lock (callbacks) callbacks.Dequeue();
        }
    }

    protected void EnqueueCallback(Action callback) { lock (callbacks) callbacks.Enqueue(callback); }

    /// <summary>Bytes that wait to be sent.</summary>
    public long QueuedBytes { get { lock (gate) return items.Sum(item => item.Size) + (batch == null ? 0 : batch.Bytes); } }

    /// <summary>Events that were dropped because the queue was full, or because they were too large or not JSON.</summary>
    public long DroppedEvents { get { lock (gate) return dropped; } }

    /// <summary>Why nothing is sent until the next Start(), in the words of the service; null if the client sends.</summary>
    public string Stopped { get { lock (gate) return stopped; } }

    public void Start()
    {
        Safely(() =>
        {
            stopped = FindOptionsFault();
            if (!consent || stopped != null) return;
            foreach (var item in items) item.IsRefused = false;
            if (session != null) End(null);
            var now = Now();
            var started = new Session { Id = RandomId(), StartedAt = UnixMs(), StartedTick = now, LastHeartbeat = now };
            started.Envelope = Envelope(started.Id, started.StartedAt, options.Environment);
            started.Header = ToJson(started.Envelope);
            session = lastSession = started;
            flushAt = now + FirstFlushSec;
            Track("session_start", Build());
            ReadConfig();
        });
    }

    public void WhenReady(Action callback)
    {
        Safely(() =>
        {
            if (callback == null) return;
            if (readings > 0) onReady.Add(callback);
            else Dispatch(callback);
        });
    }

    public void Track(string name, IDictionary data = null)
    {
        Safely(() =>
        {
            if (session == null)
            {
                WarnOfNoSession(name);
                return;
            }
            if (!IsRecorded(name ?? "")) return;
            var line = new StringBuilder("{\"id\":\"" + session.NextEvent + "\",\"name\":");
            WriteJson(line, name ?? "", 0);
            line.Append(",\"timestamp\":").Append(SessionTime(session, Now()).ToString(CultureInfo.InvariantCulture));
            try { if (data != null) WriteJson(line.Append(",\"data\":"), data, 0); }
            catch (Exception error)
            {
                Drop(name, "its data cannot be written as JSON: " + error.Message);
                return;
            }
            line.Append('}');
            var text = line.ToString();
            var size = utf8.GetByteCount(text);
            if (size > MaxEventBytes)
            {
                Drop(name, "it is larger than 256 KiB.");
                return;
            }
            session.NextEvent++;
            Append(text, size + 1);
        });
    }

    /// <summary>Whether the event config lets the session record an event. The first event of a name decides for its session.</summary>
    bool IsRecorded(string name)
    {
        EventSetting setting;
        config.Events.TryGetValue(name, out setting);
        if (setting != null && setting.IsIgnored) return false;
        bool isSampled;
        if (session.Sampled.TryGetValue(name, out isSampled)) return isSampled;
        isSampled = setting == null || Hash(session.Id + "/" + name) < setting.SampleRate;
        if (session.Sampled.Count < MaxSampledNames) session.Sampled[name] = isSampled;
        return isSampled;
    }

    /// <summary>The 32-bit FNV-1a hash of a text, at least 0 and below 1.</summary>
    static double Hash(string text)
    {
        var value = 0x811c9dc5;
        foreach (var letter in utf8.GetBytes(text)) value = unchecked((value ^ letter) * 0x01000193);
        return value / 4294967296.0;
    }

    /// <summary>The start of the session and a clock that never changes.</summary>
    static long SessionTime(Session owner, double now) { return owner.StartedAt + (long)Math.Round((now - owner.StartedTick) * 1000); }

    void Drop(string name, string reason)
    {
        dropped++;
        Report("error", "Event \"" + name + "\" was dropped because " + reason);
    }

    void WarnOfNoSession(string name)
    {
        if (hasWarnedOfNoSession || !consent || stopped != null) return;
        hasWarnedOfNoSession = true;
        Report("warn", "Event \"" + name + "\" was not recorded because no session is running. Call Start() first.");
    }

    public void Position(double x, double y, string room, string player = null) { Position(x, y, 0, false, room, player); }

    public void Position(double x, double y, double z, string room, string player = null) { Position(x, y, z, true, room, player); }

    /// <summary>Games call this in every frame, so that a position that is not recorded must allocate nothing.</summary>
    void Position(double x, double y, double z, bool hasZ, string room, string player)
    {
        try
        {
            lock (gate)
            {
                if (session == null) return;
                if (IsFinite(x) && IsFinite(y) && IsFinite(z) && !string.IsNullOrEmpty(room)) MoveActor(x, y, z, hasZ, room, player ?? "");
                else Report("warn", "A position was ignored: x " + x + ", y " + y + ", z " + z + ", room \"" + room + "\".");
            }
        }
        catch (Exception error) { Report("error", "Telemetry failed: " + error.Message); }
    }

    void MoveActor(double x, double y, double z, bool hasZ, string room, string player)
    {
        Actor actor;
        if (!session.Actors.TryGetValue(player, out actor))
        {
            if (session.Actors.Count >= MaxActors)
            {
                Report("warn", "Positions of player \"" + player + "\" are ignored: a session has at most " + MaxActors + ".");
                return;
            }
            actor = session.Actors[player] = new Actor();
        }
        var now = Now();
        if (room == actor.LastRoom && now - actor.LastPosition < 1 / Math.Min(options.PositionsPerSec, 10)) return;
        actor.LastRoom = room;
        actor.LastPosition = now;
        if (session.FirstActor == null) session.FirstActor = actor;
        if (session.FirstActor == actor && session.Room != room) EnterRoom(room, now);
        if (!IsRecorded("player_pos")) return;
        var data = ToData("x", x, "y", y, "room", room);
        if (hasZ) data["z"] = z;
        if (player != "") data["player"] = player;
        Track("player_pos", data);
    }

    /// <summary>Reports the performance in the room that the first actor leaves.</summary>
    void EnterRoom(string room, double now)
    {
        if (now - session.LoadedAt >= LoadToRoomSec) ReportFrames();
        session.LoadedAt = double.NegativeInfinity;
        session.Room = room;
    }

    public void Frame(double ms)
    {
        countsOwnFrames = true;
        AddFrame(ms);
    }

    /// <summary>Counts a frame that the engine measured, until the game counts its own ones.</summary>
    protected void MeasureFrame(double ms) { if (!countsOwnFrames) AddFrame(ms); }

    void AddFrame(double ms)
    {
        lock (gate)
        {
            if (session == null || session.UnfocusedSince >= 0 || !(ms >= 0)) return;
            var bucket = 0;
            while (ms > frameBounds[bucket]) bucket++;
            session.Buckets[bucket]++;
            session.HasFrames = true;
        }
    }

    public void Loaded(double ms)
    {
        Safely(() =>
        {
            if (session == null || !(ms >= 0 && ms <= MaxLoadMs)) return;
            ReportFrames();
            session.LoadMs = (long)Math.Round(ms);
            session.LoadedAt = Now();
        });
    }

    /// <summary>Records the frames since the last report, if there are any.</summary>
    void ReportFrames()
    {
        if (!session.HasFrames) return;
        var count = Array.FindLastIndex(session.Buckets, frames => frames > 0) + 1;
        var data = ToData("frames", session.Buckets.Take(count).ToArray());
        if (session.Room != null) data["room"] = session.Room;
        if (session.MemoryMb > 0) data["memoryMb"] = session.MemoryMb;
        if (session.LoadMs >= 0) data["loadMs"] = session.LoadMs;
        Array.Clear(session.Buckets, 0, session.Buckets.Length);
        session.HasFrames = false;
        session.MemoryMb = 0;
        session.LoadMs = -1;
        Track("performance", data);
    }

    /// <summary>The memory of the program; 0 where it is unknown.</summary>
    protected virtual long MemoryBytes() { using (var process = Process.GetCurrentProcess()) return process.WorkingSet64; }

    /// <summary>Reports the focus. Without it, time is not active and no heartbeats are recorded.</summary>
    public void Focus(bool hasFocus)
    {
        Safely(() =>
        {
            if (session == null || hasFocus == session.UnfocusedSince < 0) return;
            if (hasFocus)
            {
                session.UnfocusedSec += Now() - session.UnfocusedSince;
                session.UnfocusedSince = -1;
            }
            else session.UnfocusedSince = Now();
            Track(hasFocus ? "focus_gained" : "focus_lost");
        });
    }

    public void End(IDictionary summary = null)
    {
        Safely(() =>
        {
            if (session == null) return;
            var data = new Dictionary<string, object>();
            if (summary != null) foreach (DictionaryEntry entry in summary) data[Convert.ToString(entry.Key)] = entry.Value;
            ReportFrames();
            AddDurations(data);
            Track("session_summary", data);
            Append(EndLine, EndLine.Length + 1);
            session = null;
            Flush();
        });
    }

    public void Flush()
    {
        Safely(Seal);
        wake.Set();
    }

    /// <summary>Sends what is queued and stops the client. Waits for at most this time; the rest is sent after the next start.</summary>
    public void Close(int timeoutMs = 2000)
    {
        isQuitting = true;
        Safely(() => End(null));
        Flush();
        var until = DateTime.UtcNow.AddMilliseconds(timeoutMs);
        while (UsesThread && DateTime.UtcNow < until && !IsIdle()) Thread.Sleep(10);
        isClosed = true;
        wake.Set();
    }

    bool IsIdle()
    {
        lock (gate)
            return disk.Count == 0 && inFlight == null && (stopped != null || Now() < retryAt || items.All(item => item.IsRefused));
    }

    public void Feedback(string formId, IDictionary answers, Action<PlaytestResult> onResult = null)
    {
        Safely(() =>
        {
            var responses = new List<object>();
            if (answers != null)
                foreach (DictionaryEntry entry in answers)
                {
                    var value = entry.Value is bool ? ((bool)entry.Value ? "yes" : "no") : Convert.ToString(entry.Value, CultureInfo.InvariantCulture);
                    responses.Add(ToData("fieldId", entry.Key, "value", value));
                }
            Submit("feedback", ToData("requestId", RandomId(), "formId", formId, "responses", responses), onResult);
        });
    }

    public void BugReport(string title, string description, string severity = "medium", Action<PlaytestResult> onResult = null)
    {
        Safely(() =>
        {
            // Without consent, not even the id of the device may be created.
            if (!consent)
            {
                Answered(onResult, false, false, NoConsent);
                return;
            }
            var context = WithoutNulls(ToData("buildVersion", options.GameVersion, "environment", options.Environment, "platform", options.Platform));
            Submit("bug", WithoutNulls(ToData("title", Truncate(title, 200), "description", Truncate(description, 8000), "severity", severity,
                "idempotencyKey", RandomId(), "gameId", options.GameId, "playerId", options.TesterHandle ?? FindDeviceId(), "context", context)), onResult);
        });
    }

    public string Variant(string experiment)
    {
        ShownVariant variant = null;
        Safely(() =>
        {
            if (experiment == null || shown.TryGetValue(experiment, out variant)) return;
            object name, values;
            if (!consent || config.DeviceId != FindDeviceId() || !config.Variants.TryGetValue(experiment, out name) || !(name is string)) return;
            config.Values.TryGetValue(experiment, out values);
            variant = shown[experiment] = new ShownVariant { Name = (string)name, Values = values as Dictionary<string, object> ?? new Dictionary<string, object>() };
            if (session == null) return;
            // What was recorded before has no part in the variant.
            Seal();
            session.Envelope["experimentTags"] = Tags();
            session.Header = ToJson(session.Envelope);
        });
        return variant == null ? null : variant.Name;
    }

    public Dictionary<string, object> VariantValues(string experiment)
    {
        lock (gate)
        {
            ShownVariant variant;
            shown.TryGetValue(experiment ?? "", out variant);
            return variant == null ? new Dictionary<string, object>() : new Dictionary<string, object>(variant.Values);
        }
    }

    public string DeviceId { get { lock (gate) return consent ? FindDeviceId() : null; } }

    public void SetDeviceId(string deviceId)
    {
        Safely(() =>
        {
            var isValid = !string.IsNullOrEmpty(deviceId) && deviceId.Length <= 128 && deviceId != "." && deviceId != "..";
            if (!consent || !isValid)
            {
                Report("warn", "The device id was not set, because " + (consent ? "it must have 1 to 128 characters." : "the player has not agreed."));
                return;
            }
            options.DeviceId = null;
            device = deviceId;
            shown.Clear();
            OnDisk(() => WriteSetting("device", deviceId));
        });
    }

    public void LinkTester(string token, Action<PlaytestResult> onResult = null)
    {
        var claimToken = (token ?? "").Trim();
        AskTester("POST", claimToken, onResult, handle =>
        {
            OnDisk(() => WriteSetting("tester", claimToken));
            return new PlaytestResult { Ok = true, Message = "This device is linked to " + handle + ".", Handle = handle };
        });
    }

    public void GetCurrentTester(Action<PlaytestResult> onResult)
    {
        AskTester("GET", null, onResult, handle => new PlaytestResult { Ok = true, Message = "This device is linked to " + (handle ?? "no tester") + ".", Handle = handle });
    }

    public void UnlinkTester(string token = null, Action<PlaytestResult> onResult = null)
    {
        Safely(() =>
        {
            // LinkTester may have to write the token first.
            OnDisk(() =>
            {
                var claimToken = token ?? ReadSetting("tester");
                if (string.IsNullOrEmpty(claimToken)) Answered(onResult, false, false, "LinkTester() was not called on this device. Pass the token.");
                else AskTester("DELETE", claimToken, onResult, handle =>
                {
                    OnDisk(() => File.Delete(PathTo("tester")));
                    return new PlaytestResult { Ok = true, Message = "This device is no longer linked to " + handle + "." };
                });
            });
            wake.Set();
        });
    }

    void AskTester(string method, string claimToken, Action<PlaytestResult> onResult, Func<string, PlaytestResult> onHandle)
    {
        Safely(() =>
        {
            var fault = FindOptionsFault() ?? (consent ? null : NoConsent);
            if (fault != null)
            {
                Answered(onResult, false, false, fault);
                return;
            }
            var startedEpoch = epoch;
            var fields = WithoutNulls(ToData("claimToken", claimToken, "gameId", options.GameId, "deviceId", FindDeviceId()));
            var isRead = method == "GET";
            var path = isRead ? "/api/telemetry/tester?" + ToQuery(fields) : "/api/telemetry/claim";
            InBackground(() => Request(method, path, isRead ? null : ToJson(fields), answer => Safely(() =>
            {
                var outcome = Classify(answer, IsTester);
                // The player may have opted out, and agreed again as another person.
                if (startedEpoch != epoch || outcome.Kind != Kind.Stored)
                {
                    Answered(onResult, false, false, startedEpoch == epoch ? outcome.Message : NoConsent);
                    return;
                }
                object handle;
                ParseObject(outcome.Body).TryGetValue("handle", out handle);
                var result = onHandle(handle as string);
                if (onResult != null) Dispatch(() => onResult(result));
            })));
        });
    }

    static bool IsTester(string body)
    {
        object ok, linked, handle;
        var answer = ParseObject(body);
        answer.TryGetValue("ok", out ok);
        answer.TryGetValue("linked", out linked);
        answer.TryGetValue("handle", out handle);
        return handle is string ? true.Equals(ok) || true.Equals(linked) : false.Equals(linked);
    }

    static string ToQuery(Dictionary<string, object> fields)
    {
        return string.Join("&", fields.Select(field => field.Key + "=" + Uri.EscapeDataString((string)field.Value)).ToArray());
    }

    /// <summary>Reads what the service sets for this game and device. What cannot be read is unchanged.</summary>
    void ReadConfig()
    {
        var startedEpoch = epoch;
        var deviceId = FindDeviceId();
        readings++;
        Action<string, string> done = (eventConfig, experiments) => Safely(() =>
        {
            readings--;
            if (readings == 0)
            {
                foreach (var callback in onReady) Dispatch(callback);
                onReady.Clear();
            }
            if (startedEpoch != epoch || (eventConfig == null && experiments == null)) return;
            var text = "{\"deviceId\":" + ToJson(experiments == null ? config.DeviceId : deviceId) + ",\"eventConfig\":" + (eventConfig ?? config.EventConfig)
                + ",\"experiments\":" + (experiments ?? config.Experiments) + "}";
            config = ParseConfig(text);
            OnDisk(() => WriteSetting("config", text));
        });
        InBackground(() => FindGame(gameId =>
        {
            var query = ToQuery(WithoutNulls(ToData("deviceId", deviceId, "gameId", gameId, "buildVersion", options.GameVersion == null ? null : Truncate(options.GameVersion, 64))));
            Action<string> readExperiments = eventConfig => Read("/api/telemetry/experiments?" + query, "experiments", experiments => done(eventConfig, experiments));
            if (gameId == null) readExperiments(null);
            else Read("/api/v1/games/" + Uri.EscapeDataString(gameId) + "/event-config", "events", readExperiments);
        }));
    }

    /// <summary>The game that the event config is read for: that of the options, or that of the key.</summary>
    void FindGame(Action<string> done)
    {
        if (!string.IsNullOrEmpty(options.GameId)) done(options.GameId);
        else Request("GET", "/api/telemetry/resolve", null, answer => done(answer.Status == 200 ? FindString(answer.Body, "gameId") : null));
    }

    /// <summary>Reads an answer with an object in this field; null if there is none.</summary>
    void Read(string path, string field, Action<string> done)
    {
        Request("GET", path, null, answer =>
        {
            object value = null;
            if (answer.Failure == null && answer.Status == 200) ParseObject(answer.Body).TryGetValue(field, out value);
            done(value is Dictionary<string, object> ? answer.Body : null);
        });
    }

    /// <summary>Reads what the service set in an earlier run or a moment ago. Whatever it is not, is left out.</summary>
    static Config ParseConfig(string text)
    {
        var read = new Config();
        var stored = ParseObject(text);
        object deviceId, answer;
        if (stored.TryGetValue("deviceId", out deviceId) && deviceId is string) read.DeviceId = (string)deviceId;
        if (stored.TryGetValue("eventConfig", out answer) && answer is Dictionary<string, object>)
        {
            read.EventConfig = ToJson(answer);
            foreach (var entry in FindObject(answer, "events"))
            {
                object isIgnored, rate;
                var flags = entry.Value as Dictionary<string, object> ?? new Dictionary<string, object>();
                flags.TryGetValue("sdkIgnore", out isIgnored);
                flags.TryGetValue("sampleRate", out rate);
                read.Events[entry.Key] = new EventSetting { IsIgnored = true.Equals(isIgnored), SampleRate = rate is double ? (double)rate : 1 };
            }
        }
        if (stored.TryGetValue("experiments", out answer) && answer is Dictionary<string, object>)
        {
            read.Experiments = ToJson(answer);
            read.Variants = FindObject(answer, "experiments");
            read.Values = FindObject(answer, "config");
        }
        return read;
    }

    static Dictionary<string, object> FindObject(object answer, string field)
    {
        object value;
        ((Dictionary<string, object>)answer).TryGetValue(field, out value);
        return value as Dictionary<string, object> ?? new Dictionary<string, object>();
    }

    /// <summary>Runs code that waits for answers.</summary>
    void InBackground(Action work)
    {
        if (UsesThread) ThreadPool.QueueUserWorkItem(_ => Safely(work, false));
        else work();
    }

    /// <summary>The experiments that the session is counted for.</summary>
    Dictionary<string, string> Tags()
    {
        var tags = new Dictionary<string, string>();
        if (options.ExperimentTags != null) foreach (var tag in options.ExperimentTags) tags[tag.Key] = tag.Value;
        foreach (var entry in shown) tags[entry.Key] = entry.Value.Name;
        return tags;
    }

    public void SetConsent(bool isGiven)
    {
        Safely(() =>
        {
            consent = isGiven;
            if (!isGiven) Withdraw();
            OnDisk(() => WriteSetting("consent", isGiven ? "yes" : "no"));
            wake.Set();
        });
    }

    /// <summary>Forgets everything about the player, on disk as well.</summary>
    void Withdraw()
    {
        Action[] waiting;
        lock (aborts) waiting = aborts.ToArray();
        foreach (var abort in waiting) abort();
        session = lastSession = null;
        batch = null;
        device = null;
        config = new Config();
        shown.Clear();
        epoch++;
        foreach (var item in items) Resolve(item, false, false, NoConsent);
        items = new List<Item>();
        disk.Clear();
        OnDisk(() =>
        {
            // The folder may contain other files of the game.
            foreach (var name in Directory.GetFiles(folder).Select(Path.GetFileName))
                if (playerFiles.Contains(name) || queueName.IsMatch(name)) File.Delete(PathTo(name));
        });
    }

    public void SendTestEvent(Action<PlaytestResult> onResult)
    {
        Safely(() =>
        {
            var fault = FindOptionsFault() ?? (consent ? null : NoConsent);
            if (fault != null)
            {
                Answered(onResult, false, false, fault);
                return;
            }
            var now = UnixMs();
            var body = Envelope("test-" + RandomId(), now, "sdk-test");
            body["sessionEnded"] = true;
            // Without a version, the test is no session of a build.
            body["sessionMetadata"] = WithoutNulls(ToData("platform", options.Platform));
            body["events"] = new List<object> { ToData("id", "1", "name", "sdk_test_event", "timestamp", now) };
            var text = ToJson(body);
            InBackground(() => Request("POST", "/api/telemetry", text, answer => Safely(() =>
            {
                var outcome = Classify(answer, IsReceipt);
                var sessionId = FindString(outcome.Body, "sessionId");
                if (outcome.Kind != Kind.Stored) Answered(onResult, false, false, consent ? outcome.Message : NoConsent);
                else if (sessionId == null) Answered(onResult, false, false, options.BaseUrl + " refused the test event.");
                else Answered(onResult, true, false, "The address and the key work. " + options.BaseUrl + " stored the test event in session " + sessionId + ".");
            })));
        });
    }

    /// <summary>Does the regular work: heartbeats, files, and the next request. Where there is no thread, call it in each frame.</summary>
    public void Step()
    {
        if (Now() - lastStep < TickMs / 2000.0 && !UsesThread) return;
        lastStep = Now();
        Safely(() =>
        {
            var now = Now();
            if (session != null && session.UnfocusedSince < 0 && now - session.LastHeartbeat >= Math.Max(options.HeartbeatSec, 30))
            {
                session.LastHeartbeat = now;
                var data = new Dictionary<string, object>();
                AddDurations(data);
                Track("session_heartbeat", data);
                ReportFrames();
            }
            if (session != null && session.HasFrames) session.MemoryMb = Math.Max(session.MemoryMb, MemoryBytes() >> 20);
            if (now >= flushAt) Seal();
            else Save();
        });
        Safely(RunDisk, false);
        if (UsesThread) wakeSender.Set();
        else Safely(SendNext, false);
    }

    void Run()
    {
        while (!isClosed)
        {
            Step();
            wake.WaitOne(TickMs);
        }
        Safely(RunDisk, false);
    }

    void RunSender()
    {
        while (!isClosed)
        {
            Safely(SendNext, false);
            wakeSender.WaitOne(TickMs);
        }
    }

    /// <summary>Appends a line to the current batch.</summary>
    void Append(string line, int size)
    {
        var isFull = batch != null && (batch.Lines.Count > MaxEvents || batch.Bytes + size > MaxBatchBytes);
        // The line that ends the session is no event, so it fits into every batch.
        if (batch != null && ((isFull && line != EndLine) || batch.Session != session)) Seal();
        if (batch == null)
        {
            batch = new Batch { Name = NextName(session) + ".events", Session = session, Bytes = utf8.GetByteCount(session.Header) + 1 };
            batch.Lines.Add(session.Header);
        }
        batch.Lines.Add(line);
        batch.Bytes += size;
    }

    /// <summary>Names sort in the order in which items are sent.</summary>
    string NextName(Session owner)
    {
        var time = (owner == null ? UnixMs() : owner.StartedAt).ToString("D14", CultureInfo.InvariantCulture);
        return time + "-" + (owner == null ? "none" : owner.Id) + "-" + (nextItem++).ToString("D8", CultureInfo.InvariantCulture);
    }

    /// <summary>Writes the lines of the current batch that are not on disk yet.</summary>
    void Save()
    {
        if (batch == null || batch.Saved == batch.Lines.Count) return;
        var saving = batch;
        var path = PathTo(batch.Name + Open);
        OnDisk(() =>
        {
            // Another process of the game may have sent the open file already. Event ids make the repetition harmless.
            var appends = saving.Saved > 0 && File.Exists(path);
            int count;
            List<string> lines;
            lock (gate)
            {
                // The game waits for this lock, so that the lines are only joined after it.
                count = saving.Lines.Count;
                var first = appends ? saving.Saved : 0;
                lines = saving.Lines.GetRange(first, count - first);
                // After a failure, the file may end anywhere, so that it is written again.
                saving.Saved = 0;
            }
            if (appends) File.AppendAllText(path, JoinLines(lines), utf8);
            else File.WriteAllText(path, JoinLines(lines), utf8);
            lock (gate) saving.Saved = count;
        });
        EnforceLimit();
    }

    /// <summary>Completes the current batch, so that it is sent.</summary>
    void Seal()
    {
        flushAt = Now() + Math.Max(options.FlushSec, 1);
        if (batch == null) return;
        Save();
        var item = new Item
        {
            Name = batch.Name, Session = batch.Session, Size = batch.Bytes,
            Events = batch.Lines.Count - (batch.Lines[batch.Lines.Count - 1] == EndLine ? 2 : 1), Lines = batch.Lines,
        };
        var sealing = batch;
        batch = null;
        items.Add(item);
        OnDisk(() =>
        {
            var open = PathTo(item.Name + Open);
            if (sealing.Saved == sealing.Lines.Count && File.Exists(open)) File.Move(open, PathTo(item.Name));
            else
            {
                File.WriteAllText(PathTo(item.Name), JoinLines(item.Lines), utf8);
                File.Delete(open);
            }
            item.Lines = null;
        });
        EnforceLimit();
    }

    void OnDisk(Action work) { disk.Enqueue(work); }

    /// <summary>Runs the waiting operations on files. Without a working disk, items stay in memory.</summary>
    void RunDisk()
    {
        while (true)
        {
            Action work;
            lock (gate)
            {
                if (disk.Count == 0) return;
                work = disk.Peek();
            }
            hasNewFiles = true;
            try { work(); }
            catch (Exception error) { Report("warn", "The queue cannot be written, so it is kept in memory: " + error.Message); }
            lock (gate) if (disk.Count > 0 && disk.Peek() == work) disk.Dequeue();
        }
    }

    /// <summary>Drops the oldest items while the queue is larger than its limit.</summary>
    void EnforceLimit()
    {
        var total = QueuedBytes;
        while (total > options.MaxQueueBytes)
        {
            var oldest = items.FirstOrDefault(item => item != inFlight);
            if (oldest == null) return;
            total -= oldest.Size;
            dropped += oldest.Events;
            Report("warn", "The queue is full (" + options.MaxQueueBytes + " bytes). The oldest events were dropped.");
            Resolve(oldest, false, false, "Dropped because the queue is full.");
            Forget(oldest);
        }
    }

    void Forget(Item item)
    {
        items.Remove(item);
        OnDisk(() =>
        {
            File.Delete(PathTo(item.Name));
            // A part of what could not be written may be here.
            if (item.IsInMemory) File.Delete(PathTo(item.Name + Open));
        });
    }

    /// <summary>Takes over what earlier runs did not send.</summary>
    void AdoptQueue()
    {
        var files = Directory.GetFiles(folder).Select(Path.GetFileName).Where(name => queueName.IsMatch(name));
        foreach (var file in files.OrderBy(name => name, StringComparer.Ordinal))
        {
            var path = PathTo(file);
            var name = file.EndsWith(Open) ? file.Substring(0, file.Length - Open.Length) : file;
            if (UnixMs() - double.Parse(file.Substring(0, 14), CultureInfo.InvariantCulture) > MaxQueueAgeMs)
            {
                Report("warn", "Events that could not be sent for 7 days were deleted.");
                File.Delete(path);
                continue;
            }
            var size = new FileInfo(path).Length;
            items.Add(new Item { Name = name, Size = size, Events = size / 120 });
            if (file != name) File.Move(path, PathTo(name));
        }
    }

    void Submit(string kind, Dictionary<string, object> body, Action<PlaytestResult> onResult)
    {
        var owner = session ?? lastSession;
        var fault = !consent ? NoConsent : FindOptionsFault();
        if (fault == null && kind == "feedback" && owner == null) fault = "Feedback requires a session. Call Start() first.";
        if (fault != null)
        {
            Answered(onResult, false, false, fault);
            return;
        }
        Seal();
        var text = JoinLines(new[] { owner == null ? "{}" : owner.Header, ToJson(body) });
        var item = new Item { Name = NextName(owner) + "." + kind, Session = owner, Size = utf8.GetByteCount(text), Text = text, OnResult = onResult };
        items.Add(item);
        OnDisk(() =>
        {
            File.WriteAllText(PathTo(item.Name), text, utf8);
            item.Text = null;
        });
        EnforceLimit();
        wake.Set();
    }

    /// <summary>Sends the first item of the queue, and then the next one.</summary>
    void SendNext()
    {
        Item item;
        int startedEpoch;
        lock (gate)
        {
            if (inFlight != null || !consent || Now() < firstSendAt) return;
            item = stopped != null || Now() < retryAt ? null : FindNext();
            if (item == null)
            {
                AnswerWaiting();
                return;
            }
            inFlight = item;
            startedEpoch = epoch;
        }
        Action<Outcome?> done = outcome =>
        {
            lock (gate)
            {
                inFlight = null;
                if (startedEpoch == epoch) Settle(item, outcome);
            }
            if (UsesThread) wakeSender.Set();
        };
        try { SendItem(item, done); }
        catch (Exception error)
        {
            // The file may be locked for a moment.
            done(new Outcome { Kind = Kind.Retry, MayConcernItem = true, Message = "The queue cannot be sent: " + error.Message });
        }
    }

    Item FindNext()
    {
        var waiting = items.Where(item => !item.IsRefused).Take(2).ToArray();
        var skips = waiting.Length == 2 && waiting[0].Name == suspect && suspectFailures >= MaxItemFailures;
        return skips ? waiting[1] : waiting.FirstOrDefault();
    }

    /// <summary>Skips an item until the next Start() if only that one fails, such as for a firewall that reads the content.</summary>
    void JudgeSuspect(Item item, Outcome? result)
    {
        if (result.HasValue && result.Value.MayConcernItem)
        {
            suspectFailures = item.Name == suspect ? suspectFailures + 1 : 1;
            suspect = item.Name;
            return;
        }
        var skipped = items.FirstOrDefault(other => other != item && other.Name == suspect);
        if (skipped != null && suspectFailures >= MaxItemFailures && result.HasValue && result.Value.Kind == Kind.Stored)
        {
            skipped.IsRefused = true;
            Report("warn", "A request that only fails with its content is skipped until the next Start().");
        }
        suspect = null;
        suspectFailures = 0;
    }

    void SendItem(Item item, Action<Outcome?> done)
    {
        var lines = item.Lines ?? ReadWholeLines(item.Text ?? (File.Exists(PathTo(item.Name)) ? File.ReadAllText(PathTo(item.Name), utf8) : ""));
        if (lines.Count < 2)
        {
            done(null);
            return;
        }
        // Events are sent as they were recorded. Only the header can get the difference of the clocks.
        string header;
        lock (gate) header = item.Session == null ? lines[0] : item.Session.Header;
        if (item.Name.EndsWith(".events"))
        {
            var events = lines.Skip(1).Where(line => line != EndLine).ToList();
            PostEvents(item, header, events, events.Count < lines.Count - 1, outcome => done(outcome));
            return;
        }
        var path = item.Name.EndsWith(".bug") ? "/api/telemetry/bug-report" : "/api/telemetry/feedback";
        Action<string> submit = sessionId =>
        {
            var id = sessionId == null ? "" : ",\"sessionId\":" + ToJson(sessionId);
            Request("POST", path, lines[1].Substring(0, lines[1].Length - 1) + id + "}", answer => done(Classify(answer, IsConfirmation)));
        };
        string known;
        lock (gate) sessionIds.TryGetValue(SessionOf(item), out known);
        if (header == "{}" || known != null) submit(known);
        // The service needs its own id of the session. A batch without events finds or creates the session.
        else PostEvents(item, header, new List<string>(), false, outcome =>
        {
            if (outcome.Kind != Kind.Stored) done(outcome);
            else submit(FindString(outcome.Body, "sessionId"));
        });
    }

    /// <summary>Sends a request, unless the player opted out in the meantime.</summary>
    void Request(string method, string path, string body, Action<Answer> done)
    {
        var plain = body == null ? null : utf8.GetBytes(body);
        var compressed = plain == null || plain.Length < MinGzipBytes ? null : Compress(plain);
        var sentAt = Now();
        if (!consent) done(new Answer { Failure = NoConsent });
        else Send(method, path, compressed ?? plain, compressed != null, answer =>
        {
            if (body != null && IsFromService(answer)) lock (gate) CompareClocks(answer.Date, sentAt, Now());
            done(answer);
        });
    }

    /// <summary>Returns null where the platform has no compression.</summary>
    static byte[] Compress(byte[] plain)
    {
        try
        {
            var content = new MemoryStream();
            using (var gzip = new GZipStream(content, CompressionMode.Compress)) gzip.Write(plain, 0, plain.Length);
            return content.ToArray();
        }
        catch (Exception) { return null; }
    }

    /// <summary>Adds the difference to the clock of the service to the requests of sessions that do not have it yet.</summary>
    void CompareClocks(string date, double sentAt, double receivedAt)
    {
        DateTime serverTime;
        var isDate = DateTime.TryParseExact(date, "r", CultureInfo.InvariantCulture, DateTimeStyles.None, out serverTime);
        if (!isDate || (receivedAt - sentAt) * 1000 > MinClockOffsetMs) return;
        var serverMs = (long)(serverTime - new DateTime(1970, 1, 1)).TotalMilliseconds + 500;
        foreach (var known in items.Select(item => item.Session).Concat(new[] { session, lastSession }).Distinct().ToList())
        {
            if (known == null || known.IsClockKnown) continue;
            known.IsClockKnown = true;
            var offset = serverMs - SessionTime(known, (sentAt + receivedAt) / 2);
            if (Math.Abs(offset) < MinClockOffsetMs) continue;
            known.Envelope["clockOffsetMs"] = offset;
            known.Header = ToJson(known.Envelope);
        }
    }

    void PostEvents(Item item, string header, List<string> events, bool isEnd, Action<Outcome> done)
    {
        var end = isEnd ? ",\"sessionEnded\":true}" : "}";
        var body = header.Substring(0, header.Length - 1) + ",\"events\":[" + string.Join(",", events.ToArray()) + "]" + end;
        Request("POST", "/api/telemetry", body, answer =>
        {
            var outcome = Classify(answer, IsReceipt);
            if (outcome.Kind == Kind.Stored)
            {
                var sessionId = FindString(outcome.Body, "sessionId");
                lock (gate) if (sessionId != null) sessionIds[SessionOf(item)] = sessionId;
                // The answer is for people here, so its list of refused events is shown as it is.
                var rejected = Regex.Match(outcome.Body, "\"rejected\"\\s*:\\s*\\[\\s*\\{.{0,500}", RegexOptions.Singleline);
                if (rejected.Success) Report("warn", "The service rejected events: " + rejected.Value);
                var warnings = Regex.Match(outcome.Body, "\"warnings\"\\s*:\\s*\\[\\s*\".{0,500}", RegexOptions.Singleline);
                if (warnings.Success) Report("warn", warnings.Value);
            }
            done(outcome);
        });
    }

    static string SessionOf(Item item) { return item.Name.Split('-')[1]; }

    /// <summary>Removes, keeps or retries an item after its request. A null outcome means that its file is missing or damaged.</summary>
    void Settle(Item item, Outcome? result)
    {
        JudgeSuspect(item, result);
        if (result.HasValue && result.Value.Kind == Kind.Retry)
        {
            failures++;
            var backoff = Math.Min(Math.Pow(2, Math.Min(failures - 1, 10)), MaxBackoffSec) * (0.75 + new System.Random().NextDouble() / 2);
            retryAt = Now() + Math.Max(Math.Min(result.Value.AfterSec, MaxRetryAfterSec), backoff);
            // A game that quits tries again at its next start.
            if (!isQuitting) Report("warn", result.Value.Message + " The client will try again.");
            AnswerWaiting();
            return;
        }
        if (failures > 0) Report("info", "The service answers again.");
        failures = 0;
        if (!result.HasValue || result.Value.Kind == Kind.Stored)
        {
            Resolve(item, result.HasValue, false, result.HasValue ? "Stored." : "The queued file was lost.");
            Forget(item);
            return;
        }
        var refusal = result.Value;
        Report("error", refusal.Message);
        Resolve(item, false, false, refusal.Message);
        var isEvents = item.Name.EndsWith(".events");
        var concernsItem = new[] { 400, 409, 413, 415, 422 }.Contains(refusal.Status);
        if (isEvents && concernsItem) item.IsRefused = true;
        else if (concernsItem || (refusal.Status == 404 && !isEvents)) Forget(item);
        // A wrong key or game affects every request. Events are still recorded, and the next Start() tries again.
        else stopped = refusal.Message;
        if (stopped != null) AnswerWaiting();
    }

    void Resolve(Item item, bool ok, bool queued, string message)
    {
        var onResult = item.OnResult;
        item.OnResult = null;
        Answered(onResult, ok, queued, message);
    }

    /// <summary>Reports to callers that their submission waits in the queue.</summary>
    void AnswerWaiting()
    {
        foreach (var item in items) if (item.OnResult != null) Resolve(item, false, true, stopped ?? "Queued. " + lastReport);
    }

    void Answered(Action<PlaytestResult> onResult, bool ok, bool queued, string message)
    {
        if (onResult != null) Dispatch(() => onResult(new PlaytestResult { Ok = ok, Queued = queued, Message = message }));
    }

    Outcome Classify(Answer answer, Func<string, bool> isExpected)
    {
        var status = answer.Status;
        if (answer.Failure != null)
            return new Outcome { Kind = Kind.Retry, Message = "No connection to " + options.BaseUrl + ": " + answer.Failure + ". Is the address right and the service running?" };
        var isSuccess = status >= 200 && status < 300;
        if (isSuccess && answer.Body != null && isExpected(answer.Body)) return new Outcome { Kind = Kind.Stored, Status = status, Body = answer.Body };
        var words = status + DescribeErrorBody(answer.Body);
        if (status == 408 || status == 425 || status == 429 || status >= 500)
        {
            double after;
            double.TryParse(answer.RetryAfter, NumberStyles.Float, CultureInfo.InvariantCulture, out after);
            return new Outcome { Kind = Kind.Retry, Status = status, AfterSec = IsFinite(after) ? after : 0, Message = options.BaseUrl + " cannot take events now (" + words + ")." };
        }
        // The login page of a network and a proxy during a deployment answer with any status.
        if (isSuccess || !IsError(answer.Body))
        {
            var advice = status >= 300 && status < 400 ? "The address redirects. Use the final address." : "Check the address.";
            return new Outcome { Kind = Kind.Retry, MayConcernItem = status >= 400, Message = options.BaseUrl + " answered with status " + status + ", but not as a playtest service. " + advice };
        }
        return new Outcome { Kind = Kind.Refused, Status = status, Message = options.BaseUrl + " refused the request (" + words + "). " + ExplainStatus(status) };
    }

    static string ExplainStatus(int status)
    {
        if (status == 401) return "Check the ingest key.";
        if (status == 403) return "Use an ingest key (pt_ik_...).";
        return status == 404 ? "Check the game, the form and the address." : "";
    }

    /// <summary>The words of the service, shortened because they are for a log.</summary>
    static string DescribeErrorBody(string body)
    {
        var parts = new[] { "error", "message", "reason" }.Select(name => FindString(body, name)).Where(part => part != null);
        var issues = Regex.Match(body ?? "", "\"issues\"\\s*:\\s*\\[.{0,300}", RegexOptions.Singleline).Value;
        var words = string.Join("; ", parts.Concat(new[] { issues }).Where(part => part != "").Distinct().ToArray());
        return words == "" ? "" : ": " + Truncate(words, 500);
    }

    // The client reads only a few top-level fields of small answers, so it needs no JSON parser.
    static string FindString(string json, string name)
    {
        var match = Regex.Match(json ?? "", "\"" + name + "\"\\s*:\\s*\"((?:[^\"\\\\]|\\\\.){0,1000})\"");
        return match.Success ? match.Groups[1].Value.Replace("\\\"", "\"").Replace("\\\\", "\\") : null;
    }

    static bool IsObject(string body) { return body != null && body.TrimStart().StartsWith("{") && body.TrimEnd().EndsWith("}"); }
    static bool HasCount(string body, string name) { return Regex.IsMatch(body, "\"" + name + "\"\\s*:\\s*\\d+\\s*[,}]"); }
    static bool IsReceipt(string body) { return IsObject(body) && HasCount(body, "accepted") && HasCount(body, "duplicates") && HasSession(body); }
    /// <summary>Without a session (null), the service refused all events of the request.</summary>
    static bool HasSession(string body) { return FindString(body, "sessionId") != null || Regex.IsMatch(body, "\"sessionId\"\\s*:\\s*null\\s*[,}]"); }

    static bool IsConfirmation(string body)
    {
        return IsObject(body) && Regex.IsMatch(body, "\"ok\"\\s*:\\s*true\\s*[,}]")
            && (FindString(body, "bugReportId") != null || Regex.IsMatch(body, "\"responseIds\"\\s*:\\s*\\["));
    }

    /// <summary>Whether an answer is an error of the service, whose first field is its message.</summary>
    static bool IsError(string body) { return IsObject(body) && Regex.IsMatch(body, "^\\s*\\{\\s*\"error\"\\s*:\\s*\""); }

    static bool IsFromService(Answer answer)
    {
        return answer.Failure == null && (IsError(answer.Body) || IsObject(answer.Body) && (IsReceipt(answer.Body) || IsConfirmation(answer.Body)));
    }

    /// <summary>Cancels a request if the player opts out before EndRequest.</summary>
    protected void BeginRequest(Action abort) { lock (aborts) aborts.Add(abort); }

    protected void EndRequest(Action abort) { lock (aborts) aborts.Remove(abort); }

    Answer SendBlocking(string method, string path, byte[] body, bool isGzip)
    {
        Action abort = null;
        try
        {
            var request = (HttpWebRequest)WebRequest.Create(UrlOf(path));
            abort = request.Abort;
            BeginRequest(abort);
            // The player may have withdrawn the consent before the request could be cancelled.
            if (!consent) return new Answer { Failure = NoConsent };
            request.Method = method;
            request.Timeout = TimeoutMs;
            request.ReadWriteTimeout = TimeoutMs;
            request.AllowAutoRedirect = false;
            request.ServicePoint.Expect100Continue = false;
            // The default of 2 would let a request that gets no answer delay the events.
            request.ServicePoint.ConnectionLimit = Math.Max(request.ServicePoint.ConnectionLimit, 8);
            foreach (var header in Headers(body != null)) request.Headers[header.Key] = header.Value;
            if (isGzip) request.Headers["Content-Encoding"] = "gzip";
            if (body != null)
            {
                request.ContentType = "application/json";
                request.ContentLength = body.Length;
                using (var stream = request.GetRequestStream()) stream.Write(body, 0, body.Length);
            }
            using (var response = (HttpWebResponse)request.GetResponse()) return ReadAnswer(response);
        }
        catch (WebException error)
        {
            var response = error.Response as HttpWebResponse;
            if (response == null) return new Answer { Failure = error.Message };
            using (response) return ReadAnswer(response);
        }
        catch (Exception error) { return new Answer { Failure = error.Message }; }
        finally { if (abort != null) EndRequest(abort); }
    }

    static Answer ReadAnswer(HttpWebResponse response)
    {
        var answer = new Answer { Status = (int)response.StatusCode, RetryAfter = response.Headers["Retry-After"], Date = response.Headers["Date"] };
        try
        {
            var content = new MemoryStream();
            var buffer = new byte[16384];
            using (var stream = response.GetResponseStream())
            {
                for (var count = stream.Read(buffer, 0, buffer.Length); count > 0; count = stream.Read(buffer, 0, buffer.Length))
                {
                    content.Write(buffer, 0, count);
                    if (content.Length > MaxResponseBytes) return answer;
                }
            }
            answer.Body = utf8.GetString(content.ToArray());
        }
        catch (Exception error) { answer.Failure = error.Message; }
        return answer;
    }

    protected IEnumerable<KeyValuePair<string, string>> Headers(bool hasBody)
    {
        yield return new KeyValuePair<string, string>("Authorization", "Bearer " + options.Key);
        if (!hasBody) yield break;
        yield return new KeyValuePair<string, string>("X-Playtest-SDK", "unity");
        yield return new KeyValuePair<string, string>("X-Playtest-Environment", options.Environment);
    }

    protected string UrlOf(string path) { return options.BaseUrl.TrimEnd('/') + path; }

    Dictionary<string, object> Envelope(string clientSessionId, long startedAt, string environment)
    {
        var body = new Dictionary<string, object>
        {
            { "clientSessionId", clientSessionId }, { "deviceId", FindDeviceId() }, { "source", "unity-telemetry" },
            { "environment", environment }, { "startedAt", startedAt },
            { "sessionMetadata", Build() },
        };
        if (options.GameId != null) body["gameId"] = options.GameId;
        if (options.TesterHandle != null) body["testerHandle"] = options.TesterHandle;
        var tags = Tags();
        if (tags.Count > 0) body["experimentTags"] = tags;
        return body;
    }

    Dictionary<string, object> Build() { return WithoutNulls(ToData("gameVersion", options.GameVersion, "platform", options.Platform)); }

    string FindDeviceId()
    {
        if (!string.IsNullOrEmpty(options.DeviceId)) return options.DeviceId;
        if (!string.IsNullOrEmpty(device)) return device;
        var created = device = "dev_" + RandomId();
        OnDisk(() => WriteSetting("device", created));
        return device;
    }

    void AddDurations(Dictionary<string, object> data)
    {
        var wall = Now() - session.StartedTick;
        var unfocused = session.UnfocusedSec + (session.UnfocusedSince < 0 ? 0 : Now() - session.UnfocusedSince);
        data["wallSec"] = (long)Math.Round(wall);
        data["activeSec"] = (long)Math.Round(wall - unfocused);
        if (dropped > 0) data["droppedEvents"] = dropped;
    }

    string FindOptionsFault()
    {
        if (!Regex.IsMatch(options.BaseUrl ?? "", @"^https?://[^/\s]+\S*$"))
            return "The address \"" + options.BaseUrl + "\" is not a URL. It must begin with http:// or https://.";
        if (!Regex.IsMatch(options.Key ?? "", @"^[\x21-\x7e]+$")) return "The key is empty or contains characters that no key has.";
        if (!Regex.IsMatch(options.Environment ?? "", "^[a-z0-9_-]{1,64}$") || options.Environment == "all")
            return "The environment \"" + options.Environment + "\" is not valid. Use up to 64 of a-z, 0-9, _ and -, but not \"all\".";
        return null;
    }

    string PathTo(string name) { return Path.Combine(folder, name); }
    string ReadSetting(string name) { return File.Exists(PathTo(name)) ? File.ReadAllText(PathTo(name)).Trim() : null; }
    void WriteSetting(string name, string value) { File.WriteAllText(PathTo(name), value); }

    /// <summary>Returns the complete lines. A crash can leave the last line unfinished, and a power loss can leave NUL characters.</summary>
    static List<string> ReadWholeLines(string text)
    {
        var lines = text.Split('\n');
        return lines.Take(lines.Length - 1).Where(line => line.StartsWith("{") && line.EndsWith("}") && line.IndexOf('\0') < 0).ToList();
    }

    static string JoinLines(IEnumerable<string> lines)
    {
        var text = new StringBuilder();
        foreach (var line in lines) text.Append(line).Append('\n');
        return text.ToString();
    }

    /// <summary>Converts pairs of names and values to the data of an event.</summary>
    public static Dictionary<string, object> ToData(params object[] pairs)
    {
        var data = new Dictionary<string, object>();
        for (var index = 0; pairs != null && index + 1 < pairs.Length; index += 2)
        {
            data[Convert.ToString(pairs[index])] = pairs[index + 1];
        }
        return data;
    }

    /// <summary>Leaves out options that are not set.</summary>
    static Dictionary<string, object> WithoutNulls(Dictionary<string, object> data)
    {
        return data.Where(entry => entry.Value != null).ToDictionary(entry => entry.Key, entry => entry.Value);
    }

    static string ToJson(object value)
    {
        var text = new StringBuilder();
        WriteJson(text, value, 0);
        return text.ToString();
    }

    static void WriteJson(StringBuilder text, object value, int depth)
    {
        if (depth > MaxDepth) throw new ArgumentException("The data of an event is nested too deeply, or contains itself.");
        if (value == null) text.Append("null");
        else if (value is string || value is char || value is Enum) WriteString(text, value.ToString());
        else if (value is bool) text.Append((bool)value ? "true" : "false");
        else if (value is float) WriteNumber(text, (float)value, ((float)value).ToString("R", CultureInfo.InvariantCulture));
        else if (value is double) WriteNumber(text, (double)value, ((double)value).ToString("R", CultureInfo.InvariantCulture));
#if UNITY_5_3_OR_NEWER
        else if (value is Vector2) WriteVector(text, ((Vector2)value).x, ((Vector2)value).y, null, depth);
        else if (value is Vector3) WriteVector(text, ((Vector3)value).x, ((Vector3)value).y, ((Vector3)value).z, depth);
        else if (value is Vector2Int) WriteVector(text, ((Vector2Int)value).x, ((Vector2Int)value).y, null, depth);
        else if (value is Vector3Int) WriteVector(text, ((Vector3Int)value).x, ((Vector3Int)value).y, ((Vector3Int)value).z, depth);
#endif
        else if (value is IDictionary) WriteObject(text, (IDictionary)value, depth);
        else if (value is IEnumerable) WriteList(text, (IEnumerable)value, depth);
        else if (value.GetType().IsPrimitive || value is decimal) text.Append(Convert.ToString(value, CultureInfo.InvariantCulture));
        else WriteString(text, Convert.ToString(value, CultureInfo.InvariantCulture));
    }

#if UNITY_5_3_OR_NEWER
    static void WriteVector(StringBuilder text, float x, float y, float? z, int depth)
    {
        var data = ToData("x", x, "y", y);
        if (z.HasValue) data["z"] = z.Value;
        WriteObject(text, data, depth);
    }
#endif

    static void WriteNumber(StringBuilder text, double value, string written) { text.Append(IsFinite(value) ? written : "null"); }

    static void WriteObject(StringBuilder text, IDictionary value, int depth)
    {
        var separator = "{";
        foreach (DictionaryEntry entry in value)
        {
            text.Append(separator);
            WriteString(text, Convert.ToString(entry.Key, CultureInfo.InvariantCulture));
            WriteJson(text.Append(':'), entry.Value, depth + 1);
            separator = ",";
        }
        text.Append(separator == "{" ? "{}" : "}");
    }

    static void WriteList(StringBuilder text, IEnumerable value, int depth)
    {
        var separator = "[";
        foreach (var item in value)
        {
            WriteJson(text.Append(separator), item, depth + 1);
            separator = ",";
        }
        text.Append(separator == "[" ? "[]" : "]");
    }

    static void WriteString(StringBuilder text, string value)
    {
        text.Append('"');
        foreach (var letter in value)
        {
            if (letter == '"' || letter == '\\') text.Append('\\').Append(letter);
            // Half of a surrogate pair cannot be written as UTF-8.
            else if (letter < ' ' || char.IsSurrogate(letter)) text.Append("\\u").Append(((int)letter).ToString("x4", CultureInfo.InvariantCulture));
            else text.Append(letter);
        }
        text.Append('"');
    }

    /// <summary>Reads a JSON object into dictionaries, lists, texts, doubles, bools and nulls. Any other text is an empty object.</summary>
    static Dictionary<string, object> ParseObject(string json)
    {
        try
        {
            var at = 0;
            var value = ParseJson(json ?? "", ref at, 0);
            SkipSpace(json ?? "", ref at);
            return at == json.Length && value is Dictionary<string, object> ? (Dictionary<string, object>)value : new Dictionary<string, object>();
        }
        catch (Exception) { return new Dictionary<string, object>(); }
    }

    static object ParseJson(string json, ref int at, int depth)
    {
        if (depth > MaxDepth) throw new FormatException();
        SkipSpace(json, ref at);
        if (json[at] == '{' || json[at] == '[') return ParseMembers(json, ref at, depth);
        if (json[at] == '"') return ParseString(json, ref at);
        var match = jsonWord.Match(json, at);
        if (!match.Success) throw new FormatException();
        at += match.Length;
        if (match.Value == "null") return null;
        if (match.Value == "true" || match.Value == "false") return match.Value == "true";
        return double.Parse(match.Value, NumberStyles.Float, CultureInfo.InvariantCulture);
    }

    static object ParseMembers(string json, ref int at, int depth)
    {
        var members = json[at] == '{' ? new Dictionary<string, object>() : null;
        var list = members == null ? new List<object>() : null;
        var end = members == null ? ']' : '}';
        at++;
        SkipSpace(json, ref at);
        while (json[at] != end)
        {
            var name = members == null ? null : ParseString(json, ref at);
            SkipSpace(json, ref at);
            if (members != null && json[at++] != ':') throw new FormatException();
            var value = ParseJson(json, ref at, depth + 1);
            if (members == null) list.Add(value);
            else members[name] = value;
            SkipSpace(json, ref at);
            if (json[at] != ',') continue;
            at++;
            SkipSpace(json, ref at);
        }
        at++;
        return members ?? (object)list;
    }

    static string ParseString(string json, ref int at)
    {
        if (json[at++] != '"') throw new FormatException();
        var text = new StringBuilder();
        for (; json[at] != '"'; at++)
        {
            if (json[at] != '\\')
            {
                text.Append(json[at]);
                continue;
            }
            at++;
            var escape = "bfnrt".IndexOf(json[at]);
            if (escape >= 0) text.Append("\b\f\n\r\t"[escape]);
            else if (json[at] != 'u') text.Append(json[at]);
            else
            {
                text.Append((char)int.Parse(json.Substring(at + 1, 4), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture));
                at += 4;
            }
        }
        at++;
        return text.ToString();
    }

    static void SkipSpace(string json, ref int at) { while (at < json.Length && " \t\r\n".IndexOf(json[at]) >= 0) at++; }

    static bool IsFinite(double value) { return !double.IsNaN(value) && !double.IsInfinity(value); }
    static string Truncate(string text, int length) { return text == null || text.Length <= length ? text ?? "" : text.Substring(0, length); }

    static string RandomId()
    {
        var bytes = new byte[12];
        using (var random = RandomNumberGenerator.Create()) random.GetBytes(bytes);
        return BitConverter.ToString(bytes).Replace("-", "").ToLowerInvariant();
    }

    /// <summary>Runs code that must not disturb the game.</summary>
    void Safely(Action work) { Safely(work, true); }

    void Safely(Action work, bool isLocked)
    {
        try
        {
            if (!isLocked) work();
            else lock (gate) work();
        }
        // The program ends the threads of the client when it quits.
        catch (ThreadAbortException) { }
        catch (Exception error) { Report("error", "Telemetry failed: " + error.Message); }
    }

    /// <summary>Reports a message to the developer, but not the same one twice in a row.</summary>
    void Report(string level, string message)
    {
        lock (gate)
        {
            if (message == lastReport) return;
            lastReport = message;
        }
        try { Log(level, message); }
        catch (Exception) { /* A failing log must not disturb the game either. */ }
    }

    protected virtual void Log(string level, string message)
    {
        if (options.Log != null) Dispatch(() => options.Log(level, message));
        else Console.Error.WriteLine("[playtest] " + message);
    }
}

#if UNITY_5_3_OR_NEWER
/// <summary>Connects the client to Unity: focus, frames, and the end of the game.</summary>
public sealed class PlaytestBehaviour : MonoBehaviour
{
    sealed class UnityClient : PlaytestClient
    {
        public PlaytestBehaviour Owner;

        public UnityClient(PlaytestOptions options) : base(options) { }

        protected override void Dispatch(Action callback) { EnqueueCallback(callback); }

        long memory;
        double lastMemory = double.NegativeInfinity;

        public void RunInFrame()
        {
            // The first frame after a pause is as long as the pause.
            if (hadFocus) MeasureFrame(Time.unscaledDeltaTime * 1000.0);
            hadFocus = hasFocus;
            if (Now() - lastMemory >= 0.25)
            {
                lastMemory = Now();
                Interlocked.Exchange(ref memory, UnityEngine.Profiling.Profiler.GetTotalAllocatedMemoryLong());
            }
            RunCallbacks();
        }

        bool hasFocus = true;
        bool hadFocus;

        public void ChangeFocus(bool isFocused)
        {
            hasFocus = isFocused;
            hadFocus = false;
            Focus(isFocused);
        }

        // The memory is read by the main thread.
        protected override long MemoryBytes() { return Interlocked.Read(ref memory); }

        protected override void Log(string level, string message)
        {
            if (options.Log != null) base.Log(level, message);
            else if (level == "info") UnityEngine.Debug.Log("[playtest] " + message);
            else UnityEngine.Debug.LogWarning("[playtest] " + message);
        }

#if UNITY_WEBGL && !UNITY_EDITOR
        // A web page has no threads and no HttpWebRequest.
        protected override bool UsesThread { get { return false; } }

        protected override void Send(string method, string path, byte[] body, bool isGzip, Action<Answer> done)
        {
            if (Owner != null) Owner.StartCoroutine(SendInFrames(method, path, body, isGzip, done));
            else done(new Answer { Failure = "the game is closing" });
        }

        // The files of a web page are in memory, until this function of Unity's own library copies them to IndexedDB.
        [System.Runtime.InteropServices.DllImport("__Internal")]
        static extern void JS_FileSystem_Sync();

        double syncedAt;

        public void SyncFiles()
        {
            if (!hasNewFiles || Now() - syncedAt < 1) return;
            syncedAt = Now();
            hasNewFiles = false;
            JS_FileSystem_Sync();
        }

        IEnumerator SendInFrames(string method, string path, byte[] body, bool isGzip, Action<Answer> done)
        {
            using (var request = new UnityWebRequest(UrlOf(path), method))
            {
                if (body != null)
                {
                    request.uploadHandler = new UploadHandlerRaw(body);
                    request.SetRequestHeader("Content-Type", "application/json");
                }
                request.downloadHandler = new DownloadHandlerBuffer();
                if (isGzip) request.SetRequestHeader("Content-Encoding", "gzip");
                // The body has the environment and the source too. Further headers would have to be allowed by the service.
                foreach (var header in Headers(body != null)) if (!header.Key.StartsWith("X-")) request.SetRequestHeader(header.Key, header.Value);
                request.timeout = 20;
                request.redirectLimit = 0;
                Action abort = request.Abort;
                BeginRequest(abort);
                yield return request.SendWebRequest();
                EndRequest(abort);
                var answer = new Answer { Status = (int)request.responseCode };
                if (request.responseCode == 0) answer.Failure = request.error ?? "no answer";
                else
                {
                    answer.RetryAfter = request.GetResponseHeader("Retry-After");
                    answer.Date = request.GetResponseHeader("Date");
                    if (request.downloadedBytes <= 1024 * 1024) answer.Body = request.downloadHandler.text;
                }
                done(answer);
            }
        }
#endif
    }

    UnityClient client;

    internal static PlaytestClient Create(PlaytestOptions options)
    {
        options = options ?? new PlaytestOptions();
        // Unity's own values may only be read on the main thread, so they are read here.
        if (options.Folder == null) options.Folder = Path.Combine(Application.persistentDataPath, "playtest");
        if (options.GameVersion == null && Application.version != "") options.GameVersion = Application.version;
        if (options.Platform == null) options.Platform = Application.platform.ToString();
        var holder = new GameObject("Playtest");
        DontDestroyOnLoad(holder);
        var behaviour = holder.AddComponent<PlaytestBehaviour>();
        behaviour.client = new UnityClient(options) { Owner = behaviour };
        return behaviour.client;
    }

    void Update()
    {
        if (client == null) return;
#if UNITY_WEBGL && !UNITY_EDITOR
        client.Step();
        client.SyncFiles();
#endif
        client.RunInFrame();
    }

    void OnApplicationFocus(bool hasFocus) { if (client != null) client.ChangeFocus(hasFocus); }

    void OnApplicationPause(bool isPaused)
    {
        if (client == null) return;
        client.ChangeFocus(!isPaused);
        // A phone may end a paused game without further notice.
        if (isPaused) client.Flush();
    }

    void OnApplicationQuit()
    {
        if (client != null) client.Close(1000);
        Playtest.Reset();
    }
}
#endif
