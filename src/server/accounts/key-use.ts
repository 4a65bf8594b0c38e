/** Stores the day on which each key was last used: once a day per key, so that requests do not become writes. */
import { DAY_MS } from "../../shared/time-units.ts";
import type { Dependencies } from "../core/dependencies.ts";
import type { ApiKeyRow } from "../db/schema.ts";
import type { Store } from "../db/store.ts";
import { storeKeyUse } from "./account-queries.ts";

/** How long uses wait to be stored together, ms. No request waits for it. */
const WRITE_DELAY_MS = 1000;
/** Pause after a failed write, ms. On SQLite, waiting for a locked database blocks all requests. */
const RETRY_DELAY_MS = 600_000;

export class KeyUse {
  readonly #store: Pick<Store, "write">;
  readonly #dependencies: Pick<Dependencies, "now" | "report">;
  /** The day that was stored for each key by this process, or waits to be stored. */
  readonly #days = new Map<string, number>();
  #pending = new Map<string, number>();
  /** Ends when the last write has ended. */
  #writes: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Pick<Store, "write">, dependencies: Pick<Dependencies, "now" | "report">) {
    this.#store = store;
    this.#dependencies = dependencies;
  }

  /** Notes that a stored key was used now. */
  record({ hash, last_used_at }: ApiKeyRow): void {
    const day = Math.floor(this.#dependencies.now() / DAY_MS) * DAY_MS;
    if ((last_used_at !== null && last_used_at >= day) || this.#days.get(hash) === day) return;
    this.#days.set(hash, day);
    this.#pending.set(hash, day);
    this.#schedule(WRITE_DELAY_MS);
  }

  /** Stores the uses that are still waiting. All writes have ended when it returns. */
  async drain(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writes = this.#writes.then(() => this.#writePending());
    await this.#writes;
  }

  async #writePending(): Promise<void> {
    const days = this.#pending;
    if (days.size === 0) return;
    this.#pending = new Map();
    try {
      await this.#store.write(async (db) => {
        // In the order of the hashes, so that two servers cannot wait for each other.
        for (const hash of [...days.keys()].sort()) await storeKeyUse(db, hash, days.get(hash) ?? 0);
      });
    } catch (error) {
      this.#dependencies.report("last use of keys", error);
      this.#pending = new Map([...days, ...this.#pending]);
      this.#schedule(RETRY_DELAY_MS);
    }
  }

  async stop(): Promise<void> {
    await this.drain();
    clearTimeout(this.#timer);
  }

  #schedule(delayMs: number): void {
    this.#timer ??= setTimeout(() => void this.drain(), delayMs).unref();
  }
}
