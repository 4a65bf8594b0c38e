/** What a command works with: its settings, clients, the game it is about, and a way to talk beside its answer. */
import { type Client, type ClientOptions, createClient } from "../client/client.ts";
import { createPacer, type Pacer } from "../client/paging.ts";
import type { Transport } from "../client/transport.ts";
import type { ApiKeyKind } from "../contract/define.ts";
import type { RenderOptions } from "../render/options.ts";
import { cleanLine } from "../render/text.ts";
import { cacheNames } from "./completion/add-names.ts";
import type { ObservedNames } from "./completion/names.ts";
import { extractNames } from "./completion/observed-names.ts";
import { fail } from "./errors.ts";
import { type Io, writeStderr } from "./io.ts";
import type { Setting } from "./precedence.ts";
import { type Progress, startProgress } from "./progress.ts";
import { NO_PROXIES, readProxies } from "./proxies.ts";
import { findGame, isLoopback, requireBaseUrl, requireKey, type Settings } from "./settings.ts";

export interface ClientRequirements {
  /** Which key is sent; management unless told. */
  readonly key?: ApiKeyKind;
  /** Whether many requests will follow, so that connections are kept. */
  readonly keepAlive?: boolean;
}

/** Of a long walk so many answers are remembered for completions: the first hold the newest. */
const MAX_REMEMBERED_RESPONSES = 20;

export class Context {
  readonly io: Io;
  readonly settings: Settings;
  readonly render: RenderOptions;
  #closers: (() => Promise<void>)[] = [];
  #progress: Progress | null = null;
  #seen: ObservedNames[] = [];
  #received = 0;

  constructor(io: Io, settings: Settings, render: RenderOptions) {
    this.io = io;
    this.settings = settings;
    this.render = render;
  }

  /** The methods of the endpoints of a contract module. */
  async client<T extends object>(module: T, needs: ClientRequirements = {}): Promise<Client<T>> {
    return createClient(module, await this.clientOptions(needs));
  }

  /** The options of a client with the key that is set. */
  async clientOptions({
    key = "management",
    keepAlive: many = false,
  }: ClientRequirements): Promise<ClientOptions> {
    const { settings, io } = this;
    const baseUrl = requireBaseUrl(settings);
    const found = await requireKey(settings, io, key, baseUrl);
    return { ...(await this.clientOptionsWithoutKey(baseUrl, many)), key: found.value };
  }

  /** The options of a client without a key. */
  async clientOptionsWithoutKey(baseUrl: string, many = false): Promise<ClientOptions> {
    const { settings, io } = this;
    this.#warnOfHttp(baseUrl);
    const { debug } = settings.flags;
    return {
      baseUrl,
      key: null,
      transport: await this.#transport(baseUrl, many),
      timeoutMs: settings.timeoutMs.value,
      maxWaitMs: settings.maxWaitMs.value,
      signal: io.signal,
      userAgent: "playtest",
      onAnswer: (endpoint, input, answer) => {
        if (this.#seen.length < MAX_REMEMBERED_RESPONSES)
          this.#seen.push(...extractNames(endpoint, input, answer));
      },
      waiting: {
        sleep: (ms, signal) => io.sleep(ms, signal),
        random: () => io.random(),
        onWait: (reason, ms) => void this.notify(`${reason}: trying again in ${(ms / 1000).toFixed(1)} s`),
      },
      onExchange: ({ method, url, status, requestId, ms, size }) => {
        this.#received += size;
        if (!debug) return;
        const told = `${method} ${url} -> ${status} in ${Math.round(ms)} ms (request ${requestId ?? "unknown"})`;
        void this.notify(told);
      },
    };
  }

  /** The game that flag, environment, repository or profile name; null where none does. */
  findGame(): Promise<Setting<string> | null> {
    return findGame(this.settings, this.io, (line) => void this.notify(line));
  }

  /** The game. Throws `usage` telling the ways to name it. */
  async requireGame(): Promise<string> {
    const game = await this.findGame();
    if (game) return game.value;
    throw fail("usage", {
      message: "Which game? None is named",
      hint: "Name it with --game, PLAYTEST_GAME, `playtest config set game <slug>` or playtest.config.json.",
    });
  }

  /** A pacer for long walks on this run's clock. */
  pacer(): Pacer {
    const { io } = this;
    return createPacer({ now: () => io.now(), sleep: (ms) => io.sleep(ms, io.signal) });
  }

  /** Characters of all answers so far. */
  get receivedChars(): number {
    return this.#received;
  }

  /** Says a line on stderr. */
  async notify(line: string): Promise<void> {
    this.#progress?.clear();
    await writeStderr(this.io, `${cleanLine(line)}\n`);
  }

  /** Shows what long work is at, at a terminal alone. */
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
    await this.#keepNames();
    for (const close of this.#closers.splice(0)) await close();
  }

  async #transport(baseUrl: string, many: boolean): Promise<Transport> {
    const { io } = this;
    if (io.transport) return io.transport;
    const { hostname } = new URL(baseUrl);
    const { httpProxy, httpsProxy, noProxy } = isLoopback(hostname) ? NO_PROXIES : readProxies(io.env);
    if (!many && !httpProxy && !httpsProxy)
      return (await import("../client/http-transport.ts")).httpTransport;
    const { createUndiciTransport } = await import("../client/undici-transport.ts");
    const proxies = {
      httpProxy: httpProxy?.value,
      httpsProxy: httpsProxy?.value,
      noProxy: noProxy?.value,
    };
    const pool = createUndiciTransport(proxies, this.settings.timeoutMs.value);
    this.#closers.push(pool.close);
    return pool.send;
  }

  /** Keeps the names that were seen, for completions. */
  async #keepNames(): Promise<void> {
    const { io, settings } = this;
    if (this.#seen.length === 0 || !settings.baseUrl) return;
    const place = { stateDir: io.stateDir, profile: settings.profile.value, baseUrl: settings.baseUrl.value };
    await cacheNames(place, this.#seen.splice(0), io.now());
  }

  #warnOfHttp(baseUrl: string): void {
    const { protocol, hostname } = new URL(baseUrl);
    if (protocol === "http:" && !isLoopback(hostname)) {
      void this.notify(`Warning: the key travels unencrypted to ${hostname} (--allow-http)`);
    }
  }
}
