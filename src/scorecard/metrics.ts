/**
 * The metrics of a scorecard. Each says who counts, what counts, which direction is worse and what its rows are. A new metric
 * is one more entry of `METRICS`.
 */
import { couldMeet, findTagSubject, listSubjects, type TagSubject } from "../shared/tag-subjects.ts";
import { DAY_MS } from "../shared/time-units.ts";
import { mean, sum } from "../statistics/averages.ts";
import type { GroupFacts, SessionFacts, TesterFacts } from "./facts.ts";

/** Metrics that are corrected together. */
export type Family = "friction" | "quits" | "ratings" | "crash" | "return" | "time";

/** What the rows of one metric measure for a tester. */
export interface Measure {
  /** What follows the name of the metric, such as the room; null for a metric with one row. */
  readonly subject: string | null;
  /** The room that has to exist in both groups; null if the row is not about a room. */
  readonly room: string | null;
  /** The value of a tester with these sessions; null if the tester does not count. */
  measure(sessions: readonly SessionFacts[], tester: TesterFacts): number | null;
}

export interface Metric {
  readonly name: string;
  readonly family: Family;
  /** Which direction is worse; null if neither is. */
  readonly worse: "more" | "less" | null;
  /** `share`: the share of testers with the value 1; `points` and `sec`: the mean of values. */
  readonly unit: "share" | "points" | "sec";
  /** Whether longer play alone makes the outcome more likely, so that only equally long play is compared. */
  readonly needsEqualPlay: boolean;
  /** Whether the rows decide something; `completion` does not beside `quit`. */
  readonly decides: boolean;
  listRows(groups: readonly GroupFacts[]): Measure[];
}

const DAY_SEC = DAY_MS / 1000;

const sessionsOf = (groups: readonly GroupFacts[]): SessionFacts[] =>
  groups.flatMap(({ testers }) => testers.flatMap(({ sessions }) => sessions));

const distinct = <T>(values: Iterable<T>): T[] => [...new Set(values)];

/** The rooms that any session of the groups entered. */
export const roomsOf = (groups: readonly GroupFacts[]): string[] =>
  distinct(sessionsOf(groups).flatMap(({ rooms }) => rooms.map(({ room }) => room)));

const toNumber = (condition: boolean): number => (condition ? 1 : 0);

const findRoom = ({ rooms }: SessionFacts, room: string) => rooms.find((one) => one.room === room);

/** Rows about a room count the testers who entered it. */
const measureRoom = (room: string, hasOutcome: (sessions: readonly SessionFacts[]) => boolean): Measure => ({
  subject: room,
  room,
  measure: (sessions) =>
    sessions.some((session) => findRoom(session, room)) ? toNumber(hasOutcome(sessions)) : null,
});

/** Whether the last session in which something happened in the room quit there, and no later one completed it. */
function hasQuit(sessions: readonly SessionFacts[], room: string, isHub: boolean): boolean {
  const visited = sessions.flatMap((session) => findRoom(session, room) ?? []);
  const lastQuit = visited.findLastIndex(({ quit, gaveUp }) => quit && (gaveUp || !isHub));
  return lastQuit >= 0 && !visited.slice(lastQuit + 1).some(({ completed }) => completed);
}

/** Rooms in which nobody can succeed or fail, such as menus. A session often ends there without anybody giving up. */
function findHubs(groups: readonly GroupFacts[]): ReadonlySet<string> {
  const played = new Set(
    sessionsOf(groups).flatMap(({ rooms }) =>
      rooms.filter(({ completed, failed }) => completed || failed).map(({ room }) => room),
    ),
  );
  return new Set(roomsOf(groups).filter((room) => !played.has(room)));
}

/** What a session could meet, whatever it met. */
const withoutTags = ({ rooms, questions }: SessionFacts) => ({ rooms, questions, tags: [] });

/** A tag, among the testers who could meet it. */
const measureTag = (tag: string, subject: TagSubject | null): Measure => ({
  subject: tag,
  room: subject?.kind === "room" ? subject.name : null,
  measure: (sessions) => {
    const known = sessions.filter(({ analyzed }) => analyzed);
    if (known.some(({ tags }) => tags.some((one) => one.tag === tag))) return 1;
    return known.some((session) => couldMeet(withoutTags(session), tag, subject)) ? 0 : null;
  },
});

/** The mean of the answers of a tester to one field. */
const measureField = (field: string): Measure => ({
  subject: field,
  room: null,
  measure: (sessions) => {
    const values = sessions.flatMap(({ answers }) =>
      answers.filter((answer) => answer.field === field).map(({ value }) => value),
    );
    return values.length === 0 ? null : mean(values);
  },
});

export const METRICS: readonly Metric[] = [
  {
    name: "friction",
    family: "friction",
    worse: "more",
    unit: "share",
    needsEqualPlay: true,
    decides: true,
    listRows: (groups) => {
      const tags = distinct(sessionsOf(groups).flatMap((session) => session.tags.map(({ tag }) => tag)));
      const subjects = listSubjects(
        groups.flatMap(({ testers }) =>
          testers.map(({ sessions }) => ({ sessions: sessions.map(withoutTags) })),
        ),
      );
      return tags.map((tag) => measureTag(tag, findTagSubject(tag, subjects)));
    },
  },
  {
    name: "quit",
    family: "quits",
    worse: "more",
    unit: "share",
    needsEqualPlay: false,
    decides: true,
    listRows: (groups) => {
      const hubs = findHubs(groups);
      return roomsOf(groups).map((room) =>
        measureRoom(room, (sessions) => hasQuit(sessions, room, hubs.has(room))),
      );
    },
  },
  {
    name: "completion",
    family: "quits",
    worse: "less",
    unit: "share",
    needsEqualPlay: false,
    decides: false,
    listRows: (groups) =>
      roomsOf(groups).map((room) =>
        measureRoom(room, (sessions) => sessions.some((session) => findRoom(session, room)?.completed)),
      ),
  },
  {
    name: "rating",
    family: "ratings",
    worse: "less",
    unit: "points",
    needsEqualPlay: false,
    decides: true,
    listRows: (groups) =>
      distinct(sessionsOf(groups).flatMap(({ answers }) => answers.map(({ field }) => field))).map(
        measureField,
      ),
  },
  {
    name: "crash",
    family: "crash",
    worse: "more",
    unit: "share",
    needsEqualPlay: true,
    decides: true,
    listRows: () => [
      {
        subject: null,
        room: null,
        measure: (sessions) =>
          sessions.length === 0 ? null : toNumber(sessions.some(({ crashed }) => crashed)),
      },
    ],
  },
  {
    name: "return:day-1",
    family: "return",
    worse: "less",
    unit: "share",
    needsEqualPlay: false,
    decides: false,
    listRows: () => [
      {
        subject: null,
        room: null,
        measure: (sessions, { observedSec }) =>
          observedSec < 2 * DAY_SEC
            ? null
            : toNumber(sessions.some(({ startSec }) => startSec >= DAY_SEC && startSec < 2 * DAY_SEC)),
      },
    ],
  },
  {
    name: "active-time",
    family: "time",
    worse: null,
    unit: "sec",
    needsEqualPlay: false,
    decides: false,
    listRows: () => [
      {
        subject: null,
        room: null,
        measure: (sessions) =>
          sessions.length === 0 ? null : sum(sessions.map(({ activeSec }) => activeSec)),
      },
    ],
  },
];
