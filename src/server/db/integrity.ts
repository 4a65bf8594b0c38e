/**
 * Whether the database is damaged. Once damage is found, nothing is written until the server is restarted: a write could
 * overwrite pages that are still readable. Reads go on.
 */
import { HttpError } from "../../contract/errors.ts";
import type { Dependencies } from "../core/dependencies.ts";
import { ServiceError } from "../core/errors.ts";
import { isCorrupt } from "./errors.ts";
import type { Store } from "./store.ts";

/** The value of Retry-After, ms. Clients keep their events and send them again. */
const RETRY_MS = 60_000;

export class Integrity {
  readonly #location: string;
  readonly #report: Dependencies["report"];
  #isDamaged = false;
  #checkedAt: number | null = null;

  constructor(location: string, report: Dependencies["report"]) {
    this.#location = location;
    this.#report = report;
  }

  get isDamaged(): boolean {
    return this.#isDamaged;
  }

  /** When the last complete check ended, unix ms; null if none has ended yet. */
  get checkedAt(): number | null {
    return this.#checkedAt;
  }

  /** A complete check has ended at `now`, unix ms. */
  recordCheck(now: number): void {
    this.#checkedAt = now;
  }

  /** Records damage, and reports it the first time. `found` says where, without any content. */
  recordDamage(found: string): void {
    if (this.#isDamaged) return;
    this.#isDamaged = true;
    const error = new ServiceError("unusable", {
      message:
        `The database ${this.#location} is damaged (${found}). Nothing is stored anymore. ` +
        "Run `playtest server check` to see what is damaged and how to recover.",
    });
    this.#report("database check", error);
  }

  /** Records damage if an error of a query shows it. */
  observe(error: unknown): void {
    if (isCorrupt(error)) this.recordDamage("a query failed");
  }

  /** Throws the error of a write to a damaged database. */
  requireIntact(): void {
    if (this.#isDamaged) throw new DatabaseDamaged();
  }
}

/** A write was refused because the database is damaged, which was already reported. */
export class DatabaseDamaged extends HttpError {
  constructor() {
    super("unavailable", {
      message: "The database is damaged, so nothing is stored until its operator has restored it",
      extra: { reason: "database_damaged", retryAfterMs: RETRY_MS },
    });
  }
}

/** A store that refuses writes once the database is damaged. */
export function refuseWritesIfDamaged(store: Store, integrity: Integrity): Store {
  const guard =
    <Args extends readonly unknown[], T>(write: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      // Without a further turn of the event loop, in which another connection of this process could wait for the transaction.
      integrity.isDamaged ? Promise.reject(new DatabaseDamaged()) : write(...args);
  return {
    ...store,
    write: guard(store.write) as Store["write"],
    serializable: guard(store.serializable) as Store["serializable"],
    syncLater: guard(store.syncLater) as Store["syncLater"],
    shrink: guard(store.shrink),
    purgeDeleted: guard(store.purgeDeleted),
  };
}
