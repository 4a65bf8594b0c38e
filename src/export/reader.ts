/** How exports ask the service: every request paced, and faults on the way waited out. */
import type { Client } from "../client/client.ts";
import { ClientError } from "../client/errors.ts";
import type { Pacer } from "../client/paging.ts";
import { paginateByTime, type TimePaginationOptions } from "../client/time-pagination.ts";
import { listBatches, listBatchKeys } from "../contract/batches.ts";
import { getEvents } from "../contract/events.ts";
import { getExperimentComparison, listGameExperiments } from "../contract/experiments.ts";
import { getGame, listGames } from "../contract/games.ts";
import { listHandles } from "../contract/handles.ts";
import { getHeatmap } from "../contract/heatmaps.ts";
import { listInsights } from "../contract/insights.ts";
import { listSessions } from "../contract/sessions.ts";
import { type Backoff, backoffMs, type RetryPolicy, retry } from "../shared/retry.ts";

/** What was given is checked before the first request: what is wrong later is a name out of an answer. */
const toContractError = (cause: ClientError) =>
  new ClientError("contract", `The service names what it cannot be asked for: ${cause.message}`, { cause });

/** What exports read. */
export const exportEndpoints = {
  listGames,
  getGame,
  listSessions,
  listInsights,
  getEvents,
  listHandles,
  listBatches,
  listBatchKeys,
  listGameExperiments,
  getExperimentComparison,
  getHeatmap,
};
export type ExportClient = Client<typeof exportEndpoints>;

export interface ExportReaderOptions {
  readonly client: ExportClient;
  readonly pacer: Pacer;
  readonly signal: AbortSignal;
  /** Unix ms. */
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Told before each wait. */
  onWait(reason: string, ms: number): void;
  /** Told why a list is read by plain offsets. */
  onFallback(reason: string): void;
  /** Told after each request, with how many there were. */
  onRequest(requests: number): void;
}

/** Waits between attempts after a fault. */
const BACKOFF: Backoff = { firstMs: 1000, maxMs: 30_000 };

/** How long faults of one request are waited out, ms: a restart takes minutes, an error in the service does not mend. */
const MAX_OUTAGE_MS = 600_000;
const outageBudgetsMs: Readonly<Record<string, number>> = {
  network: MAX_OUTAGE_MS,
  timeout: MAX_OUTAGE_MS,
  unavailable: MAX_OUTAGE_MS,
  internal: 60_000,
};
/** What a proxy answers for a service that is down. */
const gatewayStatuses: ReadonlySet<number | null> = new Set([502, 504]);

/** How long faults of a whole run are waited out, ms: a service that stays away does not cost each series its wait. */
const MAX_TOTAL_OUTAGE_MS = 3 * MAX_OUTAGE_MS;

function getOutageBudget({ code, status }: ClientError): number {
  return gatewayStatuses.has(status) ? MAX_OUTAGE_MS : (outageBudgetsMs[code] ?? 0);
}

export class ExportReader {
  readonly client: ExportClient;
  readonly #options: ExportReaderOptions;
  #requests = 0;
  /** Time lost to faults so far, ms. */
  #lost = 0;

  constructor(options: ExportReaderOptions) {
    this.client = options.client;
    this.#options = options;
  }

  get requests(): number {
    return this.#requests;
  }

  /** Sends one request in its turn. Throws its error once a fault has lasted longer than it is waited for. */
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
    const answer = await retry(attempt, policy, {
      signal,
      sleep,
      onWait: (error, ms) => onWait((error as ClientError).message, ms),
    });
    this.#requests += 1;
    policy.succeed();
    onRequest(this.#requests);
    return answer;
  }

  /** The policy of one request: faults are waited out for as long as the request and the whole run may lose. */
  #outagePolicy(): RetryPolicy & { succeed(): void } {
    const { signal, now } = this.#options;
    let since: number | null = null;
    return {
      waitAfter: (error, attempt) => {
        if (signal.aborted || !(error instanceof ClientError)) return null;
        since ??= now();
        const lost = now() - since;
        const left = Math.min(getOutageBudget(error), MAX_TOTAL_OUTAGE_MS - this.#lost);
        const wait = backoffMs(attempt, BACKOFF);
        if (lost + wait <= left) return wait;
        this.#lost += lost;
        return null;
      },
      succeed: () => {
        if (since !== null) this.#lost += now() - since;
      },
    };
  }

  /** A whole list, page by page, each item once; where it has to fall back to plain offsets, that is told. */
  async *pages<T extends { readonly id: string }>(list: TimedList<T>): AsyncGenerator<readonly T[]> {
    const { onFallback } = this.#options;
    const walk = paginateByTime<T>({
      ...list,
      fetchPage: (range) => this.send(() => list.fetchPage(range)),
      idOf: ({ id }) => id,
      pacer: UNPACED,
      onFallback,
    });
    for await (const { items } of walk) yield items;
  }
}

/** A list between two times, newest first. */
export type TimedList<T> = Pick<TimePaginationOptions<T>, "fetchPage" | "timeOf" | "from" | "to">;

/** Lets every request through at once. */
export const UNPACED: Pacer = { before: async () => {} };
