/**
 * Counts what keys, games and accounts use of their budgets on a UTC day. Counts are kept in memory and added to the database
 * every few seconds, so that requests neither wait for a write nor lock a row that others need. What that means:
 *
 * - Within one process, counts are exact.
 * - Each server of a database sees what the others used after at most `WRITE_DELAY_MS` and `REFRESH_MS`.
 * - A process that is killed forgets what it counted in the last `WRITE_DELAY_MS`.
 * - The shares of addresses are counted by each process on its own, and start again with it.
 */
import { DAY_MS } from "../../../shared/time-units.ts";
import type { Dependencies } from "../../core/dependencies.ts";
import type { Db } from "../schema.ts";
import type { Store } from "../store.ts";
import { addUses, deleteOldUses, findLimits, findUses, type Subject } from "./budget-queries.ts";
import { type BudgetName, budgetNames, getBudget } from "./definitions.ts";

/** How long counts wait to be stored together, ms. */
export const WRITE_DELAY_MS = 5_000;
/** Pause after a failed write, ms. */
const RETRY_DELAY_MS = 60_000;
/** After this time, the counts of other servers and new limits are read again, ms. */
export const REFRESH_MS = 10_000;
/** How long the use of past days is kept, ms. */
export const KEEP_MS = 30 * DAY_MS;

export type Amounts = { readonly [Name in BudgetName]?: number };

interface SubjectUse {
  readonly used: Map<BudgetName, number>;
  /** The limits that were set for the subject; null for none. */
  limits: ReadonlyMap<string, number | null>;
  /** When it was read from the database, by the monotonic clock. */
  readAt: number;
}

/** What was used and not stored yet. */
interface PendingUse {
  readonly subject: Subject;
  readonly day: number;
  readonly budget: BudgetName;
  readonly used: number;
}

export class UseCounters {
  readonly #store: Pick<Store, "write">;
  readonly #dependencies: Pick<Dependencies, "now" | "monotonicNow" | "report">;
  /** What was used on the current day. */
  #subjects = new Map<Subject, SubjectUse>();
  #day = 0;
  /** What was not stored yet, by day, subject and budget. */
  #pending = new Map<string, PendingUse>();
  #writing: Promise<void> | null = null;
  /** The number of writes that have begun or ended: what was read meanwhile may or may not include them. */
  #writes = 0;
  #cleanedOn = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(
    store: Pick<Store, "write">,
    dependencies: Pick<Dependencies, "now" | "monotonicNow" | "report">,
  ) {
    this.#store = store;
    this.#dependencies = dependencies;
  }

  /** The start of the current UTC day, unix ms. A new day starts with empty counts. */
  get day(): number {
    this.#beginDay();
    return this.#day;
  }

  #beginDay(): void {
    const day = Math.floor(this.#dependencies.now() / DAY_MS) * DAY_MS;
    if (day === this.#day) return;
    this.#day = day;
    this.#subjects = new Map();
  }

  /** Reads the counts and limits of subjects, unless they were read a moment ago. */
  async load(db: Db, subjects: readonly Subject[]): Promise<void> {
    const { day } = this;
    const now = this.#dependencies.monotonicNow();
    const outdated = subjects.filter((subject) => {
      const known = this.#subjects.get(subject);
      return known === undefined || now - known.readAt >= REFRESH_MS;
    });
    if (outdated.length === 0) return;
    const writes = this.#writes;
    const uses = await findUses(db, outdated, day);
    const limits = await findLimits(db, outdated);
    if (day !== this.day) return await this.load(db, subjects);
    const isCurrent = writes === this.#writes && this.#writing === null;
    for (const subject of outdated) {
      const known = this.#subjects.get(subject);
      const isOwn = (row: { readonly subject: string }) => row.subject === subject;
      const used = known?.used ?? new Map<BudgetName, number>();
      if (isCurrent || known === undefined) this.#setUsed(subject, used, uses.filter(isOwn));
      this.#subjects.set(subject, {
        used,
        limits: new Map(limits.filter(isOwn).map(({ budget, max_use }) => [budget, max_use])),
        readAt: now,
      });
    }
  }

  #setUsed(
    subject: Subject,
    used: Map<BudgetName, number>,
    rows: readonly { readonly budget: string; readonly used: number }[],
  ): void {
    const stored = new Map(rows.map((row) => [row.budget, row.used]));
    for (const budget of budgetNames) {
      const pending = this.#pending.get(toPendingKey(this.#day, subject, budget))?.used ?? 0;
      used.set(budget, (stored.get(budget) ?? 0) + pending);
    }
  }

  /** What a subject has used today. It must have been loaded. */
  getUsed(subject: Subject, budget: BudgetName): number {
    return this.#subjects.get(subject)?.used.get(budget) ?? 0;
  }

  /** The limit of a subject: its own, or else that of `other`, or the default. Null for none. */
  getLimit(subject: Subject, budget: BudgetName, other?: Subject): number | null {
    for (const each of other === undefined ? [subject] : [subject, other]) {
      const limit = this.#subjects.get(each)?.limits.get(budget);
      if (limit !== undefined) return limit;
    }
    return getBudget(budget).limit;
  }

  /** Adds to what a subject has used on a day, or subtracts from it. */
  add(subject: Subject, budget: BudgetName, amount: number, day = this.day): void {
    const known = day === this.day ? this.#subjects.get(subject) : undefined;
    known?.used.set(budget, (known.used.get(budget) ?? 0) + amount);
    this.#addPending({ subject, day, budget, used: amount });
    this.#schedule(WRITE_DELAY_MS);
  }

  /** What each subject has used today, as far as this process knows. */
  *listUses(): Generator<{ readonly subject: Subject; readonly budget: BudgetName; readonly used: number }> {
    this.#beginDay();
    for (const [subject, { used }] of this.#subjects)
      for (const [budget, amount] of used) if (amount > 0) yield { subject, budget, used: amount };
  }

  /** Stores the counts that are still waiting. */
  async drain(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#writing;
    if (this.#pending.size === 0) return;
    // Another caller may have begun the write.
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
      this.#writes += 1;
    });
    await this.#writing;
  }

  async #write(): Promise<void> {
    const rows = [...this.#pending.values()].filter(({ used }) => used !== 0);
    const { day } = this;
    this.#pending = new Map();
    this.#writes += 1;
    try {
      await this.#store.write(async (db) => {
        await addUses(db, rows);
        if (this.#cleanedOn !== day) await deleteOldUses(db, day - KEEP_MS);
      });
      this.#cleanedOn = day;
    } catch (error) {
      this.#dependencies.report("use of budgets", error);
      for (const row of rows) this.#addPending(row);
      this.#schedule(RETRY_DELAY_MS);
    }
  }

  #addPending({ used, ...row }: PendingUse): void {
    const key = toPendingKey(row.day, row.subject, row.budget);
    this.#pending.set(key, { ...row, used: used + (this.#pending.get(key)?.used ?? 0) });
  }

  async stop(): Promise<void> {
    await this.drain();
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(delayMs: number): void {
    if (this.#stopped) return;
    this.#timer ??= setTimeout(() => void this.drain(), delayMs).unref();
  }
}

const toPendingKey = (day: number, subject: Subject, budget: BudgetName) => `${day} ${subject} ${budget}`;
