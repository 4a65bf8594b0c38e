/** Counts where sessions ended, by room, and tests which rooms lose more testers than the others. */
import {
  type DropoffRoom,
  MAX_DROPOFF_ROOMS,
  MAX_LAST_EVENTS,
  MIN_DROPOFF_TESTERS,
} from "../../contract/dropoff.ts";
import { median } from "../../statistics/averages.ts";
import { adjustFisherPValues, type TwoByTwo } from "../../statistics/fisher.ts";
import { wilsonInterval } from "../../statistics/intervals.ts";
import type { SessionEnd } from "./session-end.ts";

/** The largest corrected p-value of a room that stands out. */
const SIGNIFICANCE = 0.05;

/** A session that was read, with its tester. */
export interface EndedSession extends SessionEnd {
  /** Null without a device id: then it is not known whose session it is. */
  readonly deviceId: string | null;
  /** Unix ms. */
  readonly recordedAt: number;
}

/** The drop-off of each room, the most quit ones first. `lastPlayed` has the last session of each device, unix ms. */
export function countDropoff(
  sessions: readonly EndedSession[],
  lastPlayed: ReadonlyMap<string, number>,
): DropoffRoom[] {
  const byRoom = new Map<string | null, EndedSession[]>();
  const entered = new Map<string, number>();
  for (const session of sessions) {
    const ended = byRoom.get(session.room);
    if (ended) ended.push(session);
    else byRoom.set(session.room, [session]);
    for (const room of session.entered) entered.set(room, (entered.get(room) ?? 0) + 1);
  }
  const tests = testRooms(findLastSessions(sessions));
  return [...new Set<string | null>([...entered.keys(), ...byRoom.keys()])]
    .map((room): DropoffRoom => {
      const test = room === null ? null : (tests.get(room) ?? null);
      return {
        room,
        ...countRoom(
          byRoom.get(room) ?? [],
          room === null ? sessions.length : (entered.get(room) ?? 0),
          lastPlayed,
        ),
        test,
        standsOut: test !== null && test.adjustedP <= SIGNIFICANCE,
      };
    })
    .sort((a, b) => b.quit - a.quit || b.quitShare - a.quitShare || compareNames(a.room ?? "", b.room ?? ""))
    .slice(0, MAX_DROPOFF_ROOMS);
}

const compareNames = (a: string, b: string) => (a < b ? -1 : 1);

function countRoom(
  ended: readonly EndedSession[],
  sessionsEntered: number,
  lastPlayed: ReadonlyMap<string, number>,
): Omit<DropoffRoom, "room" | "test" | "standsOut"> {
  const quits = ended.filter(({ outcome }) => outcome === "quit");
  const times = quits.flatMap(({ activeMs }) => activeMs ?? []);
  return {
    sessionsEntered,
    sessionsEnded: ended.length,
    completed: ended.filter(({ outcome }) => outcome === "completed").length,
    crashed: ended.filter(({ outcome }) => outcome === "crashed").length,
    quit: quits.length,
    quitShare: sessionsEntered === 0 ? 0 : quits.length / sessionsEntered,
    interval: wilsonInterval(quits.length, sessionsEntered),
    testersQuit: new Set(quits.flatMap(({ deviceId }) => deviceId ?? [])).size,
    testersNotBack: countNotBack(quits, lastPlayed),
    medianActiveSec: times.length === 0 ? null : median(times) / 1000,
    lastEvents: rankLastEvents(quits),
  };
}

/** The testers who quit one of these sessions and have not played any build since. */
export function countNotBack(
  sessions: readonly EndedSession[],
  lastPlayed: ReadonlyMap<string, number>,
): number {
  const gone = sessions.flatMap(({ deviceId, recordedAt, outcome }) =>
    deviceId !== null && outcome === "quit" && (lastPlayed.get(deviceId) ?? 0) <= recordedAt ? deviceId : [],
  );
  return new Set(gone).size;
}

function rankLastEvents(sessions: readonly EndedSession[]): DropoffRoom["lastEvents"] {
  const counts = new Map<string, number>();
  for (const { lastEvent } of sessions)
    if (lastEvent !== null) counts.set(lastEvent, (counts.get(lastEvent) ?? 0) + 1);
  return [...counts]
    .map(([name, count]) => ({ name, sessions: count }))
    .sort((a, b) => b.sessions - a.sessions || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_LAST_EVENTS);
}

/** The last session of each device. */
function findLastSessions(sessions: readonly EndedSession[]): EndedSession[] {
  const last = new Map<string, EndedSession>();
  for (const session of sessions) {
    const known = session.deviceId === null ? undefined : last.get(session.deviceId);
    if (session.deviceId !== null && (known === undefined || session.recordedAt > known.recordedAt))
      last.set(session.deviceId, session);
  }
  return [...last.values()];
}

/**
 * Tests whether testers quit more often in each room than in all other rooms together. Each room that a session entered is
 * one trial, which ends in quitting or not: the discrete-time hazard model of P. D. Allison, "Discrete-Time Methods for the
 * Analysis of Event Histories", Sociological Methodology 13 (1982), in which these trials are independent. Only one
 * session of each tester counts, because the sessions of a tester are not.
 */
export function testRooms(
  sessions: readonly SessionEnd[],
): Map<string, { testersEntered: number; testersQuit: number; adjustedP: number }> {
  const rooms = new Map<string, { entered: number; quit: number }>();
  for (const { entered, room, outcome } of sessions) {
    for (const name of entered) {
      const counts = rooms.get(name) ?? { entered: 0, quit: 0 };
      counts.entered += 1;
      if (name === room && outcome === "quit") counts.quit += 1;
      rooms.set(name, counts);
    }
  }
  const all = [...rooms.values()];
  const [trials, quits] = [
    all.reduce((sum, { entered }) => sum + entered, 0),
    all.reduce((sum, { quit }) => sum + quit, 0),
  ];
  const tested = [...rooms].filter(([, { entered }]) => entered >= MIN_DROPOFF_TESTERS);
  const tables = tested.map(
    ([, { entered, quit }]): TwoByTwo => ({
      testersA: quits - quit,
      totalA: trials - entered,
      testersB: quit,
      totalB: entered,
    }),
  );
  const adjusted = adjustFisherPValues(tables);
  return new Map(
    tested.map(([name, { entered, quit }], at) => [
      name,
      { testersEntered: entered, testersQuit: quit, adjustedP: adjusted[at] ?? 1 },
    ]),
  );
}
