/** Rooms: one pass over a session that gathers, for each room, its failures, successes and givings-up. */

import { NO_ROOM } from "../../../shared/tags.ts";
import { findMeaning, type Meaning } from "../meanings.ts";
import { isPlayerActivity, type RecordedSession, readRoom, type SessionEvent } from "../recorded-session.ts";

/**
 * A success that a failure in the same room follows within this time did not last, in ms. Games that judge the
 * state all the time report success and failure in turns while a slider passes the solution: in the puzzle
 * game the rules were tuned on, 19 of 20 failures after a success come within 0.7 s of it.
 */
export const LASTING_MS = 3000;

/** What happened in one room; all numbers are positions in the session's events. */
export interface RoomActivity {
  readonly name: string;
  /** False where only events without a room put it together. */
  readonly named: boolean;
  /** The first event of the room. */
  readonly entered: number;
  readonly failures: readonly number[];
  readonly successes: readonly number[];
  /** The first success that no failure undid within LASTING_MS, or null. */
  readonly firstLastingSuccess: number | null;
  /** The first giving up in the room, or null. */
  readonly firstGivenUp: number | null;
  /** The most failures between two of: entering, a lasting success, giving up, the end. */
  readonly longestRun: readonly number[];
  /** The failures that were neither made good nor given up when the session stopped. */
  readonly openRun: readonly number[];
}

/** One giving up: where it happened, and what went before. */
export interface GivingUp {
  /** Position of the event. */
  readonly at: number;
  readonly room: string;
  /** The failures in the room since its last lasting success or giving up. */
  readonly run: readonly number[];
}

/** A session gathered by room. */
export interface ActivityByRoom {
  readonly rooms: ReadonlyMap<string, RoomActivity>;
  readonly givingsUp: readonly GivingUp[];
  readonly failures: number;
  readonly successes: number;
  /** The last event that shows play, as a position; -1 when there is none. */
  readonly lastPlay: number;
  /** The room named last; null when none was. */
  readonly lastRoom: string | null;
  /** The last failure, success or crash: what the player met last; null when there is none. */
  readonly lastOutcome: { readonly at: number; readonly meaning: Meaning; readonly room: string } | null;
}

interface MutableRoomActivity extends RoomActivity {
  named: boolean;
  readonly failures: number[];
  readonly successes: number[];
  firstLastingSuccess: number | null;
  firstGivenUp: number | null;
  longestRun: number[];
  openRun: number[];
  /** A success that may still turn out not to last. */
  pending: number | null;
}

/** Gathers a session by room, in time linear in its events. */
export function groupByRoom(play: RecordedSession): ActivityByRoom {
  const gathering = new RoomCollector(play);
  for (const [at, event] of play.events.entries()) gathering.take(event, at);
  return gathering.done();
}

/** The pass itself: what has been seen up to an event. */
class RoomCollector {
  readonly #play: RecordedSession;
  readonly #rooms = new Map<string, MutableRoomActivity>();
  readonly #givingsUp: GivingUp[] = [];
  #failures = 0;
  #successes = 0;
  #lastPlay = -1;
  #lastFailed: string | null = null;
  #lastRoom: string | null = null;
  #lastOutcome: ActivityByRoom["lastOutcome"] = null;

  constructor(play: RecordedSession) {
    this.#play = play;
  }

  take(event: SessionEvent, at: number): void {
    const named = readRoom(event);
    if (named !== null) this.#visit(named, at);
    if (isPlayerActivity(event)) this.#lastPlay = at;
    const meaning = findMeaning(event.name, this.#play.meanings);
    if (meaning === null || meaning === "error") return;
    if (meaning === "givingUp") {
      // Giving up without naming a room is about the room that was failed last.
      this.#giveUp(this.#enter(named ?? this.#lastFailed ?? NO_ROOM, at), at);
      return;
    }
    const room = named ?? NO_ROOM;
    this.#lastOutcome = { at, meaning, room };
    if (meaning === "failure") this.#fail(this.#enter(room, at), at);
    if (meaning === "success") this.#succeed(this.#enter(room, at), at);
  }

  done(): ActivityByRoom {
    for (const room of this.#rooms.values()) {
      confirmSuccess(room);
      recordLongestRun(room);
    }
    return {
      rooms: this.#rooms,
      givingsUp: this.#givingsUp,
      failures: this.#failures,
      successes: this.#successes,
      lastPlay: this.#lastPlay,
      lastRoom: this.#lastRoom,
      lastOutcome: this.#lastOutcome,
    };
  }

  #visit(name: string, at: number): void {
    this.#enter(name, at).named = true;
    this.#lastRoom = name;
  }

  #enter(name: string, at: number): MutableRoomActivity {
    const known = this.#rooms.get(name);
    if (known !== undefined) return known;
    const room: MutableRoomActivity = {
      name,
      named: false,
      entered: at,
      failures: [],
      successes: [],
      firstLastingSuccess: null,
      firstGivenUp: null,
      longestRun: [],
      openRun: [],
      pending: null,
    };
    this.#rooms.set(name, room);
    return room;
  }

  #fail(room: MutableRoomActivity, at: number): void {
    this.#failures += 1;
    this.#lastFailed = room.name;
    const sinceSuccess = room.pending === null ? 0 : msBetween(this.#play.events, room.pending, at);
    if (sinceSuccess > LASTING_MS) confirmSuccess(room);
    room.pending = null;
    room.failures.push(at);
    room.openRun.push(at);
  }

  #succeed(room: MutableRoomActivity, at: number): void {
    this.#successes += 1;
    room.successes.push(at);
    room.pending = at;
  }

  #giveUp(room: MutableRoomActivity, at: number): void {
    confirmSuccess(room);
    room.firstGivenUp ??= at;
    this.#givingsUp.push({ at, room: room.name, run: room.openRun });
    startNewRun(room);
  }
}

/** Nothing undid the pending success, if there is one: it lasts, and ends the run of failures. */
function confirmSuccess(room: MutableRoomActivity): void {
  if (room.pending === null) return;
  room.firstLastingSuccess ??= room.pending;
  room.pending = null;
  startNewRun(room);
}

function startNewRun(room: MutableRoomActivity): void {
  recordLongestRun(room);
  room.openRun = [];
}

function recordLongestRun(room: MutableRoomActivity): void {
  if (room.openRun.length > room.longestRun.length) room.longestRun = room.openRun;
}

/** The ms from one event to a later one, at least 0. */
export function msBetween(events: readonly SessionEvent[], from: number, to: number): number {
  return Math.max(0, (events[to]?.timestamp ?? 0) - (events[from]?.timestamp ?? 0));
}
