/**
 * Removes what a pruning policy no longer keeps, in small steps with pauses. One run at a time works on a database. If its
 * process is killed, the next run continues where it stopped.
 */
import { randomUUID } from "node:crypto";
import { sleep } from "../../shared/sleep.ts";
import { type AuditActor, recordChange } from "../audit/audit.ts";
import type { PruneCounts } from "../core/observer.ts";
import type { Db, PruningStateRow } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { deleteSession } from "../erasure/delete-session.ts";
import type { PruningPolicy } from "./policy.ts";
import { findExpiredSession, listGameIds, type PrunableSession } from "./prune-queries.ts";
import { lockPruningState, tryLockPruningState, updatePruningState } from "./state-queries.ts";
import { addTotals, hasRemoved, nothingPruned, pruneEvents } from "./steps.ts";

/** A run that takes no step for this long, ms, has lost its process. */
const TAKEOVER_MS = 10_000;
/** The longest pause between two steps, ms. */
const MAX_PAUSE_MS = 1_000;
/** The turn of a run whose state is locked. No run has it. */
const UNKNOWN_TURN = -1;

interface PruneOptions {
  /** Ends the run after the current step. */
  readonly signal: AbortSignal;
  /** Who prunes, for the audit (default: the service on its own). */
  readonly actor?: AuditActor;
  /** Called after each step with the totals of the run so far. */
  onStep?(totals: PruneCounts): Promise<void>;
}

/** Prunes once. Returns what was removed, or null if another process is pruning. */
export async function prune(
  service: Service,
  policy: PruningPolicy,
  { signal, actor = "service", onStep }: PruneOptions,
): Promise<PruneCounts | null> {
  const run = new PruneRun(service, policy);
  if (!(await run.start(signal))) return null;
  try {
    while (!signal.aborted && (await paced(service, signal, () => run.step()))) await onStep?.(run.totals);
  } finally {
    await run.end(actor, signal.aborted);
    if (hasRemoved(run.totals)) service.observer.pruned(run.totals);
  }
  if (!signal.aborted) await releaseSpace(service, signal);
  return run.totals;
}

/** Returns the file space of deleted rows, in small steps. */
async function releaseSpace(service: Service, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await paced(service, signal, () => service.store.shrink())));
}

/** Works, then pauses for as long as the work took, so that the work of others never waits for several steps in a row. */
async function paced(
  { monotonicNow }: Service,
  signal: AbortSignal,
  work: () => Promise<boolean>,
): Promise<boolean> {
  const started = monotonicNow();
  const again = await work();
  const pause = Math.min(MAX_PAUSE_MS, Math.max(1, monotonicNow() - started));
  if (again) await sleep(pause, signal).catch(() => {});
  return again;
}

/** One run. Every step checks that no other run has taken over. */
class PruneRun {
  readonly #service: Service;
  readonly #policy: PruningPolicy;
  readonly #holder = randomUUID();
  readonly #eventsBefore: number | null;
  readonly #sessionsBefore: number | null;
  /** The games whose old sessions have not been deleted yet; null before they were listed. */
  #games: string[] | null = null;
  #after: PrunableSession | null = null;
  totals = nothingPruned;

  constructor(service: Service, policy: PruningPolicy) {
    const { keepEventsMs, keepSessionsMs } = policy;
    const now = service.now();
    this.#service = service;
    this.#policy = policy;
    this.#eventsBefore = keepEventsMs === null ? null : now - keepEventsMs;
    this.#sessionsBefore = keepSessionsMs === null ? null : now - keepSessionsMs;
  }

  /** Claims the database. Returns false if another run is at work. */
  async start(signal: AbortSignal): Promise<boolean> {
    const busy = await this.#claim(null);
    if (busy === null) return true;
    await sleep(TAKEOVER_MS, signal).catch(() => {});
    return !signal.aborted && (await this.#claim(busy)) === null;
  }

  /**
   * Removes one portion. Returns false if nothing is left. Sessions are deleted first, because others may then be analyzed
   * again, as long as they have their events.
   */
  async step(): Promise<boolean> {
    return (await this.#deleteSession()) || (await this.#removeEvents());
  }

  /** Deletes the next old session. Returns false if there is none. */
  async #deleteSession(): Promise<boolean> {
    if (this.#sessionsBefore === null) return false;
    const { store } = this.#service;
    this.#games ??= await listGameIds(store.readDb);
    for (let game = this.#games[0]; game !== undefined; game = this.#games[0]) {
      const session = await findExpiredSession(store.readDb, game, this.#sessionsBefore);
      if (session) {
        // Shows other runs that this one is alive, and checks that none has taken over.
        await this.#count(nothingPruned);
        const deleted = await deleteSession(this.#service, session.account_id, session);
        if (deleted) await this.#count({ ...nothingPruned, deletedSessions: 1 });
        return true;
      }
      this.#games.shift();
    }
    return false;
  }

  async #count(removed: PruneCounts): Promise<void> {
    await this.#service.store.write(async (db) => {
      await updatePruningState(db, countRemoved(await this.#requireState(db), removed));
    });
    this.totals = addTotals(this.totals, removed);
  }

  /** Removes the events of some old sessions. Returns false if none are left. */
  async #removeEvents(): Promise<boolean> {
    const { store, now } = this.#service;
    const { after, removed, done } = await store.write(async (db) => {
      const state = await this.#requireState(db);
      const { game_id, session_id } = state;
      const step = await pruneEvents(db, {
        time: this.#eventsBefore,
        now: now(),
        after: this.#after,
        unfinished: game_id === null || session_id === null ? null : { game_id, id: session_id },
      });
      await updatePruningState(db, {
        ...countRemoved(state, step.removed),
        game_id: step.unfinished?.game_id ?? null,
        session_id: step.unfinished?.id ?? null,
      });
      return step;
    });
    this.#after = after;
    this.totals = addTotals(this.totals, removed);
    return !done;
  }

  /** Records what was removed, and lets other runs start. */
  async end(actor: AuditActor, interrupted: boolean): Promise<void> {
    const { store, now } = this.#service;
    await store.write(async (db) => {
      if (hasRemoved(this.totals)) await this.#recordTotals(db, actor);
      const state = await lockPruningState(db);
      if (state.holder !== this.#holder) return;
      await updatePruningState(db, {
        holder: null,
        ...(interrupted ? {} : { last_pruned_at: now() }),
        // Who prunes by hand has seen what the time of the clock removes.
        ...(actor === "operator" ? { seen_at: now(), held_until: null } : {}),
      });
    });
  }

  async #recordTotals(db: Db, actor: AuditActor): Promise<void> {
    const { sessions, events, deletedSessions } = this.totals;
    await recordChange(db, this.#service, {
      action: "server.prune",
      actor,
      accountId: null,
      target: null,
      detail: { ...this.#policy, sessions, events, deletedSessions },
    });
  }

  /** Claims the database, also from a run that has not moved on from `staleTurn`. Returns the turn of another run, or null. */
  async #claim(staleTurn: number | null): Promise<number | null> {
    return await this.#service.store.write(async (db) => {
      const state = await tryLockPruningState(db);
      if (!state) return UNKNOWN_TURN;
      if (state.holder !== null && state.turn !== staleTurn) return state.turn;
      await updatePruningState(db, { holder: this.#holder, turn: state.turn + 1 });
      return null;
    });
  }

  async #requireState(db: Db): Promise<PruningStateRow> {
    const state = await lockPruningState(db);
    if (state.holder === this.#holder) return state;
    throw new Error("Another process has taken over pruning");
  }
}

function countRemoved(state: PruningStateRow, { sessions, events, deletedSessions }: PruneCounts) {
  return {
    turn: state.turn + 1,
    pruned_sessions: state.pruned_sessions + sessions,
    pruned_events: state.pruned_events + events,
    deleted_sessions: state.deleted_sessions + deletedSessions,
  };
}
