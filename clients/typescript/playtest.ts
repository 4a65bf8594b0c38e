/**
 * Sends playtest telemetry from browsers and Node. Copy this file into your game; it has no dependencies.
 *
 *   const playtest = new Playtest({ baseUrl: "http://127.0.0.1:4400", key: "pt_ik_...", gameVersion: "0.9.0" });
 *   playtest.start();
 *   playtest.track("player_death", { room: "dock" });
 *   playtest.position(player.x, player.y, "dock");   // in every frame; 2 positions per second are recorded
 *   await playtest.end();
 *
 * Telemetry never disturbs the game: no method throws, nothing blocks, and memory and disk use are bounded. Events are
 * queued in localStorage or in files, so that they survive a crash and time without a connection. docs/guide/send-telemetry.md
 * describes what all clients have in common, and clients/README.md specifies it.
 */

export interface PlaytestOptions {
  /** Address of the service, such as http://127.0.0.1:4400. */
  baseUrl: string;
  /** Ingest key (`pt_ik_...`). Never put a management key into a game. */
  key: string;
  /** Id or slug of the game. Required unless the key is limited to one game. */
  gameId?: string;
  gameVersion?: string;
  platform?: string;
  /** Environment slug (default: production). */
  environment?: string;
  /** Anonymous id of the device (default: a random id, which is stored). `setDeviceId` replaces it. */
  deviceId?: string;
  testerHandle?: string;
  experimentTags?: Record<string, string>;
  /** Seconds between heartbeats (default: 60; at least 30). */
  heartbeatSec?: number;
  /** Recorded positions per second (default: 2; at most 10). */
  positionsPerSec?: number;
  /** Seconds between requests (default: 10; at least 1). The first one of a session follows after 1 s. */
  flushSec?: number;
  /** Limit of the queue in bytes (default: 2 MiB in browsers, otherwise 16 MiB). Above it, the oldest batches are dropped. */
  maxQueueBytes?: number;
  /** What applies until the player chooses (default: true). False asks first: nothing is sent before setConsent(true). */
  consent?: boolean;
  /** Folder of the queue in Node (default: .playtest-queue/<game> in the home folder). */
  folder?: string;
  /** Receives messages for developers (default: the console). */
  log?: (level: LogLevel, message: string) => void;
}

export type LogLevel = "info" | "warn" | "error";
export type Severity = "low" | "medium" | "high" | "critical";

/** What happened to a feedback, a bug report or a test event, in words for developers. */
export interface PlaytestResult {
  ok: boolean;
  /** True if there was no connection, so that it is sent later. */
  queued: boolean;
  message: string;
}

/** The result of a call that concerns the tester of this device. */
export interface TesterResult extends PlaytestResult {
  /** The tester that this device is linked to; null if it is not linked, or if the call failed. */
  handle: string | null;
}

export type VariantValues = Record<string, string | number | boolean>;

export interface PlaytestStatus {
  /** Bytes that wait to be sent. */
  queuedBytes: number;
  /** Events that were dropped because the queue was full, or because they were too large or not JSON. */
  droppedEvents: number;
  /** Why nothing is sent until the next `start()`, in the words of the service; null if the client sends. */
  stopped: string | null;
}

// The service accepts 2,000 events and 1 MiB. Half of it leaves space for what proxies and encodings add.
const MAX_EVENTS = 2000;
const MAX_BATCH_BYTES = 512 * 1024;
/** A browser rewrites its current batch at each save, so a batch is smaller there. */
const MAX_BROWSER_BATCH_BYTES = 48 * 1024;
const MAX_EVENT_BYTES = 256 * 1024;
const MAX_RESPONSE_BYTES = 1024 * 1024;
/** What a closing page still sends. Browsers allow 64 KiB for all its requests together. */
const MAX_KEEPALIVE_BYTES = 60 * 1024;
/** What a request has in addition to its lines: the names of its fields, and `clockOffsetMs`. */
const ENVELOPE_BYTES = 80;
const MIN_GZIP_BYTES = 1024;
const FIRST_FLUSH_MS = 1000;
/** The `Date` of an answer has whole seconds, and a slow answer says little about the time. */
const MIN_CLOCK_OFFSET_MS = 2000;
const TICK_MS = 250;
/** After as many bytes, a page waits for another frame. So it writes at most these and one batch in a frame. */
const MAX_SLICE_BYTES = 16 * 1024;
const SLICE_MS = 50;
const TIMEOUT_MS = 20_000;
const END_TIMEOUT_MS = 5_000;
const MAX_BACKOFF_MS = 60_000;
const MAX_RETRY_AFTER_MS = 600_000;
/** After as many failures that may be due to the content of an item, the next one is tried. */
const MAX_ITEM_FAILURES = 3;
const MAX_QUEUE_AGE_MS = 7 * 24 * 3_600_000;
const END_LINE = '{"sessionEnded":true}';
const OPEN = ".open";
const QUEUE_NAME = /^\d{14}-\w+-\d{8}\.(events|feedback|bug)(\.open)?$/;
/** What belongs to the player besides the queue. */
const PLAYER_FILES = ["device", "config", "tester"];
/** The actors of a session whose positions are recorded. */
const MAX_ACTORS = 64;
/** The upper bounds of the buckets of frame times, ms. The last bucket has none. */
const FRAME_BOUNDS = [4, 6, 8, 10, 12, 14, 17, 20, 25, 34, 42, 50, 67, 100, 250];
const MAX_LOAD_MS = 10_000_000;
/** A load time that is reported directly before the position in the new room belongs to that room. */
const LOAD_TO_ROOM_MS = 1000;
/** The decisions about sampled events that a session remembers. */
const MAX_SAMPLED_NAMES = 10_000;
const NO_CONSENT = "Nothing was sent, because the player has not agreed.";

/** One request that waits in the queue: a batch of events, a feedback or a bug report. */
interface Item {
  name: string;
  /** Its session, if it is one of this run. */
  session: Session | null;
  size: number;
  /** The number of events, estimated for the files of earlier runs. */
  events: number;
  /** The content, until it is on disk. */
  lines: readonly string[] | null;
  /** Whether the service refused it. It is sent again after the next `start()`. */
  isRefused: boolean;
}

/** The batch that is being filled. */
interface Batch {
  name: string;
  session: Session;
  lines: string[];
  /** How many lines are on disk. Zero after a failure, because the file may then end anywhere. */
  saved: number;
  bytes: number;
}

interface Session {
  id: string;
  startedAt: number;
  /** Monotonic time of the start, ms. */
  startedTick: number;
  envelope: Record<string, unknown>;
  /** The body of its requests without events: the envelope as JSON. */
  header: string;
  isClockKnown: boolean;
  /** Whether it records an event, by name. The first event of a name decides. */
  sampled: Map<string, boolean>;
  nextEvent: number;
  lastHeartbeat: number;
  actors: Map<string, Actor>;
  performance: Performance;
  unfocusedSince: number | null;
  unfocusedMs: number;
}

/** A player of the device. */
interface Actor {
  lastPosition: number;
  lastRoom: string;
}

/** The frames since the last `performance` event. */
interface Performance {
  /** The room of the first actor. */
  room: string;
  firstActor: string | null;
  buckets: number[];
  frames: number;
  memoryMb: number;
  loadMs: number | null;
  loadedAt: number;
  /** When the page drew its last frame; null if the focus changed since then. */
  lastFrame: number | null;
}

/** What the service sets for this game and device. */
interface Config {
  /** The device that the variants belong to. */
  deviceId: string;
  events: Record<string, { sdkIgnore?: unknown; sampleRate?: unknown } | undefined>;
  variants: Record<string, unknown>;
  values: Record<string, VariantValues | undefined>;
}

/** A JSON object of the service, whatever it contains. */
type Answer = Record<string, unknown>;

/** What a page that may close sends in one request. */
interface LastRequest {
  newest: Item;
  lines: string[];
  /** The items that it contains completely, and one of which it contains only the newest lines. */
  items: Item[];
  partial: Item | null;
}

type Method = "GET" | "POST" | "DELETE";
type Outcome =
  | { kind: "stored"; answer: Record<string, unknown> }
  | { kind: "retry"; message: string; afterMs: number | null; mayConcernItem?: boolean }
  | { kind: "refused"; status: number; message: string };

/** Where the queue is stored. The synchronous methods are for the constructor and for choices, which must not get lost. */
interface Store {
  /** Whether `save` only writes the lines that are not in the file yet. */
  readonly appends: boolean;
  /** Resolves when the next write takes no time from a frame. */
  ready(): Promise<void>;
  /** Whether all writes are ready at once, because the page may close. */
  hurry(isHurried: boolean): void;
  list(): { name: string; size: number }[];
  get(name: string): string | null;
  put(name: string, text: string): void;
  read(name: string): Promise<string | null>;
  /** Writes lines, of which the first ones may be in the file already. */
  save(name: string, lines: readonly string[], saved: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
}

export class Playtest {
  readonly #options: PlaytestOptions;
  readonly #store: Store;
  readonly #maxBatchBytes: number;
  readonly #maxQueueBytes: number;
  readonly #listeners = new Map<string, (result: PlaytestResult) => void>();
  readonly #sessionIds = new Map<string, string>();
  /** The variants that the game has seen in this run. */
  readonly #shown = new Map<string, { variant: string; values: VariantValues }>();
  #config: Config = { deviceId: "", events: {}, variants: {}, values: {} };
  #reading: Promise<void> = Promise.resolve();
  #gameId: string | null = null;
  #countsOwnFrames = false;
  #consent = false;
  #device: string | null = null;
  #stopped: string | null = null;
  #session: Session | null = null;
  #lastSession: Session | null = null;
  #batch: Batch | null = null;
  #items: Item[] = [];
  #nextItem = 1;
  #dropped = 0;
  #disk: Promise<void> = Promise.resolve();
  #diskEpoch = 0;
  #sending: Promise<void> | null = null;
  readonly #requests = new Set<AbortController>();
  #inFlight: Item | null = null;
  /** The items that were sent because the page may close, with their bytes, until there is an answer. */
  readonly #leaving = new Map<Item, number>();
  #hasWarnedOfNoSession = false;
  #failures = 0;
  #retryAt = 0;
  /** The name of the item whose content may be why requests fail, and the number of these failures in a row. */
  #suspect = { name: "", failures: 0 };
  #flushAt = 0;
  #lastReport = "";

  constructor(options: PlaytestOptions) {
    this.#options = { ...options, ...readEnvironment() };
    this.#store = openStore(this.#options);
    const isBrowser = !(this.#store instanceof FileStore);
    this.#maxBatchBytes = isBrowser ? MAX_BROWSER_BATCH_BYTES : MAX_BATCH_BYTES;
    this.#maxQueueBytes = this.#options.maxQueueBytes ?? (isBrowser ? 2 : 16) * 1024 * 1024;
    this.#safely(() => {
      this.#stopped = findOptionsFault(this.#options);
      if (this.#stopped) this.#report("error", this.#stopped);
      if ((this.#options.heartbeatSec ?? 60) < 30) this.#report("warn", "heartbeatSec was raised to 30.");
      const choice = this.#store.get("consent");
      this.#consent = choice === "yes" || (choice !== "no" && (this.#options.consent ?? true));
      // The program may have ended before everything was deleted.
      if (choice === "no") this.#withdraw();
      else {
        this.#device = this.#store.get("device");
        this.#config = readConfig(this.#store.get("config"));
        this.#adoptQueue();
      }
      const timer: unknown = setInterval(() => this.#tick(), TICK_MS);
      // In Node, the timer must not keep the program running.
      (timer as { unref?: () => void }).unref?.();
      if (isBrowser) this.#watchPage();
    });
  }

  /** Starts a session. A running session ends first. If the client stopped, it tries again. */
  start(): void {
    this.#safely(() => {
      this.#stopped = findOptionsFault(this.#options);
      if (!this.#consent || this.#stopped) return;
      for (const item of this.#items) item.isRefused = false;
      if (this.#session) void this.end();
      const now = monotonic();
      const id = randomId();
      const startedAt = Date.now();
      const envelope = this.#envelope(id, startedAt);
      this.#session = {
        id,
        startedAt,
        startedTick: now,
        envelope,
        header: JSON.stringify(envelope),
        isClockKnown: false,
        sampled: new Map(),
        nextEvent: 1,
        lastHeartbeat: now,
        actors: new Map(),
        performance: {
          room: "",
          firstActor: null,
          buckets: FRAME_BOUNDS.map(() => 0).concat(0),
          frames: 0,
          memoryMb: 0,
          loadMs: null,
          loadedAt: Number.NEGATIVE_INFINITY,
          lastFrame: null,
        },
        unfocusedSince: null,
        unfocusedMs: 0,
      };
      this.#lastSession = this.#session;
      this.#flushAt = now + FIRST_FLUSH_MS;
      const { gameVersion, platform = detectPlatform() } = this.#options;
      this.track("session_start", { gameVersion, platform });
      if ((globalThis as unknown as BrowserGlobals).document?.visibilityState === "hidden") this.focus(false);
      this.#measureFrames(this.#session);
      this.#reading = this.#readConfig().catch((error) => this.#report("error", String(error)));
    });
  }

  /** Resolves when the event config and the variants of this session were read, or could not be read. */
  async whenReady(): Promise<void> {
    await this.#reading;
  }

  /** Records an event. `data` is copied at once. */
  track(name: string, data?: Record<string, unknown>): void {
    this.#safely(() => {
      const session = this.#session;
      if (!session) return this.#warnOfNoSession(name);
      if (!this.#isRecorded(session, name)) return;
      // The clock of the device may change in play, so the time is the start and a clock that never changes.
      const timestamp = session.startedAt + Math.round(monotonic() - session.startedTick);
      let line: string;
      try {
        line = JSON.stringify({ id: String(session.nextEvent), name, timestamp, data });
      } catch (error) {
        return this.#drop(name, `its data cannot be written as JSON: ${error}`);
      }
      if (byteLength(line) > MAX_EVENT_BYTES) return this.#drop(name, "it is larger than 256 KiB.");
      session.nextEvent += 1;
      this.#append(session, line);
    });
  }

  /** Whether the event config lets the session record an event. The first event of a name decides for its session. */
  #isRecorded(session: Session, name: string): boolean {
    const settings = Object.hasOwn(this.#config.events, name) ? this.#config.events[name] : undefined;
    if (settings?.sdkIgnore === true) return false;
    const known = session.sampled.get(name);
    if (known !== undefined) return known;
    const rate = settings?.sampleRate;
    const isSampled = typeof rate !== "number" || hash(`${session.id}/${name}`) < rate;
    if (session.sampled.size < MAX_SAMPLED_NAMES) session.sampled.set(name, isSampled);
    return isSampled;
  }

  #drop(name: string, reason: string): void {
    this.#dropped += 1;
    this.#report("error", `Event "${name}" was dropped because ${reason}`);
  }

  #warnOfNoSession(name: string): void {
    if (this.#hasWarnedOfNoSession || !this.#consent || this.#stopped) return;
    this.#hasWarnedOfNoSession = true;
    this.#report(
      "warn",
      `Event "${name}" was not recorded because no session is running. Call start() first.`,
    );
  }

  /**
   * Records where the player is. Call it in every frame: only `positionsPerSec` are recorded for each `player`, and changes of
   * the room. Name the `player` if several play on this device, and set `z` in a 3D game. By default, heatmaps draw y downwards,
   * as a canvas does.
   */
  position(x: number, y: number, room: string, player?: string | null, z?: number): void {
    this.#safely(() => {
      const session = this.#session;
      if (!session) return;
      if (!Number.isFinite(x) || !Number.isFinite(y) || !room || !(z === undefined || Number.isFinite(z))) {
        this.#report("warn", `A position was ignored: x ${x}, y ${y}, z ${z}, room "${room}".`);
        return;
      }
      const actor = this.#findActor(session, player ?? "");
      const interval = 1000 / Math.min(this.#options.positionsPerSec ?? 2, 10);
      const now = monotonic();
      if (!actor || (room === actor.lastRoom && now - actor.lastPosition < interval)) return;
      actor.lastRoom = room;
      actor.lastPosition = now;
      this.#enterRoom(session, player ?? "", room);
      this.track("player_pos", { x, y, z, room, player: player || undefined });
    });
  }

  #findActor({ actors }: Session, player: string): Actor | undefined {
    const known = actors.get(player);
    if (known) return known;
    if (actors.size >= MAX_ACTORS) {
      this.#report(
        "warn",
        `Positions of player "${player}" are ignored: a session has at most ${MAX_ACTORS}.`,
      );
      return undefined;
    }
    const actor = { lastPosition: Number.NEGATIVE_INFINITY, lastRoom: "" };
    actors.set(player, actor);
    return actor;
  }

  /** Reports the performance in the room that the first actor leaves. */
  #enterRoom(session: Session, player: string, room: string): void {
    const { performance } = session;
    performance.firstActor ??= player;
    if (player !== performance.firstActor || room === performance.room) return;
    if (monotonic() - performance.loadedAt >= LOAD_TO_ROOM_MS) this.#reportFrames(session);
    performance.loadedAt = Number.NEGATIVE_INFINITY;
    performance.room = room;
  }

  /**
   * Counts a frame of a game that has a loop of its own. From the first call on, the client no longer measures the frames of the
   * page.
   */
  frame(ms: number): void {
    this.#countsOwnFrames = true;
    this.#addFrame(ms);
  }

  /** Reports how long it took to load the room that the player is in, or enters now, in ms. */
  loaded(ms: number): void {
    this.#safely(() => {
      const session = this.#session;
      if (!session || !(ms >= 0 && ms <= MAX_LOAD_MS)) return;
      this.#reportFrames(session);
      session.performance.loadMs = Math.round(ms);
      session.performance.loadedAt = monotonic();
    });
  }

  #addFrame(ms: number): void {
    const session = this.#session;
    if (!session || session.unfocusedSince !== null || !(ms >= 0)) return;
    const { performance } = session;
    let bucket = 0;
    while (ms > (FRAME_BOUNDS[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1;
    performance.buckets[bucket] = (performance.buckets[bucket] ?? 0) + 1;
    performance.frames += 1;
  }

  /** Measures the frames of a visible page while the session runs. */
  #measureFrames(session: Session): void {
    const { requestAnimationFrame, document } = globalThis as unknown as BrowserGlobals;
    if (!requestAnimationFrame || !document) return;
    const { performance } = session;
    const measure = (time: number) => {
      if (session !== this.#session || this.#countsOwnFrames) return;
      if (performance.lastFrame !== null) this.#addFrame(time - performance.lastFrame);
      // Without the focus, browsers draw rarely or never.
      performance.lastFrame = session.unfocusedSince === null ? time : null;
      requestAnimationFrame(measure);
    };
    requestAnimationFrame(measure);
  }

  /** Records the frames since the last report, if there are any. */
  #reportFrames(session: Session): void {
    const { performance } = session;
    if (performance.frames === 0) return;
    const { room, buckets, memoryMb, loadMs } = performance;
    const frames = buckets.slice(0, buckets.findLastIndex((count) => count > 0) + 1);
    buckets.fill(0);
    this.track("performance", {
      room: room || undefined,
      frames,
      memoryMb: memoryMb || undefined,
      loadMs: loadMs ?? undefined,
    });
    Object.assign(performance, { frames: 0, memoryMb: 0, loadMs: null });
  }

  /**
   * Reports that the game lost or gained the focus. Without it, time is not active and no heartbeats are recorded. In browsers,
   * the client calls it on its own.
   */
  focus(hasFocus: boolean): void {
    this.#safely(() => {
      const session = this.#session;
      if (!session || hasFocus === (session.unfocusedSince === null)) return;
      session.performance.lastFrame = null;
      if (session.unfocusedSince === null) {
        session.unfocusedSince = monotonic();
        this.track("focus_lost");
      } else {
        session.unfocusedMs += monotonic() - session.unfocusedSince;
        session.unfocusedSince = null;
        this.track("focus_gained");
      }
    });
  }

  /** Ends the session. Resolves when everything is sent, or after 5 s; the rest is sent after the next start. */
  async end(summary: Record<string, unknown> = {}): Promise<void> {
    this.#safely(() => {
      const session = this.#session;
      if (!session) return;
      this.#reportFrames(session);
      this.track("session_summary", { ...summary, ...this.#durations(session) });
      this.#append(session, END_LINE);
      this.#session = null;
    });
    await this.flush();
  }

  /** Sends what is queued. Resolves when it is sent, or after 5 s. */
  async flush(): Promise<void> {
    this.#safely(() => this.#seal());
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, END_TIMEOUT_MS);
    });
    const sent = this.#pump().then(() => this.#disk);
    await Promise.race([sent, timeout]);
    clearTimeout(timer);
  }

  /** Sends a player's answers to a form, by field id. */
  async feedback(
    formId: string,
    answers: Record<string, string | number | boolean>,
  ): Promise<PlaytestResult> {
    return await this.#submit("feedback", () => {
      const responses = Object.entries(answers ?? {}).map(([fieldId, value]) => ({
        fieldId,
        value: typeof value === "boolean" ? (value ? "yes" : "no") : String(value),
      }));
      return { requestId: randomId(), formId, responses };
    });
  }

  /** Sends a bug report of the player. */
  async bugReport(
    title: string,
    description: string,
    severity: Severity = "medium",
  ): Promise<PlaytestResult> {
    const { gameId, gameVersion, environment = "production", testerHandle } = this.#options;
    return await this.#submit("bug", () => ({
      title: String(title ?? "").slice(0, 200),
      description: String(description ?? "").slice(0, 8000),
      severity,
      idempotencyKey: randomId(),
      gameId,
      playerId: testerHandle ?? this.#deviceId(),
      context: {
        buildVersion: gameVersion,
        environment,
        platform: this.#options.platform ?? detectPlatform(),
      },
    }));
  }

  /**
   * The variant of this device in an experiment, by the id of the experiment; null if it takes part in none, or if the variants
   * are not known yet (`whenReady`). The session is counted for the variant, so call it where the game shows the difference.
   */
  variant(experiment: string): string | null {
    this.#safely(() => {
      const { deviceId, variants, values } = this.#config;
      if (this.#shown.has(experiment) || !this.#consent || deviceId !== this.#deviceId()) return;
      const variant = Object.hasOwn(variants, experiment) ? variants[experiment] : null;
      if (typeof variant !== "string") return;
      this.#shown.set(experiment, { variant, values: values[experiment] ?? {} });
      const session = this.#session;
      if (!session) return;
      // What was recorded before has no part in the variant.
      this.#seal();
      session.envelope.experimentTags = this.#tags();
      session.header = JSON.stringify(session.envelope);
    });
    return this.#shown.get(experiment)?.variant ?? null;
  }

  /** The values of the variant that `variant` returned. */
  variantValues(experiment: string): VariantValues {
    return { ...this.#shown.get(experiment)?.values };
  }

  /** The anonymous id of this device; null without consent. */
  deviceId(): string | null {
    return this.#consent ? this.#deviceId() : null;
  }

  /** Replaces the id of this device, and stores it. The running session keeps its id. */
  setDeviceId(deviceId: string): void {
    this.#safely(() => {
      const isValid = /^[^\0]{1,128}$/su.test(deviceId) && deviceId !== "." && deviceId !== "..";
      if (!this.#consent || !isValid) {
        const reason = this.#consent ? "it must have 1 to 128 characters" : "the player has not agreed";
        return this.#report("warn", `The device id was not set, because ${reason}.`);
      }
      delete this.#options.deviceId;
      this.#device = deviceId;
      this.#shown.clear();
      this.#onDisk(async () => this.#store.put("device", deviceId));
    });
  }

  /** Links this device to the tester of a claim token (`pt_tt_...`). */
  async linkTester(token: string): Promise<TesterResult> {
    const claimToken = String(token ?? "").trim();
    const { outcome, ...result } = await this.#askTester("POST", { claimToken });
    if (outcome?.kind !== "stored") return result;
    this.#onDisk(async () => this.#store.put("tester", claimToken));
    return { ...result, message: `This device is linked to ${result.handle}.` };
  }

  /** The tester that this device is linked to. */
  async getCurrentTester(): Promise<TesterResult> {
    const { outcome, ...result } = await this.#askTester("GET", {});
    if (outcome?.kind !== "stored") return result;
    return { ...result, message: `This device is linked to ${result.handle ?? "no tester"}.` };
  }

  /** Unlinks this device from its tester. The token is that of `linkTester` by default. */
  async unlinkTester(token?: string): Promise<TesterResult> {
    await this.#disk;
    const claimToken = token ?? this.#store.get("tester") ?? "";
    if (!claimToken) {
      const message = "linkTester() was not called on this device. Pass the token.";
      return { ok: false, queued: false, message, handle: null };
    }
    const { outcome, ...result } = await this.#askTester("DELETE", { claimToken });
    if (outcome?.kind !== "stored") return result;
    this.#onDisk(async () => await this.#store.remove("tester"));
    return { ...result, message: `This device is no longer linked to ${result.handle}.`, handle: null };
  }

  async #askTester(
    method: Method,
    fields: Record<string, string>,
  ): Promise<TesterResult & { outcome?: Outcome }> {
    const fault = this.#consent ? findOptionsFault(this.#options) : NO_CONSENT;
    if (fault) return { ok: false, queued: false, message: fault, handle: null };
    const epoch = this.#diskEpoch;
    const { gameId } = this.#options;
    const body = { ...fields, ...(gameId && { gameId }), deviceId: this.#deviceId() };
    const path =
      method === "GET" ? `/api/telemetry/tester?${new URLSearchParams(body)}` : "/api/telemetry/claim";
    const isExpected = ({ ok, linked, handle }: Answer) =>
      typeof handle === "string" ? ok === true || linked === true : linked === false;
    const outcome = await this.#request(
      method,
      path,
      method === "GET" ? null : JSON.stringify(body),
      isExpected,
    );
    // The player may have opted out, and agreed again as another person.
    if (epoch !== this.#diskEpoch) return { ok: false, queued: false, message: NO_CONSENT, handle: null };
    if (outcome.kind !== "stored")
      return { ok: false, queued: false, message: outcome.message, handle: null, outcome };
    const { handle } = outcome.answer;
    return {
      ok: true,
      queued: false,
      message: "",
      handle: typeof handle === "string" ? handle : null,
      outcome,
    };
  }

  /** Reads what the service sets for this game and device. What cannot be read is unchanged. */
  async #readConfig(): Promise<void> {
    const epoch = this.#diskEpoch;
    const deviceId = this.#deviceId();
    const { gameVersion } = this.#options;
    const gameId = await this.#findGame();
    const query = new URLSearchParams({
      ...{ deviceId, ...(gameId && { gameId }) },
      ...(gameVersion && { buildVersion: gameVersion.slice(0, 64) }),
    });
    const [eventConfig, experiments] = await Promise.all([
      gameId ? this.#read(`/api/v1/games/${encodeURIComponent(gameId)}/event-config`, "events") : null,
      this.#read(`/api/telemetry/experiments?${query}`, "experiments"),
    ]);
    if (epoch !== this.#diskEpoch || (!eventConfig && !experiments)) return;
    const { deviceId: known, events, variants, values } = this.#config;
    const text = JSON.stringify({
      deviceId: experiments ? deviceId : known,
      eventConfig: eventConfig ?? { events },
      experiments: experiments ?? { experiments: variants, config: values },
    });
    this.#config = readConfig(text);
    this.#onDisk(async () => this.#store.put("config", text));
  }

  /** The game that the event config is read for: that of the options, or that of the key. */
  async #findGame(): Promise<string | null> {
    if (this.#options.gameId) return this.#options.gameId;
    const answer = this.#gameId ? null : await this.#read("/api/telemetry/resolve", "gameId");
    if (typeof answer?.gameId === "string") this.#gameId = answer.gameId;
    return this.#gameId;
  }

  /** Reads an answer with this field; null if there is none. */
  async #read(path: string, field: string): Promise<Answer | null> {
    const isExpected = (answer: Answer, status: number) =>
      status === 200 && (field === "gameId" || isObject(answer[field]));
    const outcome = await this.#request("GET", path, null, isExpected);
    return outcome.kind === "stored" ? outcome.answer : null;
  }

  /** The experiments that the session is counted for. */
  #tags(): Record<string, string> | undefined {
    const shown = [...this.#shown].map(([experiment, { variant }]) => [experiment, variant]);
    const tags = { ...this.#options.experimentTags, ...Object.fromEntries(shown) };
    return Object.keys(tags).length > 0 ? tags : undefined;
  }

  /** Records the choice of the player. False ends the session, sends nothing more and deletes the queue. */
  setConsent(isGiven: boolean): void {
    this.#safely(() => {
      this.#consent = isGiven;
      if (!isGiven) this.#withdraw();
      this.#store.put("consent", isGiven ? "yes" : "no");
    });
  }

  /** Forgets everything about the player, on disk as well. */
  #withdraw(): void {
    this.#session = null;
    this.#lastSession = null;
    this.#leaving.clear();
    this.#batch = null;
    this.#device = null;
    this.#config = readConfig(null);
    this.#shown.clear();
    this.#diskEpoch += 1;
    for (const request of this.#requests) request.abort();
    const items = this.#items;
    this.#items = [];
    for (const { name } of items) this.#resolve(name, false, NO_CONSENT);
    // What a player who agrees again records is written after this.
    this.#onDisk(async () => {
      for (const { name } of this.#store.list()) {
        // The folder may contain other files of the game.
        if (!PLAYER_FILES.includes(name) && !QUEUE_NAME.test(name)) continue;
        await this.#store
          .remove(name)
          .catch((error) => this.#report("error", `The queue was not deleted: ${error}`));
      }
    });
  }

  /** Sends one event to the environment `sdk-test`, and reports whether the address and the key work. */
  async sendTestEvent(): Promise<PlaytestResult> {
    const fault = findOptionsFault(this.#options);
    if (fault) return { ok: false, queued: false, message: fault };
    if (!this.#consent) return { ok: false, queued: false, message: NO_CONSENT };
    const now = Date.now();
    let body = "";
    this.#safely(() => {
      body = JSON.stringify({
        ...this.#envelope(`test-${randomId()}`, now),
        environment: "sdk-test",
        // Without a version, the test is no session of a build.
        sessionMetadata: { platform: this.#options.platform ?? detectPlatform() },
        sessionEnded: true,
        events: [{ id: "1", name: "sdk_test_event", timestamp: now }],
      });
    });
    if (!body) return { ok: false, queued: false, message: this.#lastReport };
    const outcome = await this.#request("POST", "/api/telemetry", body, isReceipt);
    if (outcome.kind !== "stored") return { ok: false, queued: false, message: outcome.message };
    const { baseUrl } = this.#options;
    const { sessionId } = outcome.answer;
    if (sessionId === null)
      return { ok: false, queued: false, message: `${baseUrl} refused the test event.` };
    const message = `The address and the key work. ${baseUrl} stored the test event in session ${sessionId}.`;
    return { ok: true, queued: false, message };
  }

  status(): PlaytestStatus {
    const queued = this.#items.reduce((sum, { size }) => sum + size, this.#batch?.bytes ?? 0);
    return { queuedBytes: queued, droppedEvents: this.#dropped, stopped: this.#stopped };
  }

  #envelope(clientSessionId: string, startedAt: number): Record<string, unknown> {
    const { gameId, gameVersion, platform = detectPlatform(), testerHandle } = this.#options;
    return {
      gameId,
      clientSessionId,
      deviceId: this.#deviceId(),
      testerHandle,
      source: "typescript-telemetry",
      environment: this.#options.environment ?? "production",
      startedAt,
      sessionMetadata: { gameVersion, platform },
      experimentTags: this.#tags(),
    };
  }

  #deviceId(): string {
    if (this.#options.deviceId) return this.#options.deviceId;
    if (!this.#device) {
      const device = `dev_${randomId()}`;
      this.#device = device;
      this.#onDisk(async () => this.#store.put("device", device));
    }
    return this.#device;
  }

  #durations(session: Session): Record<string, unknown> {
    const now = monotonic();
    const wall = now - session.startedTick;
    const unfocused =
      session.unfocusedMs + (session.unfocusedSince === null ? 0 : now - session.unfocusedSince);
    return {
      wallSec: Math.round(wall / 1000),
      activeSec: Math.round((wall - unfocused) / 1000),
      ...(this.#dropped > 0 ? { droppedEvents: this.#dropped } : {}),
    };
  }

  #append(session: Session, line: string): void {
    const size = byteLength(line) + 1;
    const batch = this.#batch;
    const isFull =
      batch !== null && (batch.lines.length > MAX_EVENTS || batch.bytes + size > this.#maxBatchBytes);
    // The line that ends the session is no event, so it fits into every batch.
    if (batch && ((isFull && line !== END_LINE) || batch.session !== session)) this.#seal();
    if (!this.#batch) {
      const name = `${this.#nextName(session)}.events`;
      const bytes = byteLength(session.header) + 1;
      this.#batch = { name, session, lines: [session.header], saved: 0, bytes };
    }
    this.#batch.lines.push(line);
    this.#batch.bytes += size;
  }

  /** Names sort in the order in which items are sent. */
  #nextName(session: Session | null): string {
    const time = String(session?.startedAt ?? Date.now()).padStart(14, "0");
    const sequence = String(this.#nextItem++).padStart(8, "0");
    return `${time}-${session?.id ?? "none"}-${sequence}`;
  }

  #tick(): void {
    this.#safely(() => {
      const now = monotonic();
      const session = this.#session;
      const heartbeat = Math.max(this.#options.heartbeatSec ?? 60, 30) * 1000;
      if (session?.unfocusedSince === null && now - session.lastHeartbeat >= heartbeat) {
        session.lastHeartbeat = now;
        this.track("session_heartbeat", this.#durations(session));
        this.#reportFrames(session);
      }
      if (session && session.performance.frames > 0)
        session.performance.memoryMb = Math.max(session.performance.memoryMb, readMemoryMb());
      if (now >= this.#flushAt) this.#seal();
      else this.#save();
      void this.#pump();
    });
  }

  /** Writes the lines of the current batch that are not on disk yet. */
  #save(): void {
    const batch = this.#batch;
    if (!batch || batch.saved === batch.lines.length) return;
    this.#onDisk(async () => {
      const { lines, saved } = batch;
      const count = lines.length;
      const isReplaced = batch !== this.#batch && !this.#store.appends;
      if (saved === count || isReplaced) return;
      batch.saved = 0;
      await this.#store.save(batch.name + OPEN, lines.slice(0, count), saved);
      batch.saved = count;
    });
    this.#enforceLimit();
  }

  /** Completes the current batch, so that it is sent. */
  #seal(): void {
    this.#flushAt = monotonic() + Math.max(this.#options.flushSec ?? 10, 1) * 1000;
    const batch = this.#batch;
    if (!batch) return;
    this.#save();
    this.#batch = null;
    const item: Item = {
      name: batch.name,
      session: batch.session,
      size: batch.bytes,
      events: batch.lines.filter((line) => line !== END_LINE).length - 1,
      lines: batch.lines,
      isRefused: false,
    };
    this.#items.push(item);
    this.#onDisk(async () => {
      const open = item.name + OPEN;
      // It may have been sent before there was time to write it.
      if (!this.#items.includes(item)) return;
      if (!this.#store.appends) {
        // The quota of a page may not suffice for both. JavaScript runs both without interruption.
        await this.#store.remove(open);
        await this.#store.save(item.name, batch.lines, 0);
      } else if (batch.saved === batch.lines.length) {
        // Another process of the game may have sent the open file already. Event ids make the repetition harmless.
        await this.#store.rename(open, item.name).catch(() => this.#store.save(item.name, batch.lines, 0));
      } else {
        await this.#store.save(item.name, batch.lines, 0);
        await this.#store.remove(open);
      }
      item.lines = null;
    });
    this.#enforceLimit();
  }

  /** Runs a disk operation after all earlier ones. Without a working disk, items stay in memory. */
  #onDisk(work: () => Promise<void>): void {
    const epoch = this.#diskEpoch;
    this.#disk = this.#disk
      .then(() => (epoch === this.#diskEpoch ? this.#store.ready() : undefined))
      .then(() => (epoch === this.#diskEpoch ? work() : undefined))
      .catch((error) =>
        this.#report("warn", `The queue cannot be written, so it is kept in memory: ${error}`),
      );
  }

  /** Drops the oldest items while the queue is larger than its limit. */
  #enforceLimit(): void {
    let total = this.status().queuedBytes;
    while (total > this.#maxQueueBytes) {
      const oldest = this.#items.find((item) => item !== this.#inFlight);
      if (!oldest) return;
      total -= oldest.size;
      this.#dropped += oldest.events;
      this.#report(
        "warn",
        `The queue is full (${this.#maxQueueBytes} bytes). The oldest events were dropped.`,
      );
      this.#resolve(oldest.name, false, "Dropped because the queue is full.");
      this.#forget(oldest);
    }
  }

  #forget(item: Item): void {
    this.#items = this.#items.filter((other) => other !== item);
    this.#onDisk(async () => {
      await this.#store.remove(item.name);
      // A part of what could not be written may be here.
      if (item.lines !== null) await this.#store.remove(item.name + OPEN);
    });
  }

  /** Takes over what earlier runs did not send. */
  #adoptQueue(): void {
    const files = this.#store.list().filter(({ name }) => QUEUE_NAME.test(name));
    for (const { name, size } of files.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const isOpen = name.endsWith(OPEN);
      const item: Item = {
        name: isOpen ? name.slice(0, -OPEN.length) : name,
        session: null,
        size,
        events: Math.ceil(size / 120),
        lines: null,
        isRefused: false,
      };
      if (Date.now() - Number(name.slice(0, 14)) > MAX_QUEUE_AGE_MS) {
        this.#report("warn", "Events that could not be sent for 7 days were deleted.");
        this.#onDisk(() => this.#store.remove(name));
        continue;
      }
      if (isOpen) this.#onDisk(() => this.#store.rename(name, item.name));
      this.#items.push(item);
    }
  }

  async #submit(
    kind: "feedback" | "bug",
    createBody: () => Record<string, unknown>,
  ): Promise<PlaytestResult> {
    return await new Promise<PlaytestResult>((resolve) => {
      const fail = (message: string) => resolve({ ok: false, queued: false, message });
      this.#safely(() => {
        const session = this.#session ?? this.#lastSession;
        const fault = this.#consent ? findOptionsFault(this.#options) : NO_CONSENT;
        if (fault) return fail(fault);
        if (kind === "feedback" && !session) return fail("Feedback requires a session. Call start() first.");
        // Only now: without consent, not even the id of the device may be created.
        const body = JSON.stringify(createBody());
        this.#seal();
        const name = `${this.#nextName(session)}.${kind}`;
        const lines = [session?.header ?? "{}", body];
        const size = byteLength(joinLines(lines));
        const item: Item = { name, session, size, events: 0, lines, isRefused: false };
        this.#items.push(item);
        this.#onDisk(async () => {
          await this.#store.save(name, lines, 0);
          item.lines = null;
        });
        this.#listeners.set(name, resolve);
        this.#enforceLimit();
        void this.#pump();
      }, fail);
    });
  }

  /** Sends items one by one until the queue is empty or a request fails. */
  async #pump(): Promise<void> {
    if (!this.#sending) {
      this.#sending = this.#sendAll().catch((error) => this.#report("error", String(error)));
      this.#sending = this.#sending.finally(() => {
        this.#sending = null;
        this.#inFlight = null;
      });
    }
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    while (this.#consent && !this.#stopped && monotonic() >= this.#retryAt) {
      const item = this.#findNext();
      if (!item) return;
      this.#inFlight = item;
      const epoch = this.#diskEpoch;
      const outcome = await this.#sendQueued(item);
      // After an opt-out, the item no longer exists, even if the player agreed again.
      if (epoch === this.#diskEpoch) this.#settle(item, outcome);
    }
    if (this.#items.length > 0) this.#answerWaiting();
  }

  #findNext(): Item | undefined {
    const [first, second] = this.#items.filter((item) => !item.isRefused && !this.#leaving.has(item));
    const isSuspect = first?.name === this.#suspect.name && this.#suspect.failures >= MAX_ITEM_FAILURES;
    return isSuspect ? (second ?? first) : first;
  }

  /** Skips an item until the next `start()` if only that one fails, such as for a firewall that reads the content. */
  #judgeSuspect(item: Item, outcome: Outcome | null): void {
    const { name, failures } = this.#suspect;
    if (outcome?.kind === "retry" && outcome.mayConcernItem) {
      this.#suspect = { name: item.name, failures: item.name === name ? failures + 1 : 1 };
      return;
    }
    const suspect = this.#items.find((other) => other !== item && other.name === name);
    this.#suspect = { name: "", failures: 0 };
    if (!suspect || outcome?.kind !== "stored" || failures < MAX_ITEM_FAILURES) return;
    suspect.isRefused = true;
    this.#report("warn", "A request that only fails with its content is skipped until the next start().");
  }

  /** Sends an item of the queue. Returns null if its file is missing or damaged, or if the player opts out. */
  async #sendQueued(item: Item): Promise<Outcome | null> {
    const epoch = this.#diskEpoch;
    try {
      if (item.lines === null) await this.#disk;
      const lines = item.lines ?? readWholeLines((await this.#store.read(item.name)) ?? "");
      return lines.length < 2 || epoch !== this.#diskEpoch ? null : await this.#sendItem(item, lines);
    } catch (error) {
      // The file may be locked for a moment.
      return describeUnexpected(error);
    }
  }

  /** Sends what a page that may close can still send, the newest lines first. What gets no answer stays in the queue. */
  #sendLast(): void {
    if (this.#session) this.#reportFrames(this.#session);
    this.#seal();
    this.#store.hurry(true);
    void this.#disk.then(() => this.#store.hurry(false));
    if (!this.#consent || this.#stopped) return;
    for (const { newest, lines, items, partial } of this.#takeNewest()) {
      const sent = this.#sendItem(newest, lines, true).catch(describeUnexpected);
      void sent.then(({ kind }) => {
        for (const item of [...items, partial]) if (item) this.#leaving.delete(item);
        if (kind !== "stored") return;
        for (const item of items) {
          this.#resolve(item.name, true, "Stored.");
          this.#forget(item);
        }
      });
    }
  }

  /** Puts the newest lines of the queue into requests that a browser sends after the page was closed. */
  #takeNewest(): Iterable<LastRequest> {
    const requests = new Map<string, LastRequest>();
    let left = [...this.#leaving.values()].reduce((sum, bytes) => sum - bytes, MAX_KEEPALIVE_BYTES);
    for (const item of [...this.#items].reverse()) {
      if (item.isRefused || this.#leaving.has(item)) continue;
      const [header = "{}", ...lines] = item.lines ?? readWholeLines(this.#store.get(item.name) ?? "");
      if (lines.length === 0) continue;
      // The batches of a session are sent as one request.
      const key = item.name.endsWith(".events") ? readSessionId(item.name) : item.name;
      const request = requests.get(key) ?? { newest: item, lines: [header], items: [], partial: null };
      const overhead = requests.has(key) ? 0 : byteLength(header) + ENVELOPE_BYTES;
      const { first, bytes } = findNewest(lines, left - overhead);
      if (first === lines.length) break;
      left -= overhead + bytes;
      this.#leaving.set(item, overhead + bytes);
      request.lines.splice(1, 0, ...lines.slice(first));
      requests.set(key, request);
      if (first === 0) request.items.push(item);
      else request.partial = item;
      if (first > 0) break;
    }
    return requests.values();
  }

  async #sendItem(item: Item, lines: readonly string[], isLast = false): Promise<Outcome> {
    const [header = "{}", ...rest] = lines;
    if (item.name.endsWith(".events")) return await this.#postEvents(item, header, rest, isLast);
    const id = readSessionId(item.name);
    if (header !== "{}" && !this.#sessionIds.has(id)) {
      // The service needs its own id of the session. A batch without events finds or creates the session.
      const outcome = await this.#postEvents(item, header, [], isLast);
      if (outcome.kind !== "stored") return outcome;
    }
    const path = item.name.endsWith(".bug") ? "/api/telemetry/bug-report" : "/api/telemetry/feedback";
    const sessionId = this.#sessionIds.get(id);
    const field = sessionId === undefined ? "" : `,"sessionId":${JSON.stringify(sessionId)}`;
    return await this.#request("POST", path, `${rest[0]?.slice(0, -1)}${field}}`, isConfirmation, isLast);
  }

  async #postEvents(item: Item, header: string, lines: string[], isLast: boolean): Promise<Outcome> {
    const events = lines.filter((line) => line !== END_LINE);
    const end = events.length < lines.length ? ',"sessionEnded":true' : "";
    // Events are sent as they were recorded. Only the header can get the difference of the clocks.
    const fields = (item.session?.header ?? header).slice(0, -1);
    const body = `${fields},"events":[${events.join(",")}]${end}}`;
    const outcome = await this.#request("POST", "/api/telemetry", body, isReceipt, isLast);
    if (outcome.kind !== "stored") return outcome;
    const { sessionId, rejected, warnings } = outcome.answer;
    if (typeof sessionId === "string") this.#sessionIds.set(readSessionId(item.name), sessionId);
    this.#safely(() => {
      this.#reportRejected(rejected, events);
      if (Array.isArray(warnings))
        for (const warning of warnings.slice(0, 3)) this.#report("warn", String(warning));
    });
    return outcome;
  }

  #reportRejected(rejected: unknown, events: string[]): void {
    if (!Array.isArray(rejected)) return;
    for (const rejection of rejected.slice(0, 3) as ({ index?: number; error?: string } | null)[]) {
      const event = events[rejection?.index ?? -1]?.slice(0, 200);
      this.#report("warn", `The service rejected an event: ${rejection?.error} in ${event}`);
    }
    if (rejected.length > 3)
      this.#report("warn", `The service rejected ${rejected.length - 3} further events.`);
  }

  /** Removes, keeps or retries an item after its request. A null outcome means that its file is missing or damaged. */
  #settle(item: Item, outcome: Outcome | null): void {
    this.#judgeSuspect(item, outcome);
    if (outcome?.kind === "retry") {
      this.#failures += 1;
      const backoff = Math.min(1000 * 2 ** Math.min(this.#failures - 1, 10), MAX_BACKOFF_MS);
      const wait = Math.min(outcome.afterMs ?? 0, MAX_RETRY_AFTER_MS);
      this.#retryAt = monotonic() + Math.max(wait, backoff * (0.75 + Math.random() / 2));
      this.#report("warn", `${outcome.message} The client will try again.`);
      return;
    }
    if (this.#failures > 0) this.#report("info", "The service answers again.");
    this.#failures = 0;
    if (outcome?.kind !== "refused") {
      this.#resolve(item.name, outcome !== null, outcome ? "Stored." : "The queued file was lost.");
      this.#forget(item);
      return;
    }
    this.#report("error", outcome.message);
    this.#resolve(item.name, false, outcome.message);
    const isEvents = item.name.endsWith(".events");
    const concernsItem = [400, 409, 413, 415, 422].includes(outcome.status);
    if (isEvents && concernsItem) item.isRefused = true;
    else if (concernsItem || (outcome.status === 404 && !isEvents)) this.#forget(item);
    // A wrong key or game affects every request. Events are still recorded, and the next start() tries again.
    else this.#stopped = outcome.message;
  }

  #resolve(name: string, ok: boolean, message: string): void {
    this.#listeners.get(name)?.({ ok, queued: false, message });
    this.#listeners.delete(name);
  }

  /** Reports to callers that their submission waits in the queue. */
  #answerWaiting(): void {
    const message = this.#stopped ?? `Queued. ${this.#lastReport}`;
    for (const [name, resolve] of this.#listeners) {
      resolve({ ok: false, queued: true, message });
      this.#listeners.delete(name);
    }
  }

  async #request(
    method: Method,
    path: string,
    body: string | null,
    isExpected: (answer: Answer, status: number) => boolean,
    isLast = false,
  ): Promise<Outcome> {
    if (!this.#consent) return { kind: "retry", message: NO_CONSENT, afterMs: null };
    const { baseUrl, key, environment = "production" } = this.#options;
    const abort = new AbortController();
    this.#requests.add(abort);
    const timer = setTimeout(() => abort.abort(), TIMEOUT_MS);
    try {
      const headers: Record<string, string> = { Authorization: `Bearer ${key}` };
      if (body !== null) headers["Content-Type"] = "application/json";
      // The body has the same values. In browsers, further headers would have to be allowed by the service.
      if (body !== null && this.#store instanceof FileStore) {
        headers["X-Playtest-SDK"] = "typescript";
        headers["X-Playtest-Environment"] = environment;
      }
      // A page that closes runs nothing after this task, so its last request cannot wait for the compression.
      const compressed = isLast || body === null ? null : await compress(body).catch(() => null);
      if (compressed) headers["Content-Encoding"] = "gzip";
      const sentAt = monotonic();
      const response = await fetch(baseUrl.replace(/\/+$/, "") + path, {
        method,
        headers,
        body: compressed ?? body,
        signal: abort.signal,
        redirect: "manual",
        keepalive: isLast,
      });
      const receivedAt = monotonic();
      const outcome = describeAnswer(baseUrl, response, await readLimited(response), isExpected);
      if (outcome.kind !== "retry" && body !== null)
        this.#compareClocks(response.headers.get("date"), sentAt, receivedAt);
      return outcome;
    } catch (error) {
      if (!this.#consent) return { kind: "retry", message: NO_CONSENT, afterMs: null };
      const reason = abort.signal.aborted ? "no answer within 20 s" : describeFailure(error);
      return {
        kind: "retry",
        message: `No connection to ${baseUrl}: ${reason}. Is the address right and the service running?`,
        afterMs: null,
      };
    } finally {
      clearTimeout(timer);
      this.#requests.delete(abort);
    }
  }

  /** Adds the difference to the clock of the service to the requests of sessions that do not have it yet. */
  #compareClocks(date: string | null, sentAt: number, receivedAt: number): void {
    const serverTime = Date.parse(date ?? "") + 500;
    if (Number.isNaN(serverTime) || receivedAt - sentAt > MIN_CLOCK_OFFSET_MS) return;
    const sessions = [this.#session, this.#lastSession, ...this.#items.map(({ session }) => session)];
    for (const session of sessions) {
      if (!session || session.isClockKnown) continue;
      session.isClockKnown = true;
      const time = session.startedAt + (sentAt + receivedAt) / 2 - session.startedTick;
      const offset = Math.round(serverTime - time);
      if (Math.abs(offset) < MIN_CLOCK_OFFSET_MS) continue;
      session.envelope.clockOffsetMs = offset;
      session.header = JSON.stringify(session.envelope);
    }
  }

  #watchPage(): void {
    const page = globalThis as unknown as BrowserGlobals;
    const document = page.document;
    if (!document || !page.addEventListener) return;
    const update = () => this.focus(document.visibilityState !== "hidden" && document.hasFocus());
    for (const name of ["focus", "blur"]) page.addEventListener(name, update);
    document.addEventListener("visibilitychange", () => {
      update();
      if (document.visibilityState === "hidden") this.#safely(() => this.#sendLast());
    });
    page.addEventListener("pagehide", () => this.#safely(() => this.#sendLast()));
  }

  /** Runs code that must not disturb the game. */
  #safely(work: () => void, onError?: (message: string) => void): void {
    try {
      work();
    } catch (error) {
      this.#report("error", `Telemetry failed: ${error}`);
      onError?.(`Telemetry failed: ${error}`);
    }
  }

  /** Reports a message to the developer, but not the same one twice in a row. */
  #report(level: LogLevel, message: string): void {
    if (message === this.#lastReport) return;
    this.#lastReport = message;
    try {
      if (this.#options.log) this.#options.log(level, message);
      else console[level](`[playtest] ${message}`);
    } catch {
      // A failing log must not disturb the game either.
    }
  }
}

/** The parts of a browser that the client uses. They are declared here because the types of Node lack them. */
interface BrowserGlobals {
  localStorage?: {
    length: number;
    key(index: number): string | null;
    getItem(name: string): string | null;
    setItem(name: string, value: string): void;
    removeItem(name: string): void;
  };
  document?: {
    visibilityState: string;
    hasFocus(): boolean;
    addEventListener(name: string, listener: () => void): void;
  };
  requestAnimationFrame?(callback: (time: number) => void): number;
  performance: { memory?: { usedJSHeapSize: number } };
  navigator?: { platform?: string; userAgentData?: { platform?: string } };
  addEventListener?(name: string, listener: () => void): void;
}

/** The parts of Node that the client uses. */
interface NodeGlobals {
  process?: {
    platform: string;
    memoryUsage?: { rss(): number };
    getBuiltinModule?(name: "node:fs"): NodeFiles;
    env: Record<string, string | undefined>;
  };
}
interface NodeFiles {
  mkdirSync(path: string, options: { recursive: true }): unknown;
  readdirSync(path: string): string[];
  readFileSync(path: string, encoding: "utf8"): string;
  writeFileSync(path: string, text: string): void;
  promises: {
    readFile(path: string, encoding: "utf8"): Promise<string>;
    access(path: string): Promise<void>;
    appendFile(path: string, text: string): Promise<void>;
    writeFile(path: string, text: string): Promise<void>;
    rename(from: string, to: string): Promise<void>;
    rm(path: string, options: { force: true }): Promise<void>;
  };
}

class FileStore implements Store {
  readonly appends = true;
  readonly #files: NodeFiles;
  readonly #folder: string;

  constructor(files: NodeFiles, folder: string) {
    this.#files = files;
    this.#folder = folder;
    try {
      files.mkdirSync(folder, { recursive: true });
    } catch {
      // The first write reports why the folder cannot be used.
    }
  }
  /** Files are written by other threads. */
  async ready() {}
  hurry() {}
  #path(name: string): string {
    return `${this.#folder}/${name}`;
  }
  list() {
    try {
      const names = this.#files.readdirSync(this.#folder);
      return names.map((name) => ({ name, size: byteLength(this.get(name) ?? "") }));
    } catch {
      return [];
    }
  }
  get(name: string) {
    try {
      return this.#files.readFileSync(this.#path(name), "utf8");
    } catch {
      return null;
    }
  }
  put(name: string, text: string) {
    this.#files.writeFileSync(this.#path(name), text);
  }
  async read(name: string) {
    return await this.#files.promises.readFile(this.#path(name), "utf8").catch((error) => {
      if (error?.code === "ENOENT") return null;
      throw error;
    });
  }
  async save(name: string, lines: readonly string[], saved: number) {
    const access = saved > 0 ? this.#files.promises.access(this.#path(name)) : Promise.reject();
    const appends = await access.then(
      () => true,
      () => false,
    );
    if (appends) await this.#files.promises.appendFile(this.#path(name), joinLines(lines.slice(saved)));
    else await this.#files.promises.writeFile(this.#path(name), joinLines(lines));
  }
  async rename(from: string, to: string) {
    await this.#files.promises.rename(this.#path(from), this.#path(to));
  }
  async remove(name: string) {
    await this.#files.promises.rm(this.#path(name), { force: true });
  }
}

/**
 * A store in localStorage, or in memory where a page has none. The page waits for each write, so a burst of events is written in
 * slices.
 */
class PageStore implements Store {
  readonly appends = false;
  readonly #storage: NonNullable<BrowserGlobals["localStorage"]>;
  readonly #prefix: string;
  #readyAt = 0;
  /** Bytes since the last wait. */
  #written = 0;
  #isHurried = false;
  #resume = () => {};

  constructor(storage: NonNullable<BrowserGlobals["localStorage"]>, prefix: string) {
    this.#storage = storage;
    this.#prefix = prefix;
  }
  async ready() {
    const wait = this.#readyAt - monotonic();
    if (wait <= 0 || this.#isHurried) return;
    await new Promise<void>((resolve) => {
      this.#resume = resolve;
      setTimeout(resolve, wait);
    });
  }
  hurry(isHurried: boolean) {
    this.#isHurried = isHurried;
    this.#resume();
  }
  list() {
    const names = Array.from({ length: this.#storage.length }, (_, index) => this.#storage.key(index) ?? "");
    return names
      .filter((name) => name.startsWith(this.#prefix))
      .map((name) => ({
        name: name.slice(this.#prefix.length),
        size: byteLength(this.#storage.getItem(name) ?? ""),
      }));
  }
  get(name: string) {
    return this.#storage.getItem(this.#prefix + name);
  }
  put(name: string, text: string) {
    this.#written += text.length;
    if (this.#written >= MAX_SLICE_BYTES) {
      this.#written = 0;
      this.#readyAt = monotonic() + SLICE_MS;
    }
    this.#storage.setItem(this.#prefix + name, text);
  }
  async read(name: string) {
    return this.get(name);
  }
  async save(name: string, lines: readonly string[]) {
    this.put(name, joinLines(lines));
  }
  async rename(from: string, to: string) {
    const text = this.get(from);
    if (text === null) throw new Error(`${from} is missing`);
    // The value is removed first, because the quota may not suffice for both. JavaScript runs both without interruption.
    await this.remove(from);
    this.put(to, text);
  }
  async remove(name: string) {
    this.#storage.removeItem(this.#prefix + name);
  }
}

function createMemoryStorage(): NonNullable<BrowserGlobals["localStorage"]> {
  const values = new Map<string, string>();
  return {
    get length() {
      return values.size;
    },
    key: (index) => [...values.keys()][index] ?? null,
    getItem: (name) => values.get(name) ?? null,
    setItem: (name, value) => void values.set(name, value),
    removeItem: (name) => void values.delete(name),
  };
}

function openStore({ folder, gameId = "game" }: PlaytestOptions): Store {
  const { process } = globalThis as unknown as NodeGlobals;
  try {
    const files = process?.getBuiltinModule?.("node:fs");
    if (process && files) {
      const home = process.env.HOME ?? process.env.USERPROFILE ?? ".";
      const name = gameId.replace(/[^\w-]/g, "_");
      return new FileStore(files, folder ?? `${home}/.playtest-queue/${name}`);
    }
    // Reading localStorage throws in pages that may not store anything.
    const { localStorage } = globalThis as unknown as BrowserGlobals;
    if (localStorage) return new PageStore(localStorage, `playtest:${gameId}:`);
  } catch {}
  return new PageStore(createMemoryStorage(), "");
}

function findOptionsFault({ baseUrl, key, environment = "production" }: PlaytestOptions): string | null {
  if (!/^https?:\/\/[^/\s]+/.test(baseUrl ?? ""))
    return `The address "${baseUrl}" is not a URL. It must begin with http:// or https://.`;
  if (!/^[\x21-\x7e]+$/.test(key ?? "")) return "The key is empty or contains characters that no key has.";
  if (!/^[a-z0-9_-]{1,64}$/.test(environment) || environment === "all")
    return `The environment "${environment}" is not valid. Use up to 64 of a-z, 0-9, _ and -, but not "all".`;
  return null;
}

function describeAnswer(
  baseUrl: string,
  response: Response,
  text: string | null,
  isExpected: (answer: Record<string, unknown>, status: number) => boolean,
): Outcome {
  const { status } = response;
  const answer = parseObject(text);
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && answer && isExpected(answer, status)) return { kind: "stored", answer };
  const words = describeErrorBody(status, answer);
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    const seconds = Number(response.headers.get("retry-after") ?? 0);
    const afterMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : null;
    return { kind: "retry", message: `${baseUrl} cannot take events now (${words}).`, afterMs };
  }
  // The login page of a network and a proxy during a deployment answer with any status.
  if (isSuccess || typeof answer?.error !== "string") {
    const isRedirect = status === 0 || (status >= 300 && status < 400);
    const advice = isRedirect ? "The address redirects. Use the final address." : "Check the address.";
    const message = `${baseUrl} answered with status ${status}, but not as a playtest service. ${advice}`;
    return { kind: "retry", message, afterMs: null, mayConcernItem: status >= 400 };
  }
  return {
    kind: "refused",
    status,
    message: `${baseUrl} refused the request (${words}). ${explainStatus(status)}`,
  };
}

function describeUnexpected(error: unknown): Outcome {
  const message = `The queue cannot be sent: ${describeFailure(error)}.`;
  return { kind: "retry", message, afterMs: null, mayConcernItem: true };
}

function explainStatus(status: number): string {
  if (status === 401) return "Check the ingest key.";
  if (status === 403) return "Use an ingest key (pt_ik_...).";
  if (status === 404) return "Check the game, the form and the address.";
  return "";
}

/** The words of the service, shortened because they are for a log. */
function describeErrorBody(status: number, answer: Record<string, unknown> | null): string {
  const issues = Array.isArray(answer?.issues)
    ? (answer.issues as { path?: unknown[]; message?: string }[])
    : [];
  const details = issues.slice(0, 3).map((issue) => `${issue?.path?.join?.(".")}: ${issue?.message}`);
  const parts = [answer?.error, answer?.message, answer?.reason, ...details];
  const words = parts.filter((part) => typeof part === "string").join("; ");
  return `${status}${words ? `: ${words.slice(0, 500)}` : ""}`;
}

function isReceipt({ sessionId, accepted, duplicates }: Record<string, unknown>): boolean {
  // Without a session, the service refused all events of the request.
  const hasSession = typeof sessionId === "string" || sessionId === null;
  return hasSession && Number.isInteger(accepted) && Number.isInteger(duplicates);
}

function isConfirmation({ ok, responseIds, bugReportId }: Record<string, unknown>): boolean {
  return ok === true && (Array.isArray(responseIds) || typeof bugReportId === "string");
}

const isObject = (value: unknown): value is Answer =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads what the service set in an earlier run or a moment ago. Whatever it is not, is left out. */
function readConfig(text: string | null): Config {
  const { deviceId, eventConfig, experiments } = parseObject(text) ?? {};
  const read = (answer: unknown, field: string) =>
    isObject(answer) && isObject(answer[field]) ? answer[field] : {};
  return {
    deviceId: typeof deviceId === "string" ? deviceId : "",
    events: read(eventConfig, "events") as Config["events"],
    variants: read(experiments, "experiments"),
    values: read(experiments, "config") as Config["values"],
  };
}

/** The 32-bit FNV-1a hash of a text, at least 0 and below 1. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of encoder.encode(text)) value = Math.imul(value ^ byte, 0x01000193);
  return (value >>> 0) / 2 ** 32;
}

/** The id of the session that an item belongs to. */
function readSessionId(name: string): string {
  return name.split("-")[1] ?? "";
}

/** Compresses a body of more than 1 kB, where the platform can. */
async function compress(body: string): Promise<ArrayBuffer | null> {
  if (body.length < MIN_GZIP_BYTES || typeof CompressionStream === "undefined") return null;
  const stream = new Blob([body]).stream().pipeThrough(new CompressionStream("gzip"));
  return await new Response(stream).arrayBuffer();
}

function parseObject(text: string | null): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Reads a response. Null if it is larger than any answer of the service. */
async function readLimited(response: Response): Promise<string | null> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
    if (text.length > MAX_RESPONSE_BYTES) {
      await reader.cancel().catch(() => {});
      return null;
    }
  }
  return text;
}

/** Returns the complete lines. A crash can leave the last line unfinished, and a power loss can leave NUL characters. */
function readWholeLines(text: string): string[] {
  const lines = text.split("\n").slice(0, -1);
  return lines.filter((line) => line.startsWith("{") && line.endsWith("}") && !line.includes("\0"));
}

/** The index of the oldest line that is sent if the newest ones have to fit into `limit` bytes. */
function findNewest(lines: string[], limit: number): { first: number; bytes: number } {
  let bytes = 0;
  for (let first = lines.length; first > 0; first -= 1) {
    const size = byteLength(lines[first - 1] ?? "") + 1;
    if (bytes + size > limit) return { first, bytes };
    bytes += size;
  }
  return { first: 0, bytes };
}

function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

function describeFailure(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message ?? String(error);
}

/** The options that the environment of the program overrides. CI runs builds with it. Browsers have none. */
function readEnvironment(): Partial<PlaytestOptions> {
  const { process } = globalThis as unknown as NodeGlobals;
  const { PLAYTEST_BASE_URL, PLAYTEST_INGEST_KEY, PLAYTEST_BUILD, PLAYTEST_ENVIRONMENT, PLAYTEST_DEVICE_ID } =
    process?.env ?? {};
  return {
    ...(PLAYTEST_BASE_URL && { baseUrl: PLAYTEST_BASE_URL }),
    ...(PLAYTEST_INGEST_KEY && { key: PLAYTEST_INGEST_KEY }),
    ...(PLAYTEST_BUILD && { gameVersion: PLAYTEST_BUILD }),
    ...(PLAYTEST_ENVIRONMENT && { environment: PLAYTEST_ENVIRONMENT }),
    ...(PLAYTEST_DEVICE_ID && { deviceId: PLAYTEST_DEVICE_ID }),
  };
}

function detectPlatform(): string {
  const { process } = globalThis as unknown as NodeGlobals;
  if (process?.getBuiltinModule) return process.platform;
  const { navigator } = globalThis as unknown as BrowserGlobals;
  return `web ${navigator?.userAgentData?.platform ?? navigator?.platform ?? ""}`.trim();
}

/** The memory of the program; 0 where it is unknown. */
function readMemoryMb(): number {
  const { process } = globalThis as unknown as NodeGlobals;
  const { performance } = globalThis as unknown as BrowserGlobals;
  return Math.round((process?.memoryUsage?.rss() ?? performance.memory?.usedJSHeapSize ?? 0) / 2 ** 20);
}

function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function monotonic(): number {
  return performance.now();
}

const encoder = new TextEncoder();
function byteLength(text: string): number {
  return encoder.encode(text).length;
}
