/** Holds a session while it is analysed: the hold ends soon after a process dies, and is renewed for as long as one works. */

import type { SessionRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { renewLease } from "./queue-queries.ts";

/** How long a hold lasts without being renewed, ms. */
export const LEASE_MS = 15_000;
const RENEW_INTERVAL_MS = 5_000;

/** A session that this process holds. */
export class Lease {
  readonly #service: Service;
  readonly #timer: NodeJS.Timeout;
  #session: SessionRow;
  #renewing: Promise<void> = Promise.resolve();

  constructor(service: Service, session: SessionRow) {
    this.#service = service;
    this.#session = session;
    this.#timer = setInterval(() => {
      this.#renewing = this.#renewing.then(() => this.#renew());
    }, RENEW_INTERVAL_MS);
    this.#timer.unref();
  }

  /** The session as it was claimed, with the end of its lease as it is now. */
  get session(): SessionRow {
    return this.#session;
  }

  /** Renews it no longer: what is done with the session next must find the lease as it is known here. */
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
      this.#service.report(`holding session ${this.#session.id}`, error);
    }
  }
}
