/**
 * Collects what arrived and what was refused, and writes it to the log behind the live tail a few times per second. It is
 * not part of the transactions that store events, so that they do not wait for the order of the log. If the process is
 * killed, the log lacks the last arrivals, but their events are stored.
 */
import { isWarning, type RefusalReason, type WarningReason } from "../../contract/refusals.ts";
import { HOUR_MS } from "../../shared/time-units.ts";
import type { Dependencies } from "../core/dependencies.ts";
import type { Store } from "../db/store.ts";
import {
  addRefusalCounts,
  appendArrivals,
  lockArrivals,
  type NewArrival,
  pruneArrivals,
} from "./arrival-queries.ts";

/** One refused request or rejected event, or a warning about an accepted request. */
export interface Refusal {
  readonly reason: RefusalReason | WarningReason;
  readonly message: string;
  /** HTTP status of the response. */
  readonly status: number;
  /** The index of the event in the request; null for a whole request. */
  readonly index: number | null;
  /** The name of the event, if it has a valid one. */
  readonly name: string | null;
  readonly sessionId: string | null;
  readonly deviceId: string | null;
}

interface StoredBatch {
  readonly gameId: string;
  readonly sessionId: string;
  readonly seq: number;
  readonly events: number;
}

/** What has arrived for one account since the last write. */
interface PendingArrivals {
  readonly rows: NewArrival[];
  readonly counts: Map<RefusalReason, number>;
  /** The number of events and refusals that were too many to list. */
  unlisted: number;
}

/** How long arrivals wait to be written together, ms. */
const WRITE_DELAY_MS = 200;
/** Maximum number of requests per account in one write. Further ones are only counted. */
const MAX_ROWS = 200;
/** Maximum number of accounts in one write. Arrivals of further accounts are not listed. */
const MAX_ACCOUNTS = 1000;
/** Maximum number of refusals that are listed per request. */
const MAX_REFUSALS = 20;
/** Maximum length of the texts of a refusal. */
const MAX_TEXT = 500;
/** The time between two deletions of old arrivals, ms. */
const PRUNE_INTERVAL_MS = 10_000;

export class ArrivalLog {
  readonly #store: Pick<Store, "write" | "engine">;
  readonly #dependencies: Pick<Dependencies, "now" | "monotonicNow" | "report">;
  #pending = new Map<string, PendingArrivals>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #prunedAt = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(
    store: Pick<Store, "write" | "engine">,
    dependencies: Pick<Dependencies, "now" | "monotonicNow" | "report">,
  ) {
    this.#store = store;
    this.#dependencies = dependencies;
  }

  /** Adds a batch after its transaction was committed. */
  addBatch(accountId: string, { gameId, sessionId, seq, events }: StoredBatch): void {
    this.#add(accountId, { game_id: gameId, session_id: sessionId, seq, entries: events, refusals: null });
  }

  /** Adds what was refused of one request, and the warnings about it. */
  addRefusals(accountId: string, gameId: string | null, refusals: readonly Refusal[]): void {
    if (refusals.length === 0) return;
    const listed = refusals.slice(0, MAX_REFUSALS).map(shortenTexts);
    const row = { game_id: gameId, session_id: null, seq: null, entries: refusals.length };
    const counts = this.#add(accountId, { ...row, refusals: JSON.stringify(listed) })?.counts;
    for (const { reason } of refusals)
      if (!isWarning(reason)) counts?.set(reason, (counts.get(reason) ?? 0) + 1);
  }

  /** Writes what has arrived so far. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const pending = this.#pending;
    this.#pending = new Map();
    if (pending.size > 0) this.#writing = this.#writing.then(() => this.#write(pending));
    await this.#writing;
  }

  /** Writes what is left, and stops. */
  async stop(): Promise<void> {
    await this.flush();
    this.#stopped = true;
  }

  #add(accountId: string, arrival: Omit<NewArrival, "at">): PendingArrivals | null {
    if (this.#stopped) return null;
    const known = this.#pending.get(accountId);
    if (!known && this.#pending.size >= MAX_ACCOUNTS) return null;
    const pending: PendingArrivals = known ?? { rows: [], counts: new Map(), unlisted: 0 };
    this.#pending.set(accountId, pending);
    if (pending.rows.length < MAX_ROWS) pending.rows.push({ ...arrival, at: this.#dependencies.now() });
    else pending.unlisted += arrival.entries;
    this.#timer ??= setTimeout(() => void this.flush(), WRITE_DELAY_MS).unref();
    return pending;
  }

  async #write(pending: ReadonlyMap<string, PendingArrivals>): Promise<void> {
    const { now, monotonicNow, report } = this.#dependencies;
    const startedAt = monotonicNow();
    const prunes = startedAt >= this.#prunedAt + PRUNE_INTERVAL_MS;
    try {
      await this.#store.write(async (db) => {
        if (this.#store.engine === "postgres") await lockArrivals(db);
        for (const [accountId, { rows, counts, unlisted }] of pending) {
          const rest = { at: now(), game_id: null, session_id: null, seq: null, entries: unlisted };
          const all = unlisted === 0 ? rows : [...rows, { ...rest, refusals: null }];
          await appendArrivals(db, accountId, all);
          if (counts.size > 0) await addRefusalCounts(db, accountId, Math.floor(now() / HOUR_MS), counts);
        }
        if (prunes) await pruneArrivals(db, [...pending.keys()], now());
      });
      if (prunes) this.#prunedAt = startedAt;
    } catch (error) {
      report("log of arrivals", error);
    }
  }
}

function shortenTexts(refusal: Refusal): Refusal {
  return {
    ...refusal,
    message: clean(refusal.message),
    name: refusal.name === null ? null : clean(refusal.name),
  };
}

/** Text that the database can store, and not longer than needed. */
const clean = (text: string) => text.slice(0, MAX_TEXT).toWellFormed().replaceAll("\0", "\ufffd");
