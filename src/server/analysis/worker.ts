/**
 * Analyzes sessions in the background, one at a time: first those that are due, then those whose analysis is to be repeated.
 * Sessions that a dead process left behind are analyzed again.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { backoffMs } from "../../shared/retry.ts";
import type { Db, SessionRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { lockGameSession, updateSession } from "../sessions/queries.ts";
import { analyzeSession, removeResults } from "./analyze-session.ts";
import { LEASE_MS, Lease } from "./lease.ts";
import { ModelStopped } from "./provider/faults.ts";
import { lockNext, nextDueTime, type QueueName } from "./queue-queries.ts";
import { ReanalysisProgress } from "./reanalysis-progress.ts";
import { requeueSlowSessions } from "./room-references.ts";
import { ANALYSIS_VERSION } from "./version.ts";

/** A session gets the status `failed` after this many failed attempts. */
const MAX_ATTEMPTS = 5;
/** Maximum time between checks of the queues, in ms. */
const MAX_SLEEP_MS = 30_000;

export interface AnalysisWorker {
  /** Checks the queues soon. */
  wake(): void;
  /**
   * Resolves once no session is due and no requested analysis is left. With `outdated`, also repeats the analyses of older
   * versions, which otherwise only happens in the background.
   */
  drain(options?: { readonly outdated?: boolean }): Promise<void>;
  /** Finishes the current session and stops. */
  stop(): Promise<void>;
}

/** Creates the analysis worker of a service. It first checks the queues when it is woken. */
export function startAnalysis(service: Service): AnalysisWorker {
  const repeats = new BackgroundWork(service);
  let running: Promise<void> | null = null;
  let again = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const run = async () => {
    do {
      again = false;
      while (!stopped && ((await analyzeNext(service, "due")) || (await repeats.next()))) await nextTurn();
    } while (again && !stopped);
  };
  const untilDue = async () => {
    const now = service.now();
    const due = await nextDueTime(service.store.readDb, now);
    const untilSession = due === null ? MAX_SLEEP_MS : Math.max(1, due - now);
    return Math.min(MAX_SLEEP_MS, untilSession, repeats.pauseMs() ?? MAX_SLEEP_MS);
  };
  const sleep = (ms: number) => {
    if (stopped) return;
    timer = setTimeout(wake, ms);
    timer.unref();
  };
  const wake = () => {
    clearTimeout(timer);
    again = true;
    if (stopped || running) return;
    running = run()
      .then(untilDue)
      .catch((error: unknown) => {
        service.report("the analysis queue", error);
        return MAX_SLEEP_MS;
      })
      .then(sleep)
      .finally(() => {
        running = null;
        if (again) wake();
      });
  };
  return {
    wake,
    async drain({ outdated = false } = {}) {
      const finish = repeats.hurry(outdated ? ["requested", "outdated"] : ["requested"]);
      wake();
      while (running) await running;
      finish();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** Repeats finished analyses, but pauses after each one for as long as it took, so that requests are not slowed down. */
class BackgroundWork {
  readonly #service: Service;
  readonly #progress: ReanalysisProgress;
  /** The queues of each caller that waits for them. While there is one, there are no pauses. */
  readonly #hurried = new Set<readonly QueueName[]>();
  /** When the pause ends, by the monotonic clock; null without a pause. */
  #pausedUntil: number | null = null;

  constructor(service: Service) {
    this.#service = service;
    this.#progress = new ReanalysisProgress(service);
  }

  /** Works without pauses on these queues, until the returned function is called. */
  hurry(queues: readonly QueueName[]): () => void {
    const entry = [...queues];
    this.#hurried.add(entry);
    return () => void this.#hurried.delete(entry);
  }

  /** The remaining time of the pause, in ms; null if nothing is left to do. */
  pauseMs(): number | null {
    return this.#pausedUntil === null ? null : Math.max(1, this.#pausedUntil - this.#service.monotonicNow());
  }

  /** Does the next piece of work. Returns false if there is none, or if it is to be done later. */
  async next(): Promise<boolean> {
    const hurried = [...this.#hurried].flat();
    const start = this.#service.monotonicNow();
    if (hurried.length === 0 && this.#pausedUntil !== null && start < this.#pausedUntil) return false;
    const queues: readonly QueueName[] = hurried.length > 0 ? hurried : ["requested", "outdated"];
    const worked = await this.#work(queues);
    const end = this.#service.monotonicNow();
    this.#pausedUntil = worked ? end + Math.max(1, end - start) : null;
    if (!worked) await this.#progress.finish();
    return worked;
  }

  async #work(queues: readonly QueueName[]): Promise<boolean> {
    for (const queue of queues) {
      if (await analyzeNext(this.#service, queue)) {
        await this.#progress.add();
        return true;
      }
    }
    // The usual times change while outdated analyses are repeated, so sessions are queued for them at the end.
    const now = this.#service.now();
    return await this.#service.store.write((db) => requeueSlowSessions(db, now));
  }
}

/** Analyzes the next session of a queue. Returns false if there is none. */
async function analyzeNext(service: Service, queue: QueueName): Promise<boolean> {
  const lease = await claimNext(service, queue);
  if (!lease) return false;
  const { id, analysis_attempts } = lease.session;
  try {
    if (analysis_attempts > MAX_ATTEMPTS)
      throw new Error("Every attempt to analyze this session ended with its process");
    await service.observer.analysis(id, () => analyzeClaimed(service, lease));
  } catch (error) {
    if (error instanceof ModelStopped) {
      await releaseLease(service, lease);
      return true;
    }
    service.report(`analyzing session ${id}`, error);
    await retryLater(service, lease);
  }
  return true;
}

/** Whether a claimed session is not due, so that its finished analysis is only repeated. Its status does not change. */
const isRepeat = ({ analysis_due }: SessionRow) => analysis_due === null;

async function claimNext(service: Service, queue: QueueName): Promise<Lease | null> {
  const now = service.now();
  const claimed = await service.store.write(async (db) => {
    const next = await lockNext(db, queue, now);
    if (!next) return null;
    const leaseFields = {
      analysis_lease: now + LEASE_MS,
      // Attempts of an earlier version do not count.
      analysis_attempts: queue === "outdated" ? 1 : next.analysis_attempts + 1,
      ...(isRepeat(next)
        ? { reanalysis_due: next.reanalysis_due ?? now }
        : { status: "processing" as const }),
    };
    await updateSession(db, next, leaseFields);
    return { ...next, ...leaseFields };
  });
  return claimed && new Lease(service, claimed);
}

async function analyzeClaimed(service: Service, lease: Lease): Promise<void> {
  const { session } = lease;
  const store = await analyzeSession(service, session, { repeats: isRepeat(session) });
  await updateAndRelease(service, lease, async (db, current) => ({
    ...(await store(db)),
    status: "analyzed",
    analysis_due: null,
    analysis_attempts: 0,
    // What was requested since the session was claimed is still to be done.
    reanalysis_due: current.reanalysis_due === session.reanalysis_due ? null : current.reanalysis_due,
  }));
}

/**
 * Applies the changes to a claimed session and releases its lease, in one transaction. If events or feedback arrived
 * since it was claimed, they have queued it again, and the changes are dropped. If the lease is no longer ours, nothing
 * is written.
 */
async function updateAndRelease(
  service: Service,
  lease: Lease,
  change: (db: Db, current: SessionRow) => Promise<Partial<SessionRow>>,
): Promise<void> {
  await lease.stopRenewing();
  const claimed = lease.session;
  await service.store.write(async (db) => {
    const current = await lockGameSession(db, claimed.game_id, "id", claimed.id);
    if (!current || !ownsLease(current, claimed)) return;
    // Events and feedback that arrived meanwhile have queued the session again.
    const isOutdated = current.next_batch !== claimed.next_batch || current.status === "pending";
    const changed = isOutdated ? { status: "pending" as const } : await change(db, current);
    await updateSession(db, current, { ...changed, analysis_lease: null });
  });
}

/**
 * Whether this claim still owns the lease of a session. After the lease expired, or a starting process released it,
 * another process may have claimed or finished the session. Each claim has its own attempt number, which is only reset
 * when new data queues the session again.
 */
function ownsLease(current: SessionRow, claimed: SessionRow): boolean {
  return (
    current.analysis_lease === claimed.analysis_lease &&
    (current.status === "pending" || current.analysis_attempts === claimed.analysis_attempts)
  );
}

/** Returns a session to its queue because the service stops. This does not count as a failed attempt. */
async function releaseLease(service: Service, lease: Lease): Promise<void> {
  const analysis_attempts = lease.session.analysis_attempts - 1;
  await updateAndRelease(service, lease, async () => ({ status: "pending", analysis_attempts }));
}

async function retryLater(service: Service, lease: Lease): Promise<void> {
  const { session } = lease;
  const now = service.now();
  if (session.analysis_attempts >= MAX_ATTEMPTS) {
    await updateAndRelease(service, lease, async (db) => ({
      // What older rules found must not be compared with what the current ones find.
      ...((session.analysis_version ?? ANALYSIS_VERSION) < ANALYSIS_VERSION
        ? await removeResults(db, session, now)
        : {}),
      status: "failed",
      analysis_due: null,
      reanalysis_due: null,
    }));
    return;
  }
  const at = now + backoffMs(session.analysis_attempts, { firstMs: 2000 });
  await updateAndRelease(service, lease, async () =>
    isRepeat(session) ? { reanalysis_due: at } : { status: "pending", analysis_due: at },
  );
}
