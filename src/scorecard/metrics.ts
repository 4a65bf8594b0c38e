/**
 * The metrics of a scorecard. Each says who counts, what counts, which direction is worse and what its rows are. A new metric
 * is one more entry of `METRICS`.
 */
import { DAY_MS } from "../shared/time-units.ts";
import { sum } from "../statistics/averages.ts";
import type { SessionFacts, TesterFacts } from "./facts.ts";
import { measureFrameTime, measureLoadTime, measureMemory, measureStutters } from "./performance.ts";
import type { Scope } from "./scope.ts";

/** Metrics that are corrected together. */
export type Family = "friction" | "quits" | "ratings" | "crash" | "performance" | "return" | "time";

/**
 * What follows the name of the metric in the name of a row, such as the room; null for the row of a metric that has only
 * one.
 */
export type Subject = string | null;

/** A tester, and those of their sessions that count. */
export interface Play {
  readonly tester: TesterFacts;
  readonly sessions: readonly SessionFacts[];
}

/** Sets the value of a tester in a row. Testers without a value do not count in it. */
export type SetValue = (subject: Subject, value: number) => void;

export interface Metric {
  readonly name: string;
  readonly family: Family;
  /** Which direction is worse; null if neither is. */
  readonly worse: "more" | "less" | null;
  /** `share`: the share of testers with the value 1. All others are means of values: points, seconds, ms, MB, or counts per minute. */
  readonly unit: "share" | "points" | "sec" | "ms" | "mb" | "per-min";
  /** Whether longer play alone makes the outcome more likely, so that only equally long play is compared. */
  readonly needsEqualPlay: boolean;
  /** Whether the rows decide something; `completion` does not beside `quit`. */
  readonly decides: boolean;
  /** The rules that find the outcome, lengths and crashes included; null for what testers sent. Groups are only comparable if the same versions of them read both. */
  readonly foundBy: "analysis" | "outcomes" | null;
  listSubjects(scope: Scope): Iterable<Subject>;
  /** The room that has to exist in both groups; null if the row is not about a room. */
  findRoom(subject: Subject, scope: Scope): string | null;
  /** Sets the values of a tester in the rows in which the tester counts. */
  measure(play: Play, set: SetValue, scope: Scope): void;
}

const DAY_SEC = DAY_MS / 1000;

const toNumber = (condition: boolean): number => (condition ? 1 : 0);

/** Overridden where a metric differs. */
const usual = { worse: "more", unit: "share", needsEqualPlay: false, decides: true, foundBy: null } as const;

const hasNoRoom = { findRoom: () => null };
const isRoom = { findRoom: (room: Subject) => room, listSubjects: ({ rooms }: Scope) => rooms.all };
const isPerformance = { ...usual, ...hasNoRoom, family: "performance", foundBy: "outcomes" } as const;
const isSingle = { ...hasNoRoom, listSubjects: () => [null] };

/** Every tag, among the testers who could meet it. */
function measureTags({ sessions }: Play, set: SetValue, scope: Scope): void {
  const known = sessions.filter(({ analyzed }) => analyzed);
  if (known.length === 0) return;
  for (const tag of scope.generalTags) set(tag, 0);
  for (const { rooms, questions } of known) {
    for (const { room } of rooms) for (const tag of scope.tagsByRoom.get(room) ?? []) set(tag, 0);
    for (const question of questions) for (const tag of scope.tagsByQuestion.get(question) ?? []) set(tag, 0);
  }
  for (const { tags } of known) for (const { tag } of tags) set(tag, 1);
}

/** Whether the last session in which something happened in a room quit there, and no later one completed it. */
function measureQuits({ sessions }: Play, set: SetValue, { hubs }: Scope): void {
  const quits = new Map<string, boolean>();
  for (const { rooms } of sessions) {
    for (const { room, quit, gaveUp, completed } of rooms) {
      const before = quits.get(room) ?? false;
      quits.set(room, (quit && (gaveUp || !hubs.has(room))) || (before && !completed));
    }
  }
  for (const [room, hasQuit] of quits) set(room, toNumber(hasQuit));
}

function measureCompletions({ sessions }: Play, set: SetValue): void {
  for (const { rooms } of sessions) for (const { room } of rooms) set(room, 0);
  for (const { rooms } of sessions) for (const { room, completed } of rooms) if (completed) set(room, 1);
}

/** The latest answer of a tester to each field of a kind. */
const measureAnswers =
  (kind: string): Metric["measure"] =>
  ({ sessions }, set) => {
    for (const { answers } of sessions)
      for (const answer of answers) if (answer.kind === kind) set(answer.field, answer.value);
  };

function measureReturn({ tester: { observedSec }, sessions }: Play, set: SetValue): void {
  if (observedSec < 2 * DAY_SEC) return;
  set(null, toNumber(sessions.some(({ startSec }) => startSec >= DAY_SEC && startSec < 2 * DAY_SEC)));
}

export const METRICS: readonly [friction: Metric, ...others: Metric[]] = [
  {
    ...usual,
    name: "friction",
    family: "friction",
    needsEqualPlay: true,
    foundBy: "analysis",
    listSubjects: ({ tags }) => tags,
    findRoom: (tag, { roomByTag }) => roomByTag.get(tag ?? "") ?? null,
    measure: measureTags,
  },
  {
    ...usual,
    name: "quit",
    family: "quits",
    foundBy: "outcomes",
    ...isRoom,
    measure: measureQuits,
  },
  {
    ...usual,
    name: "completion",
    family: "quits",
    worse: "less",
    decides: false,
    foundBy: "outcomes",
    ...isRoom,
    measure: measureCompletions,
  },
  {
    ...usual,
    name: "rating",
    family: "ratings",
    worse: "less",
    unit: "points",
    ...hasNoRoom,
    listSubjects: ({ ratings }) => ratings,
    measure: measureAnswers("rating"),
  },
  {
    ...usual,
    name: "yes",
    family: "ratings",
    worse: "less",
    ...hasNoRoom,
    listSubjects: ({ yesNoFields }) => yesNoFields,
    measure: measureAnswers("yes-no"),
  },
  {
    ...usual,
    name: "crash",
    family: "crash",
    needsEqualPlay: true,
    foundBy: "outcomes",
    ...isSingle,
    measure: ({ sessions }, set) => {
      if (sessions.length > 0) set(null, toNumber(sessions.some(({ crashed }) => crashed)));
    },
  },
  {
    name: "frame-time-p95",
    ...isPerformance,
    unit: "ms",
    listSubjects: ({ performance }) => performance.frames,
    measure: measureFrameTime,
  },
  {
    name: "stutter",
    ...isPerformance,
    unit: "per-min",
    listSubjects: ({ performance }) => performance.frames,
    measure: measureStutters,
  },
  {
    name: "load-time",
    ...isPerformance,
    unit: "ms",
    listSubjects: ({ performance }) => performance.loads,
    measure: measureLoadTime,
  },
  {
    name: "memory",
    ...isPerformance,
    unit: "mb",
    listSubjects: ({ performance }) => performance.memory,
    measure: measureMemory,
  },
  {
    ...usual,
    name: "return:day-1",
    family: "return",
    worse: "less",
    decides: false,
    ...isSingle,
    measure: measureReturn,
  },
  {
    name: "active-time",
    family: "time",
    worse: null,
    unit: "sec",
    needsEqualPlay: false,
    decides: false,
    foundBy: "outcomes",
    ...isSingle,
    measure: ({ sessions }, set) => {
      if (sessions.length > 0) set(null, sum(sessions.map(({ activeSec }) => activeSec)));
    },
  },
];
