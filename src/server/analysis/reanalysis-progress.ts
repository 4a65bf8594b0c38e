/** Reports the progress of repeated analyses, at most once per minute and at their end. */
import type { Service } from "../db/service.ts";
import { countReanalyses } from "./queue-queries.ts";

const REPORT_INTERVAL_MS = 60_000;
/** Counting stops here, so that a report stays cheap when the queue is long. */
export const MAX_COUNTED_REANALYSES = 10_000;

export class ReanalysisProgress {
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
