/**
 * What happened in the rooms of a session. All rules use these definitions of visits, attempts, failures and successes;
 * docs/rules.md explains them.
 */

import { NO_ROOM } from "../../shared/tags.ts";
import { type Attempt, type Mark, markRepeatedResets, readAttempts } from "./attempts.ts";
import { type AttemptMeaning, attemptMeanings, findMeaning } from "./meanings.ts";
import { type RecordedSession, readRoom, type SessionEvent } from "./recorded-session.ts";
import { readTimeline, type Timeline, type Visit } from "./visits.ts";

/**
 * Play in a room up to a success: from entering it for the first time, or from the first start or reset after a success.
 * Numbers are indexes into the session's events.
 */
export interface Stretch {
  readonly from: number;
  /** The success that ended it; null if the session has no further success in the room. */
  readonly success: number | null;
  /** Whether it is the first one, so that no success in the room comes before it. */
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
  const entered: Mark[] = name === NO_ROOM ? [{ at: 0, meaning: "enter" }] : [];
  const all = markRepeatedResets(events, [...entered, ...marks]);
  const attempts = readAttempts(events, all, delimited);
  const successes = attempts.flatMap(({ success }) => success ?? []);
  const find = (meaning: AttemptMeaning) => all.flatMap((mark) => (mark.meaning === meaning ? mark.at : []));
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
