/** What a command receives: its settings, API clients, the current game, and functions that write notes to stderr. */
import { type Announced, type AnnouncingClient, type ClientOptions, createClient } from "../client/client.ts";
import { createPacer, type Pacer } from "../client/paging.ts";
import type { Transport } from "../client/transport.ts";
import type { ApiKeyKind } from "../contract/define.ts";
import type { RenderOptions } from "../render/options.ts";
import { cleanLine } from "../render/text.ts";
import { wrapSentence } from "../render/wrap.ts";
import { cacheNames, extractNames } from "./completion/add-names.ts";
import type { ObservedNames } from "./completion/names.ts";
import { fail } from "./errors.ts";
import { type Io, writeStderr } from "./io.ts";
import type { Setting } from "./precedence.ts";
import { type Progress, startProgress } from "./progress.ts";
import { NO_PROXIES, readProxies } from "./proxies.ts";
import {
  findGame,
  isLoopback,
  isUnencrypted,
  requireBaseUrl,
  requireKey,
  type Settings,
} from "./settings.ts";
import { addSelection, type SelectionFlags } from "./suggested-commands.ts";

interface ClientRequirements {
  /** The key to send (default: management). */
  readonly key?: ApiKeyKind;
  /** Whether to reuse connections, because many requests will follow. */
  readonly keepAlive?: boolean;
  /** The monotonic time at which waiting for the rate limit ends, ms. */
  readonly deadline?: number;
}

const GAME_HINT = "Use --game, PLAYTEST_GAME, `playtest config set game <slug>` or playtest.config.json.";

/** The number of responses whose names are cached for completions. In long lists, the first pages have the newest names. */
const MAX_CACHED_RESPONSES = 20;

export class Context {
  #closers: (() => Promise<void>)[] = [];
  #progress: Progress | null = null;
  #observedNames: ObservedNames[] = [];
  #receivedChars = 0;
  /** What services announced, by URL. */
  #announced = new Map<string, Announced>();

  constructor(
    readonly io: Io,
    readonly settings: Settings,
    readonly render: RenderOptions,
    /** The flags with which the user selected a profile, service, game or database. */
    readonly selection: SelectionFlags,
    /** The path of the command, such as `admin keys rotate`. */
    readonly command: string,
  ) {}

  /** The methods of the endpoints of a contract module. */
  async client<T extends object>(module: T, needs: ClientRequirements = {}): Promise<AnnouncingClient<T>> {
    return createClient(module, await this.clientOptions(needs));
  }

  /** The options of a client that sends the user's key. */
  async clientOptions({
    key = "management",
    keepAlive = false,
    deadline,
  }: ClientRequirements): Promise<ClientOptions> {
    const { settings, io } = this;
    const baseUrl = requireBaseUrl(settings);
    const { value } = await requireKey(settings, io, key, baseUrl);
    const options = { ...(await this.clientOptionsWithoutKey(baseUrl, keepAlive)), key: value };
    if (deadline === undefined) return options;
    const { maxWaitMs } = options;
    return Object.defineProperty(options, "maxWaitMs", {
      get: () => Math.max(0, Math.min(maxWaitMs, deadline - io.monotonicNow())),
    });
  }

  async clientOptionsWithoutKey(baseUrl: string, keepAlive = false): Promise<ClientOptions> {
    const { settings, io } = this;
    this.#warnIfUnencrypted(baseUrl);
    const { debug } = settings.flags;
    return {
      baseUrl,
      key: null,
      transport: await this.#createTransport(baseUrl, keepAlive),
      timeoutMs: settings.timeoutMs.value,
      maxWaitMs: settings.maxWaitMs.value,
      signal: io.signal,
      userAgent: "playtest",
      announced: this.#findAnnounced(baseUrl),
      onAnswer: (endpoint, input, answer) => {
        if (this.#observedNames.length < MAX_CACHED_RESPONSES)
          this.#observedNames.push(...extractNames(endpoint, input, answer));
      },
      waiting: {
        sleep: (ms, signal) => io.sleep(ms, signal),
        random: () => io.random(),
        onWait: (reason, ms) => void this.notify(`${reason}. Retrying in ${(ms / 1000).toFixed(1)} s`),
      },
      onExchange: ({ method, url, status, requestId, ms, size }) => {
        this.#receivedChars += size;
        if (!debug) return;
        const line = `${method} ${url} -> ${status} in ${Math.round(ms)} ms (request ${requestId ?? "unknown"})`;
        void this.notify(line);
      },
    };
  }

  #findAnnounced(baseUrl: string): Announced {
    const announced = this.#announced.get(baseUrl) ?? { header: null };
    this.#announced.set(baseUrl, announced);
    return announced;
  }

  /** The game that the flag, environment, repository file or profile sets, or null. */
  findGame(): Promise<Setting<string> | null> {
    return findGame(this.settings, this.io, (line) => void this.notify(line));
  }

  /** The current game. Throws `usage` if none is set. */
  async requireGame(hint = GAME_HINT): Promise<string> {
    const game = await this.findGame();
    if (game) return game.value;
    const { listGameNames } = await import("./unknown-names.ts");
    throw fail("usage", { message: "No game specified", hint: `${hint}${await listGameNames(this)}` });
  }

  /** A pacer for long lists, on this run's clock. */
  pacer(): Pacer {
    const { io } = this;
    return createPacer({ now: () => io.monotonicNow(), sleep: (ms) => io.sleep(ms, io.signal) });
  }

  /** Whether a service has answered a request of this run. */
  get hasAnswer(): boolean {
    return [...this.#announced.values()].some(({ header }) => header !== null);
  }

  /** The characters of all response bodies so far. */
  get receivedChars(): number {
    return this.#receivedChars;
  }

  /** Writes a note to stderr, with the user's selection in the commands that it suggests. At a terminal, it is wrapped to its width. */
  async notify(note: string): Promise<void> {
    this.#progress?.clear();
    const width = this.io.err.columns ?? Number.POSITIVE_INFINITY;
    const shown = addSelection(cleanLine(note), this.selection);
    await writeStderr(this.io, `${wrapSentence(shown, width).join("\n")}\n`);
  }

  /** Shows the progress of long work, if stderr is a terminal. */
  async progress(line: string): Promise<void> {
    if (!this.io.err.isTTY || this.render.plain) return;
    this.#progress ??= await startProgress(this.io);
    this.#progress.show(cleanLine(line));
  }

  endProgress(): void {
    this.#progress?.clear();
    this.#progress = null;
  }

  async close(): Promise<void> {
    this.endProgress();
    await this.#cacheObservedNames();
    for (const close of this.#closers.splice(0)) await close();
  }

  /** A transport whose requests stop at a signal. */
  async #createTransport(baseUrl: string, keepAlive: boolean): Promise<Transport> {
    const { io } = this;
    const send = io.transport ?? (await this.#createNetworkTransport(baseUrl, keepAlive));
    return async (request) => {
      const response = await io.interruptible(() => send(request));
      io.signal.throwIfAborted();
      return response;
    };
  }

  async #createNetworkTransport(baseUrl: string, keepAlive: boolean): Promise<Transport> {
    const { io } = this;
    const { hostname } = new URL(baseUrl);
    const { httpProxy, httpsProxy, noProxy } = isLoopback(hostname) ? NO_PROXIES : readProxies(io.env);
    if (!keepAlive && !httpProxy && !httpsProxy)
      return (await import("../client/http-transport.ts")).httpTransport;
    const { createUndiciTransport } = await import("../client/undici-transport.ts");
    const proxies = { httpProxy: httpProxy?.value, httpsProxy: httpsProxy?.value, noProxy: noProxy?.value };
    const pool = createUndiciTransport(proxies, this.settings.timeoutMs.value);
    this.#closers.push(pool.close);
    return pool.send;
  }

  /** Caches the names in the responses, for completions. */
  async #cacheObservedNames(): Promise<void> {
    const { io, settings } = this;
    if (this.#observedNames.length === 0 || !settings.baseUrl) return;
    const scope = { stateDir: io.stateDir, profile: settings.profile.value, baseUrl: settings.baseUrl.value };
    await cacheNames(scope, this.#observedNames.splice(0), io.now());
  }

  #warnIfUnencrypted(baseUrl: string): void {
    const url = new URL(baseUrl);
    if (isUnencrypted(url)) {
      void this.notify(`Warning: the key is sent unencrypted to ${url.hostname} (--allow-http)`);
    }
  }
}
