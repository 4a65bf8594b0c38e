/**
 * Analyzes sessions in the background, one at a time: first those that are due, then those about which an AI model
 * is to be asked, then those whose analysis is to be repeated.
 * Sessions that a dead process left behind are analyzed again.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Service } from "../db/service.ts";
import { QUIET_MS } from "../sessions/analysis-queue.ts";
import { analyzeNext } from "./analyze-next.ts";
import { countReanalyses, nextDueTime, type QueueName, shortenLongWaits } from "./queue-queries.ts";
import { requeueSlowSessions } from "./room-references.ts";

const REPORT_INTERVAL_MS = 60_000;
/** How many changes of usual times sessions are queued for before the next one is analyzed, so that most are analyzed once for all rooms. */
const MAX_REQUEUES = 100;
/** Counting stops here, so that a report stays cheap when the queue is long. */
const MAX_COUNTED_REANALYSES = 10_000;

/** Reports the progress of repeated analyses, at most once per minute and at their end. */
class ReanalysisProgress {
  readonly #service: Service;
  #done = 0;
  #reportedAt: number | null = null;

  constructor(service: Service) {
    this.#service = service;
  }

  /** One more analysis was repeated. */
  async add(): Promise<void> {
    this.#done += 1;
    const now = this.#service.monotonicNow();
    this.#reportedAt ??= now;
    if (now - this.#reportedAt >= REPORT_INTERVAL_MS) await this.#report(now);
  }

  /** Nothing is left to do. */
  async finish(): Promise<void> {
    if (this.#done > 0) await this.#report(null);
  }

  async #report(at: number | null): Promise<void> {
    const remaining = await countReanalyses(this.#service.store.readDb, MAX_COUNTED_REANALYSES);
    this.#service.observer.reanalysis({ done: this.#done, remaining });
    this.#done = 0;
    this.#reportedAt = at;
  }
}

/** Maximum time between checks of the queues, in ms. */
const MAX_SLEEP_MS = 30_000;

export interface AnalysisWorker {
  /** Checks the queues soon. */
  wake(): void;
  /**
   * Resolves once no session is due or waits for a quiet minute, and no requested analysis is left. With `outdated`, also repeats the analyses of older
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
      await shortenLongWaits(service.store, service.now());
      while (
        !stopped &&
        ((await analyzeNext(service, "due", repeats.isHurried ? QUIET_MS : 0)) ||
          (await analyzeNext(service, "enrichment", repeats.isHurried ? QUIET_MS : 0)) ||
          (await repeats.next()))
      )
        await nextTurn();
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

  /** Whether somebody waits for it. */
  get isHurried(): boolean {
    return this.#hurried.size > 0;
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
    let requeues = 0;
    while (requeues < MAX_REQUEUES && (await this.#service.store.write((db) => requeueSlowSessions(db, now))))
      requeues += 1;
    return requeues > 0;
  }
}
