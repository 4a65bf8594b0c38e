/** Groups the failures, successes and quits of a session by room, by iterating over its events once. */
import { NO_ROOM } from "../../../shared/tags.ts";
import { findMeaning, type Meaning } from "../meanings.ts";
import {
  isPlayerActivity,
  type RecordedSession,
  readRoom,
  reportsEarlierCrash,
  type SessionEvent,
} from "../recorded-session.ts";

/**
 * A success does not count as lasting if a failure in the same room follows within this time, in ms. Games that
 * evaluate their state continuously alternate between success and failure while a slider passes the solution. In the
 * puzzle game that the rules were tuned on, 19 of 20 failures after a success follow it within 0.7 s.
 */
export const LASTING_MS = 3000;

/** What happened in one room. All numbers are indexes into the session's events. */
export interface RoomActivity {
  readonly name: string;
  /** Whether an event named this room. False for NO_ROOM, which collects the events without a room. */
  readonly named: boolean;
  /** The first event of the room. */
  readonly entered: number;
  readonly failures: readonly number[];
  readonly successes: readonly number[];
  /** The first success that no failure followed within LASTING_MS, or null. */
  readonly firstLastingSuccess: number | null;
  /** The first time the player gave up in the room, or null. */
  readonly firstGivenUp: number | null;
  /** The longest run of failures without a lasting success or giving up in between. */
  readonly longestRun: readonly number[];
  /** The failures since the last lasting success or giving up, at the end of the session. */
  readonly openRun: readonly number[];
}

/** One time the player gave up, and the failures before it. */
export interface GiveUp {
  /** Index of the event. */
  readonly at: number;
  readonly room: string;
  /** The failures in the room since its last lasting success or giving up. */
  readonly run: readonly number[];
}

/** The activity of a session, grouped by room. */
export interface ActivityByRoom {
  readonly rooms: ReadonlyMap<string, RoomActivity>;
  readonly giveUps: readonly GiveUp[];
  readonly failures: number;
  readonly successes: number;
  /** Index of the last event that shows player activity; -1 if there is none. */
  readonly lastActivity: number;
  /** The room that was named last; null if no event named a room. */
  readonly lastRoom: string | null;
  /** The last failure, success or crash; null if there is none. */
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
  /** A success that a failure may still follow within LASTING_MS. */
  pendingSuccess: number | null;
}

/** Groups a session by room, in time linear in the number of its events. */
export function groupByRoom(session: RecordedSession): ActivityByRoom {
  const collector = new RoomCollector(session);
  for (const [at, event] of session.events.entries()) collector.add(event, at);
  return collector.finish();
}

class RoomCollector {
  readonly #session: RecordedSession;
  readonly #rooms = new Map<string, MutableRoomActivity>();
  readonly #giveUps: GiveUp[] = [];
  #failures = 0;
  #successes = 0;
  #lastActivity = -1;
  #lastFailed: string | null = null;
  #lastRoom: string | null = null;
  #lastOutcome: ActivityByRoom["lastOutcome"] = null;

  constructor(session: RecordedSession) {
    this.#session = session;
  }

  add(event: SessionEvent, at: number): void {
    const named = readRoom(event);
    if (named !== null) this.#visit(named, at);
    if (isPlayerActivity(event)) this.#lastActivity = at;
    const meaning = findMeaning(event.name, this.#session.meanings);
    if (meaning === null || meaning === "error" || reportsEarlierCrash(this.#session, event)) return;
    if (meaning === "givingUp") {
      // An event that names no room counts for the room of the last failure.
      this.#giveUp(this.#enter(named ?? this.#lastFailed ?? NO_ROOM, at), at);
      return;
    }
    const room = named ?? NO_ROOM;
    this.#lastOutcome = { at, meaning, room };
    if (meaning === "failure") this.#fail(this.#enter(room, at), at);
    if (meaning === "success") this.#succeed(this.#enter(room, at), at);
  }

  finish(): ActivityByRoom {
    for (const room of this.#rooms.values()) {
      confirmSuccess(room);
      recordLongestRun(room);
    }
    return {
      rooms: this.#rooms,
      giveUps: this.#giveUps,
      failures: this.#failures,
      successes: this.#successes,
      lastActivity: this.#lastActivity,
      lastRoom: this.#lastRoom,
      lastOutcome: this.#lastOutcome,
    };
  }

  #visit(name: string, at: number): void {
    this.#enter(name, at).named = true;
    this.#lastRoom = name;
  }

  #enter(name: string, at: number): MutableRoomActivity {
    const existing = this.#rooms.get(name);
    if (existing !== undefined) return existing;
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
      pendingSuccess: null,
    };
    this.#rooms.set(name, room);
    return room;
  }

  #fail(room: MutableRoomActivity, at: number): void {
    this.#failures += 1;
    this.#lastFailed = room.name;
    const sinceSuccess =
      room.pendingSuccess === null ? 0 : msBetween(this.#session.events, room.pendingSuccess, at);
    if (sinceSuccess > LASTING_MS) confirmSuccess(room);
    room.pendingSuccess = null;
    room.failures.push(at);
    room.openRun.push(at);
  }

  #succeed(room: MutableRoomActivity, at: number): void {
    this.#successes += 1;
    room.successes.push(at);
    room.pendingSuccess = at;
  }

  #giveUp(room: MutableRoomActivity, at: number): void {
    confirmSuccess(room);
    room.firstGivenUp ??= at;
    this.#giveUps.push({ at, room: room.name, run: room.openRun });
    startNewRun(room);
  }
}

/** Records the pending success, if there is one, as lasting. This ends the current run of failures. */
function confirmSuccess(room: MutableRoomActivity): void {
  if (room.pendingSuccess === null) return;
  room.firstLastingSuccess ??= room.pendingSuccess;
  room.pendingSuccess = null;
  startNewRun(room);
}

function startNewRun(room: MutableRoomActivity): void {
  recordLongestRun(room);
  room.openRun = [];
}

function recordLongestRun(room: MutableRoomActivity): void {
  if (room.openRun.length > room.longestRun.length) room.longestRun = room.openRun;
}

/** The time from one event to a later one in ms, at least 0. Both are indexes. */
export function msBetween(events: readonly SessionEvent[], from: number, to: number): number {
  return Math.max(0, (events[to]?.timestamp ?? 0) - (events[from]?.timestamp ?? 0));
}
