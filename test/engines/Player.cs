// Plays a scenario of test/clients/client-suite.ts with the C# client.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Threading;

/// <summary>A client whose clock runs faster, so that a heartbeat does not take half a minute.</summary>
sealed class FastClient : PlaytestClient
{
    public static double Speed = 1;
    static readonly System.Diagnostics.Stopwatch watch = System.Diagnostics.Stopwatch.StartNew();
    public FastClient(PlaytestOptions options) : base(options) { }
    /// <summary>How far the clock of the device is wrong.</summary>
    public static long ShiftMs;
    /// <summary>Time that passed at once.</summary>
    public static double SkippedSec;
    protected override double Now() { return watch.Elapsed.TotalSeconds * Speed + SkippedSec; }
    protected override long UnixMs() { return base.UnixMs() + ShiftMs; }
}

static class Player
{
    const string HardText = "Grüße \"quoted\" \\ back\nline\ttab 🎮";
    static FastClient playtest;
    static readonly ManualResetEvent answered = new ManualResetEvent(false);

    static void Print(PlaytestResult result)
    {
        Console.WriteLine("result: {\"ok\":" + (result.Ok ? "true" : "false") + ",\"queued\":" + (result.Queued ? "true" : "false")
            + ",\"message\":\"" + result.Message.Replace("\"", "'") + "\",\"handle\":" + (result.Handle == null ? "null" : "\"" + result.Handle + "\"") + "}");
        answered.Set();
    }

    static void WaitUntilSent()
    {
        for (var tries = 0; tries < 40 && playtest.QueuedBytes > 0 && playtest.Stopped == null; tries++) Thread.Sleep(250);
    }

    static void TrackStep(int index) { playtest.Track("step", PlaytestClient.ToData("index", index, "room", "dock", "health", 0.5)); }

    static double MeasureUs(int count, Action<int> call)
    {
        var watch = System.Diagnostics.Stopwatch.StartNew();
        for (var index = 0; index < count; index++) call(index);
        return watch.Elapsed.TotalMilliseconds * 1000 / count;
    }

    /// <summary>How much longer than the median 95 of 100 frames take, each of which tracks 100 events.</summary>
    static double MeasureFrameMs()
    {
        var frames = new List<double>();
        for (var frame = 0; frame < 100; frame++)
        {
            frames.Add(MeasureUs(100, TrackStep) * 100 / 1000);
            Thread.Sleep(16);
        }
        frames.Sort();
        return frames[95] - frames[50];
    }

    /// <summary>The bytes that skipped positions allocate. A position is skipped if it follows another one.</summary>
    static long MeasureSkippedBytes()
    {
        for (var call = 0; call < 100; call++) playtest.Position(1, 2, "dock", "ann");
        // Without time, all further ones are skipped.
        FastClient.Speed = 0;
        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var call = 0; call < 1000; call++) playtest.Position(1, 2, "dock", "ann");
        for (var call = 0; call < 1000; call++) playtest.Frame(16);
        var bytes = GC.GetAllocatedBytesForCurrentThread() - before;
        FastClient.Speed = 1;
        return bytes;
    }

    /// <summary>Prints what calls cost, for bench/clients.ts.</summary>
    static void MeasureCost()
    {
        playtest.Start();
        Thread.Sleep(1500);
        MeasureUs(1000, TrackStep);
        var trackUs = MeasureUs(1000, TrackStep);
        Thread.Sleep(2000);
        playtest.Position(1, 2, "dock");
        var positionUs = MeasureUs(10000, index => playtest.Position(1, 2, "dock"));
        Console.WriteLine(string.Format(System.Globalization.CultureInfo.InvariantCulture,
            "cost: {{\"trackUs\":{0},\"positionUs\":{1},\"frameMs\":{2},\"positionBytes\":{3}}}",
            trackUs, positionUs, MeasureFrameMs(), MeasureSkippedBytes() / 1000.0));
        playtest.End();
        WaitUntilSent();
    }

    static void WaitUntilReady()
    {
        var ready = new ManualResetEvent(false);
        playtest.WhenReady(() => ready.Set());
        ready.WaitOne(20000);
    }

    static void WaitForAnswer()
    {
        answered.WaitOne(20000);
        answered.Reset();
    }

    static int Main(string[] args)
    {
        Console.OutputEncoding = System.Text.Encoding.UTF8;
        var form = args[4];
        FastClient.Speed = args[0] == "session" ? 100 : 1;
        playtest = new FastClient(new PlaytestOptions
        {
            BaseUrl = args[1], Key = args[2], Folder = args[3], GameId = string.IsNullOrEmpty(Environment.GetEnvironmentVariable("NO_GAME")) ? "maze" : null, GameVersion = "0.9.0", Platform = "test",
            Environment = "playtest", HeartbeatSec = 30, MaxQueueBytes = args[0] == "full" ? 600000 : 16000000,
            Consent = string.IsNullOrEmpty(Environment.GetEnvironmentVariable("ASK_FIRST")),
        });
        switch (args[0])
        {
            case "session":
                playtest.Start();
                playtest.Track("player_death", PlaytestClient.ToData("room", "dock", "text", HardText));
                playtest.Track("player_death", PlaytestClient.ToData("room", "dock", "count", 2, "ratio", 0.5f, "ok", true, "none", null,
                    "list", new object[] { 1, "a" }));
                for (var frame = 0; frame < 100; frame++) playtest.Position(1.5, -2, frame < 50 ? "dock" : "pier");
                playtest.Position(double.NaN, 0, "dock");
                playtest.Focus(false);
                playtest.Focus(false);
                Thread.Sleep(100);
                playtest.Focus(true);
                Thread.Sleep(600);
                playtest.End(new Hashtable { { "score", 7 } });
                WaitUntilSent();
                break;
            case "crash":
                playtest.Start();
                for (var index = 0; index < 100; index++) playtest.Track("step", PlaytestClient.ToData("index", index));
                Thread.Sleep(1000);
                Console.WriteLine("recorded");
                Thread.Sleep(60000);
                break;
            case "opt-out":
                playtest.Start();
                playtest.Track("step");
                playtest.SetConsent(false);
                playtest.Track("step");
                playtest.Start();
                playtest.Track("step");
                playtest.SendTestEvent(Print);
                playtest.BugReport("Stuck", "In the dock", "high", Print);
                playtest.End();
                Thread.Sleep(1000);
                break;
            case "agree":
                playtest.SetConsent(true);
                playtest.Start();
                playtest.Track("step");
                playtest.End();
                WaitUntilSent();
                break;
            case "change-mind":
                playtest.SetConsent(false);
                playtest.SetConsent(true);
                playtest.Start();
                playtest.End();
                WaitUntilSent();
                break;
            case "withdraw":
                playtest.Start();
                playtest.Flush();
                playtest.SendTestEvent(Print);
                Thread.Sleep(3000);
                playtest.SetConsent(false);
                Console.WriteLine("withdrawn");
                Thread.Sleep(60000);
                break;
            case "relent":
                playtest.LinkTester(form, Print);
                Thread.Sleep(1000);
                playtest.SetConsent(false);
                playtest.SetConsent(true);
                WaitForAnswer();
                break;
            case "burst":
                playtest.Start();
                for (var index = 0; index < 4500; index++) playtest.Track("step", PlaytestClient.ToData("index", index, "text", new string('x', 300)));
                playtest.Track("huge", PlaytestClient.ToData("text", new string('x', 300000)));
                playtest.End();
                WaitUntilSent();
                break;
            case "full":
                playtest.Start();
                for (var index = 0; index < 4500; index++) playtest.Track("step", PlaytestClient.ToData("index", index, "text", new string('x', 300)));
                // Waits for the files, however slow the machine is.
                playtest.Close(60000);
                Console.WriteLine("dropped: " + playtest.DroppedEvents);
                break;
            case "feedback":
                playtest.Start();
                playtest.Feedback(form, new Dictionary<string, object> { { "fun", 4 }, { "again", true } }, Print);
                answered.WaitOne(20000);
                playtest.End();
                WaitUntilSent();
                break;
            case "bug":
                playtest.Start();
                playtest.BugReport("Stuck in the dock", HardText, "high", Print);
                answered.WaitOne(20000);
                break;
            case "flush":
                playtest.Flush();
                WaitUntilSent();
                break;
            case "resume":
                playtest.Start();
                playtest.Track("step");
                playtest.Flush();
                WaitUntilSent();
                Console.WriteLine("stopped: " + playtest.Stopped);
                playtest.Track("step");
                playtest.BugReport("Stuck", "In the dock", "high", Print);
                answered.WaitOne(20000);
                playtest.End();
                playtest.Start();
                playtest.Track("step");
                playtest.End();
                WaitUntilSent();
                break;
            case "clock":
                FastClient.ShiftMs = 7200000;
                playtest.Start();
                playtest.Track("step");
                playtest.Flush();
                Thread.Sleep(1500);
                playtest.SendTestEvent(Print);
                answered.WaitOne(20000);
                FastClient.ShiftMs = 0;
                playtest.Track("step");
                Thread.Sleep(1500);
                playtest.End();
                WaitUntilSent();
                break;
            case "hidden":
                playtest.Start();
                playtest.Focus(false);
                // Only this time passes faster, so that a slow machine does not count as active time.
                FastClient.SkippedSec = 100;
                Thread.Sleep(1000);
                playtest.Focus(true);
                playtest.End();
                WaitUntilSent();
                break;
            case "misuse":
                playtest.Track("early");
                playtest.Track("early");
                playtest.Start();
                var data = new Hashtable();
                data["left"] = data;
                data["right"] = data;
                playtest.Track("loop", data);
                playtest.Track("step");
                playtest.End();
                playtest.Track("late");
                WaitUntilSent();
                break;
            case "config":
                playtest.Start();
                playtest.Track("noise");
                playtest.Track("s0");
                WaitUntilReady();
                playtest.Track("noise");
                for (var index = 0; index < 40; index++) playtest.Track("s" + index / 2);
                playtest.End();
                WaitUntilSent();
                break;
            case "variants":
                playtest.Start();
                playtest.Flush();
                WaitUntilSent();
                WaitUntilReady();
                Console.WriteLine("variant: " + playtest.Variant(form));
                Console.WriteLine("speed: " + playtest.VariantValues(form)["speed"]);
                Console.WriteLine("unknown: " + (playtest.Variant("exp_unknown") ?? "none"));
                playtest.End();
                WaitUntilSent();
                break;
            case "tester":
                playtest.GetCurrentTester(Print);
                WaitForAnswer();
                playtest.LinkTester(form, Print);
                WaitForAnswer();
                playtest.GetCurrentTester(Print);
                WaitForAnswer();
                playtest.UnlinkTester(null, Print);
                WaitForAnswer();
                playtest.GetCurrentTester(Print);
                WaitForAnswer();
                break;
            case "device":
                Console.WriteLine("created: " + playtest.DeviceId);
                playtest.Start();
                playtest.SetDeviceId("mira-pc");
                Console.WriteLine("set: " + playtest.DeviceId);
                playtest.SetDeviceId("");
                playtest.End();
                WaitUntilSent();
                break;
            case "coop":
                playtest.Start();
                for (var frame = 0; frame < 50; frame++)
                {
                    playtest.Position(1.5, -2, "dock", "ann");
                    playtest.Position(3, 4, 5.5, "pier", "ben");
                    playtest.Position(6, 7, "dock");
                    playtest.Position(8, 9, 10, "loft", "");
                }
                playtest.Position(1, 2, double.NaN, "pier", "ann");
                for (var index = 0; index < 100; index++) playtest.Position(0, 0, "crowd", "p" + index);
                playtest.End();
                WaitUntilSent();
                break;
            case "frames":
                playtest.Start();
                playtest.Position(1, 2, "a room with a long name!");
                playtest.Frame(5);
                for (var index = 0; index < 3600; index++) playtest.Frame(16.7);
                playtest.Frame(250);
                playtest.Frame(251);
                playtest.Frame(double.NaN);
                playtest.Frame(-1);
                Thread.Sleep(400);
                playtest.Position(1, 2, "pier", "ben");
                playtest.Position(1, 2, "pier");
                playtest.Loaded(1234.4);
                playtest.Frame(20);
                playtest.Position(1, 2, "loft");
                playtest.Frame(20);
                playtest.End();
                WaitUntilSent();
                break;
            case "automatic":
                playtest.Start();
                Thread.Sleep(1000);
                playtest.End();
                WaitUntilSent();
                break;
            case "pause":
                playtest.Start();
                playtest.Focus(false);
                Thread.Sleep(1000);
                playtest.Focus(true);
                playtest.End();
                WaitUntilSent();
                break;
            case "quit":
                playtest.Start();
                playtest.Track("step");
                Thread.Sleep(300);
                break;
            case "allocations":
                playtest.Start();
                Console.WriteLine("allocated: " + MeasureSkippedBytes());
                break;
            case "cost":
                MeasureCost();
                break;
            case "test-event":
                playtest.SendTestEvent(Print);
                answered.WaitOne(30000);
                break;
        }
        playtest.Close();
        return 0;
    }
}
