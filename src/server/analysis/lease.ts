/**
 * A lease on a session while it is being analyzed. It is renewed while the process works, and expires soon after it
 * dies.
 */

import type { SessionRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { LEASE_MS, type QueueName, renewLease } from "./queue-queries.ts";

const RENEW_INTERVAL_MS = 5_000;

/** A session that this process has leased. */
export class Lease {
  /** The queue from which the session was taken. */
  readonly queue: QueueName;
  readonly #service: Service;
  readonly #timer: NodeJS.Timeout;
  #session: SessionRow;
  #renewing: Promise<void> = Promise.resolve();

  constructor(service: Service, session: SessionRow, queue: QueueName) {
    this.queue = queue;
    this.#service = service;
    this.#session = session;
    this.#timer = setInterval(() => {
      this.#renewing = this.#renewing.then(() => this.#renew());
    }, RENEW_INTERVAL_MS);
    this.#timer.unref();
  }

  /** The session as it was claimed, with the current expiry of its lease. */
  get session(): SessionRow {
    return this.#session;
  }

  /** Stops renewing. After that, the lease in the database matches `session`, so a write can check it. */
  async stopRenewing(): Promise<void> {
    clearInterval(this.#timer);
    await this.#renewing;
  }

  async #renew(): Promise<void> {
    const until = this.#service.now() + LEASE_MS;
    try {
      if (await renewLease(this.#service.store.writeDb, this.#session, until))
        this.#session = { ...this.#session, analysis_lease: until };
    } catch (error) {
      this.#service.report(`renewing the lease of session ${this.#session.id}`, error);
    }
  }
}
