/** Counts the testers by which the gate judges each tag: those who could meet it, in play that both builds have. */
import { findTagRoom, isExposed, listRooms } from "../shared/exposure.ts";
import { classifyChange, computePointChange, roundToTenth } from "../shared/friction-diff.ts";
import type { TagCounts } from "../shared/statistics/fisher.ts";
import type { GateBuild, TagChange } from "./build-comparison.ts";
import {
  countSessions,
  identifiedTesters,
  type MatchedPlay,
  type MatchedTester,
  matchPlay,
} from "./matched-play.ts";
import { expectedOddsRatio, isPlayedLonger, sumActiveTimes } from "./play-time.ts";

/** What the gate judges a tag by. */
export interface JudgedTag {
  /** The kind of the change among the judged testers. */
  readonly kind: string;
  /** Share of testers in b minus share in a, in percentage points, not rounded. */
  readonly increase: number;
  /** Null if the service does not report testers by tag. */
  readonly counts: TagCounts | null;
}

/** The testers of both builds that the gate judges. */
export interface JudgedPlay {
  readonly testersA: number;
  readonly testersB: number;
  /** Null if the service does not report the sessions of each tester. */
  readonly matched: MatchedSummary | null;
  countTag(change: TagChange): JudgedTag;
  /** The odds of a tag in b divided by those in a if this many testers have it and only the play time differs. */
  oddsRatio(withTag: number): number;
}

/** What was left out to compare equal play. */
export interface MatchedSummary {
  readonly a: MatchedSide;
  readonly b: MatchedSide;
  /** How much longer the testers of b played, such as 2 for twice as long; null if not longer than chance explains. */
  readonly longer: number | null;
}

export interface MatchedSide {
  /** Sessions without a device id. They are not judged. */
  readonly anonymousSessions: number;
  /** Sessions with a device id, and how many of them are judged. */
  readonly sessions: number;
  readonly judgedSessions: number;
}

/** The judged testers: by their matched play if it is known for both builds, and otherwise all testers. */
export function selectJudgedPlay(a: GateBuild, b: GateBuild): JudgedPlay {
  if (a.exposure === null || b.exposure === null) return countAllTesters(a, b);
  const matched = matchPlay(a.exposure, b.exposure);
  const [timesA, timesB] = [sumActiveTimes(matched.a), sumActiveTimes(matched.b)];
  const isLonger = isPlayedLonger(timesA, timesB);
  const rooms = listRooms([...matched.a, ...matched.b]);
  return {
    testersA: matched.a.length,
    testersB: matched.b.length,
    matched: {
      a: summarizeSide(a.exposure, matched.a),
      b: summarizeSide(b.exposure, matched.b),
      longer: isLonger ? sum(timesB) / timesB.length / (sum(timesA) / timesA.length) : null,
    },
    oddsRatio: (withTag) => (isLonger ? expectedOddsRatio(timesA, timesB, withTag) : 1),
    countTag: ({ tag }) => {
      const exposed = selectExposed(tag, matched, rooms);
      const [testersA, testersB] = [countTesters(exposed.a, tag), countTesters(exposed.b, tag)];
      const counts = { testersA, totalA: exposed.a.length, testersB, totalB: exposed.b.length };
      if (!isLonger) return classify(counts);
      const times = [sumActiveTimes(exposed.a), sumActiveTimes(exposed.b)] as const;
      return classify({ ...counts, oddsRatio: expectedOddsRatio(...times, testersA + testersB) });
    },
  };
}

/**
 * The testers who could meet the tag. If no tester of a build could, the room is new or gone, and the tag is judged among
 * all testers.
 */
function selectExposed(tag: string, { a, b }: MatchedPlay, rooms: ReadonlySet<string>): MatchedPlay {
  const room = findTagRoom(tag, rooms);
  if (room === null) return { a, b };
  const couldMeet = ({ sessions }: MatchedTester) =>
    sessions.some((session) => isExposed(session, tag, room));
  const exposed = { a: a.filter(couldMeet), b: b.filter(couldMeet) };
  return exposed.a.length > 0 && exposed.b.length > 0 ? exposed : { a, b };
}

const countTesters = (testers: readonly MatchedTester[], tag: string) =>
  testers.filter(({ sessions }) => sessions.some(({ tags }) => tags.includes(tag))).length;

function classify(counts: TagCounts): JudgedTag {
  const { testersA, totalA, testersB, totalB } = counts;
  const increase = computePointChange(testersA, totalA, testersB, totalB);
  return { kind: classifyChange(testersA, testersB, increase), increase, counts };
}

function countAllTesters(a: GateBuild, b: GateBuild): JudgedPlay {
  return {
    testersA: a.testers,
    testersB: b.testers,
    matched: null,
    oddsRatio: () => 1,
    countTag: ({ kind, deltaPct, testersA, testersB }) => {
      if (testersA === null || testersB === null) return { kind, increase: deltaPct, counts: null };
      const counts = { testersA, totalA: a.testers, testersB, totalB: b.testers };
      return { kind, increase: classify(counts).increase, counts };
    },
  };
}

function summarizeSide(all: NonNullable<GateBuild["exposure"]>, judged: MatchedPlay["a"]): MatchedSide {
  const identified = identifiedTesters(all);
  return {
    anonymousSessions: sum(all.filter(({ anonymous }) => anonymous).map(({ sessions }) => sessions.length)),
    sessions: countSessions(identified),
    judgedSessions: countSessions(judged),
  };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** The increase rounded as the service rounds it, in percentage points. */
export const roundIncrease = ({ increase }: JudgedTag) => roundToTenth(increase);
