/** Applies the pruning policy of a server regularly, in the background. */
import type { PruneCounts } from "../core/observer.ts";
import type { Service } from "../db/service.ts";
import { checkClock } from "./clock.ts";
import { type PruningPolicy, removesData } from "./policy.ts";
import { prune } from "./prune.ts";
import { storePolicy } from "./state-queries.ts";

/** The wait before the first run, so that a server that starts is not slowed down, ms. */
const FIRST_WAIT_MS = 60_000;
/** The wait between two runs, ms. */
const PAUSE_MS = 10 * 60_000;

export interface Pruning {
  /** Stores the policy, and starts regular runs until `stop`. */
  start(): Promise<void>;
  /** Runs once now. Returns null if another process is pruning, or if the clock was set forward. */
  drain(): Promise<PruneCounts | null>;
  /** Finishes the current step and stops. */
  stop(): Promise<void>;
}

/** Creates the pruning of a service. Several servers may run it on the same database; one of them works at a time. */
export function createPruning(service: Service, policy: PruningPolicy): Pruning {
  const stopping = new AbortController();
  let running: Promise<PruneCounts | null> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let lookedAt: number | null = null;

  const run = async () => {
    const time = service.monotonicNow();
    const elapsedMs = time - (lookedAt ?? time);
    lookedAt = time;
    if ((await checkClock(service, elapsedMs)) !== null) return null;
    return await prune(service, policy, { signal: stopping.signal });
  };
  const drain = async () => {
    running ??= run().finally(() => {
      running = null;
    });
    return await running;
  };
  const schedule = (ms: number) => {
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => {
      void drain()
        .catch((error: unknown) => service.report("retention", error))
        .then(() => schedule(PAUSE_MS));
    }, ms);
    timer.unref();
  };
  return {
    async start() {
      await storePolicy(service.store, policy);
      if (removesData(policy)) schedule(FIRST_WAIT_MS);
    },
    drain,
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      // A failed run was already reported, or thrown to the caller of `drain`.
      await running?.catch(() => {});
    },
  };
}
