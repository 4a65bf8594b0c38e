/**
 * The attempts, failures and successes in the rooms of a session. All rules use these definitions; docs/analysis.md
 * explains them.
 */

import { NO_ROOM } from "../../shared/tags.ts";
import { findMeaning } from "./meanings.ts";
import { type RecordedSession, readRoom, type SessionEvent } from "./recorded-session.ts";
import { msBetween, readTimeline, type Timeline, type Visit } from "./visits.ts";

/**
 * A failure state less than this time after the start of an attempt, or before or after a success, in ms, is not a
 * failure: rooms start in that state, and a control that crosses the solution leaves and enters it. Outcomes with
 * different names in less than this time are one failure that is reported twice.
 */
export const SETTLE_MS = 1000;

const attemptMeanings = ["failure", "success", "failureState", "successState", "reset", "start"] as const;
type AttemptMeaning = (typeof attemptMeanings)[number];

/** A part of a visit. All numbers are indexes into the session's events. */
export interface Attempt {
  /** The event that started the attempt. */
  readonly from: number;
  /** The reset event that ended the attempt; null if it ended otherwise. */
  readonly reset: number | null;
  readonly failure: number | null;
  readonly success: number | null;
}

/**
 * Play in a room up to a success: from entering it for the first time, or from the first start or reset after a success.
 * Numbers are indexes into the session's events.
 */
export interface Stretch {
  readonly from: number;
  /** The success that ended it; null if the session has no further success in the room. */
  readonly success: number | null;
  /** Whether no success in the room comes before it. */
  readonly isFirst: boolean;
}

/** What happened in one room. All numbers are indexes into the session's events, in order. */
export interface RoomPlay {
  /** NO_ROOM for the events that name no room. */
  readonly name: string;
  readonly visits: readonly Visit[];
  readonly attempts: readonly Attempt[];
  readonly stretches: readonly Stretch[];
  readonly failures: readonly number[];
  readonly successes: readonly number[];
  readonly starts: readonly number[];
  readonly resets: readonly number[];
  readonly givingUp: readonly number[];
}

/** What happened in a session. */
export interface SessionPlay extends Timeline {
  /** In the order in which the session first entered the rooms. NO_ROOM is included only if anything happened in it. */
  readonly rooms: ReadonlyMap<string, RoomPlay>;
  /** For each event, the number of events up to it that end a row of failures. */
  readonly rowEnds: readonly number[];
}

/** An event that the attempts of a room depend on. */
interface Mark {
  readonly at: number;
  readonly meaning: AttemptMeaning | "enter";
}

interface RoomMarks {
  readonly visits: Visit[];
  readonly marks: Mark[];
  readonly givingUp: number[];
}

/** Reads what happened in a session, in time linear in the number of its events. */
export function readPlay(session: RecordedSession): SessionPlay {
  const { events } = session;
  const timeline = readTimeline(events);
  const byRoom = new Map<string, RoomMarks>();
  const rowEnds: number[] = [];
  let rowsEnded = 0;
  let delimited = false;
  for (const [at, event] of events.entries()) {
    const visit = timeline.visitAt[at] ?? null;
    if (visit?.entered === at) {
      const room = findOrCreate(byRoom, visit.room);
      room.visits.push(visit);
      room.marks.push({ at, meaning: "enter" });
    }
    const meaning = findMeaning(event.name, session.meanings);
    if (meaning === "givingUp") findOrCreate(byRoom, visit?.room ?? NO_ROOM).givingUp.push(at);
    const ofAttempt = attemptMeanings.find((known) => known === meaning);
    if (ofAttempt) findOrCreate(byRoom, readRoom(event) ?? NO_ROOM).marks.push({ at, meaning: ofAttempt });
    delimited ||= meaning === "start" || meaning === "reset";
    if (["success", "successState", "reset", "givingUp"].includes(meaning ?? "")) rowsEnded += 1;
    rowEnds.push(rowsEnded);
  }
  const rooms = [...byRoom].map(
    ([name, marks]) => [name, readRoomPlay(events, name, marks, delimited)] as const,
  );
  return { ...timeline, rooms: new Map(rooms), rowEnds };
}

function findOrCreate(byRoom: Map<string, RoomMarks>, name: string): RoomMarks {
  const room = byRoom.get(name) ?? { visits: [], marks: [], givingUp: [] };
  byRoom.set(name, room);
  return room;
}

function readRoomPlay(
  events: readonly SessionEvent[],
  name: string,
  { visits, marks, givingUp }: RoomMarks,
  delimited: boolean,
): RoomPlay {
  // The events that name no room have one visit, which lasts the whole session.
  const last = events.length - 1;
  const ofSession: Visit = { room: name, entered: 0, last, end: last, activeBeforeMs: 0 };
  const all: readonly Mark[] = name === NO_ROOM ? [{ at: 0, meaning: "enter" }, ...marks] : marks;
  const attempts = new AttemptReader(events, all, delimited).read();
  const successes = attempts.flatMap(({ success }) => success ?? []);
  const find = (meaning: AttemptMeaning) =>
    marks.flatMap((mark) => (mark.meaning === meaning ? mark.at : []));
  return {
    name,
    visits: name === NO_ROOM ? [ofSession] : visits,
    attempts,
    failures: attempts.flatMap(({ failure }) => failure ?? []),
    successes,
    stretches: divideIntoStretches(all, successes),
    starts: find("start"),
    resets: find("reset"),
    givingUp,
  };
}

function divideIntoStretches(marks: readonly Mark[], successes: readonly number[]): readonly Stretch[] {
  const stretches: Stretch[] = [];
  const starts = marks.filter(({ meaning }) => meaning === "start" || meaning === "reset");
  let from = marks[0]?.at ?? null;
  let next = 0;
  for (const success of [...successes, null]) {
    if (from === null || (success !== null && from > success)) continue;
    stretches.push({ from, success, isFirst: stretches.length === 0 });
    while (success !== null && (starts[next]?.at ?? success + 1) <= success) next += 1;
    from = starts[next]?.at ?? null;
  }
  return stretches;
}

/** Divides the visits to one room into attempts. */
class AttemptReader {
  readonly #events: readonly SessionEvent[];
  readonly #marks: readonly Mark[];
  readonly #delimited: boolean;
  readonly #attempts: Attempt[] = [];
  #from = 0;
  #failure: number | null = null;
  /** The first success state of the attempt that no failure state followed so far. */
  #solved: number | null = null;
  #lastFailure: number | null = null;

  constructor(events: readonly SessionEvent[], marks: readonly Mark[], delimited: boolean) {
    this.#events = events;
    this.#marks = marks;
    this.#delimited = delimited;
  }

  read(): readonly Attempt[] {
    const crossing = this.#findCrossings();
    for (const [index, mark] of this.#marks.entries()) {
      if (index === 0) this.#from = mark.at;
      else this.#add(mark, crossing.has(mark.at));
    }
    if (this.#marks.length > 0) this.#end(null, this.#solved);
    return this.#attempts;
  }

  #add({ at, meaning }: Mark, isCrossing: boolean): void {
    if (meaning === "failure") {
      this.#fail(at);
      this.#end(at, null);
    } else if (meaning === "success") this.#end(at, at);
    else if (meaning === "failureState") {
      this.#solved = null;
      if (isCrossing) return;
      this.#fail(at);
      if (!this.#delimited) this.#end(at, null);
    } else if (meaning === "successState") {
      if (this.#delimited) this.#solved ??= at;
      else if (!isCrossing) this.#end(at, at);
    } else this.#end(at, this.#solved, meaning === "reset" ? at : null);
  }

  /** Counts a failure, unless it is the second one of the attempt, or another name for the previous one. */
  #fail(at: number): void {
    const previous = this.#lastFailure;
    const isReported =
      previous !== null &&
      this.#events[previous]?.name !== this.#events[at]?.name &&
      msBetween(this.#events, previous, at) < SETTLE_MS;
    if (isReported || this.#failure !== null) return;
    this.#failure = at;
    this.#lastFailure = at;
  }

  /** Ends the attempt. The next one starts with the same event. */
  #end(at: number | null, success: number | null, reset: number | null = null): void {
    this.#attempts.push({ from: this.#from, reset, failure: this.#failure, success });
    this.#from = at ?? this.#from;
    this.#failure = null;
    this.#solved = null;
  }

  /**
   * The failure states that are not failures, because the room starts in them or a control crosses the solution, and in
   * a session without starts and resets, the success states that do not last.
   */
  #findCrossings(): ReadonlySet<number> {
    return new Set([...this.#findSettling(), ...this.#findUndone()]);
  }

  /** The failure states soon after the room was entered, a start, a reset or a success. */
  #findSettling(): number[] {
    let before: number | null = null;
    return this.#marks.flatMap(({ at, meaning }) => {
      if (meaning === "failureState") return this.#isSoon(before, at) ? at : [];
      if (meaning !== "failure") before = at;
      return [];
    });
  }

  /** The failure states soon before a success, and the success states soon before a failure state of the same visit. */
  #findUndone(): number[] {
    let success: number | null = null;
    let failure: number | null = null;
    return this.#marks.toReversed().flatMap(({ at, meaning }) => {
      const next = meaning === "failureState" ? success : this.#delimited ? null : failure;
      if (meaning === "success" || meaning === "successState") success = at;
      if (meaning === "failureState") failure = at;
      if (meaning === "enter") failure = null;
      const isState = meaning === "failureState" || meaning === "successState";
      return isState && this.#isSoon(at, next) ? at : [];
    });
  }

  #isSoon(from: number | null, to: number | null): boolean {
    return from !== null && to !== null && msBetween(this.#events, from, to) < SETTLE_MS;
  }
}
