/** Sends the requests of exports, with pacing and with retries during outages. */
import type { AnnouncingClient } from "../client/client.ts";
import { ClientError } from "../client/errors.ts";
import type { Pacer } from "../client/paging.ts";
import { paginateByTime, type TimePaginationOptions } from "../client/time-pagination.ts";
import type { Endpoint, Output } from "../contract/define.ts";
import { getEvents, listEventCounts, listRawEvents } from "../contract/events.ts";
import { getGame, listGames } from "../contract/games.ts";
import { getHeatmap } from "../contract/heatmaps.ts";
import { listInsights } from "../contract/insights.ts";
import { listChanges } from "../contract/session-events.ts";
import { listSessions } from "../contract/sessions.ts";
import { type Backoff, backoffMs, type RetryPolicy, retry } from "../shared/retry.ts";

/** Flags are validated before the first request, so invalid input can only be a name that the service returned. */
const toContractError = (cause: ClientError) =>
  new ClientError("contract", `The service returned a name that its API does not accept: ${cause.message}`, {
    cause,
  });

/** The endpoints that exports use, besides those of lists. */
export const exportEndpoints = {
  listGames,
  getGame,
  listSessions,
  listInsights,
  getEvents,
  listEventCounts,
  listRawEvents,
  getHeatmap,
  listChanges,
};
/** Whether a URL is a page of a list of raw events that is read to the end. A request with a limit only reads the first. */
export const isRawEventsPage = (url: string): boolean =>
  url.includes("/api/v1/raw-events/") && !/[?&]limit=/.test(url);

type ExportClient = AnnouncingClient<typeof exportEndpoints>;

interface ExportReaderOptions {
  readonly client: ExportClient;
  /** Calls any endpoint of the same service. */
  readonly call: <E extends Endpoint>(
    endpoint: E,
    input: Readonly<Record<string, unknown>>,
  ) => Promise<Output<E>>;
  readonly pacer: Pacer;
  readonly signal: AbortSignal;
  /** The longest outage that one request waits for, ms. It only shortens the limits of this file. */
  readonly maxOutageMs: number;
  /** Milliseconds of a monotonic clock. */
  monotonicNow(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Called before each wait. */
  onWait(reason: string, ms: number): void;
  /** Called with the reason when a list is read by offsets. */
  onFallback(reason: string): void;
  /** Called if stored events of a game are damaged, with their number. */
  onUnreadable(game: string, events: number): void;
  /** Called after each request with the number of requests so far. */
  onRequest(requests: number): void;
}

/** The waits between attempts after a failure. */
const BACKOFF: Backoff = { firstMs: 1000, maxMs: 30_000 };

/** How long one request is retried, ms, by error code. A restart takes minutes, but an internal error rarely goes away. */
const MAX_OUTAGE_MS = 600_000;
const outageBudgetsMs: Readonly<Record<string, number>> = {
  network: MAX_OUTAGE_MS,
  timeout: MAX_OUTAGE_MS,
  unavailable: MAX_OUTAGE_MS,
  internal: 60_000,
};
/** The statuses that a proxy returns when the service is down. */
const gatewayStatuses: ReadonlySet<number | null> = new Set([502, 504]);

/** How long a whole run waits during outages, ms, so that not every series waits for a service that stays down. */
const MAX_TOTAL_OUTAGE_MS = 3 * MAX_OUTAGE_MS;

function getOutageBudget({ code, status }: ClientError): number {
  return gatewayStatuses.has(status) ? MAX_OUTAGE_MS : (outageBudgetsMs[code] ?? 0);
}

export class ExportReader {
  readonly client: ExportClient;
  readonly call: ExportReaderOptions["call"];
  readonly #options: ExportReaderOptions;
  /** The responses of `sendOnce`. */
  readonly #responses = new Map<string, unknown>();
  #requests = 0;
  /** Total time of outages so far, ms. */
  #outageMs = 0;

  constructor(options: ExportReaderOptions) {
    this.client = options.client;
    this.call = options.call;
    this.#options = options;
  }

  get requests(): number {
    return this.#requests;
  }

  /** Sends one request with pacing. Throws its error when the outage exceeds the limits. */
  async send<T>(request: () => Promise<T>): Promise<T> {
    const { pacer, signal, sleep, onWait, onRequest } = this.#options;
    const policy = this.#outagePolicy();
    const attempt = async () => {
      await pacer.before();
      try {
        return await request();
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw error instanceof ClientError && error.code === "invalid_input" ? toContractError(error) : error;
      }
    };
    const response = await retry(attempt, policy, {
      signal,
      sleep,
      onWait: (error, ms) => onWait((error as ClientError).message, ms),
    });
    this.#requests += 1;
    policy.succeed();
    onRequest(this.#requests);
    return response;
  }

  /** Sends a request once for each key. Several datasets are planned from the same lists. */
  async sendOnce<T>(key: string, request: () => Promise<T>): Promise<T> {
    if (!this.#responses.has(key)) this.#responses.set(key, await this.send(request));
    return this.#responses.get(key) as T;
  }

  /** Sends a request to an extension of the API; null if the service does not offer it. */
  async sendOptional<T>(request: () => Promise<T>): Promise<T | null> {
    try {
      return await this.send(request);
    } catch (error) {
      if (error instanceof ClientError && error.code === "unsupported") return null;
      throw error;
    }
  }

  /** Reports stored events of a game that are missing because they are damaged. */
  reportUnreadable(game: string, events: number): void {
    this.#options.onUnreadable(game, events);
  }

  /** The retry policy of one request. It is limited by the budgets of the request and of the whole run. */
  #outagePolicy(): RetryPolicy & { succeed(): void } {
    const { signal, maxOutageMs, monotonicNow } = this.#options;
    const maxTotalMs = Math.min(MAX_TOTAL_OUTAGE_MS, 3 * maxOutageMs);
    let since: number | null = null;
    return {
      waitAfter: (error, attempt) => {
        if (signal.aborted || !(error instanceof ClientError)) return null;
        since ??= monotonicNow();
        const elapsed = monotonicNow() - since;
        const budget = Math.min(getOutageBudget(error), maxOutageMs, maxTotalMs - this.#outageMs);
        const wait = backoffMs(attempt, BACKOFF);
        if (elapsed + wait <= budget) return wait;
        this.#outageMs += elapsed;
        return null;
      },
      succeed: () => {
        if (since !== null) this.#outageMs += monotonicNow() - since;
      },
    };
  }

  /** Yields a whole list page by page, each item once. */
  async *pages<T extends { readonly id: string }>(list: TimedList<T>): AsyncGenerator<readonly T[]> {
    const { onFallback } = this.#options;
    const steps = paginateByTime<T>({
      ...list,
      fetchPage: (range) => this.send(() => list.fetchPage(range)),
      getId: ({ id }) => id,
      pacer: UNPACED,
      onFallback,
    });
    yield* steps;
  }
}

/** A list between two times, newest first. */
type TimedList<T> = Pick<TimePaginationOptions<T>, "fetchPage" | "getTime" | "from" | "to">;

/** Does not delay requests. */
export const UNPACED: Pacer = { before: async () => {} };
