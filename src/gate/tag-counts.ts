/** Counts the testers by which the gate judges each tag: those who could meet it, in play that both builds have. */

import { classifyChange, computePointChange, roundToTenth } from "../shared/friction-diff.ts";
import { couldMeet, findTagSubject, listSubjects, type TagSubject } from "../shared/tag-subjects.ts";
import { sum } from "../statistics/averages.ts";
import type { Alternative, TwoByTwo } from "../statistics/fisher.ts";
import { expectedOddsRatio } from "../statistics/hazard.ts";
import type { GateBuild, TagChange } from "./build-comparison.ts";
import {
  countSessions,
  identifiedTesters,
  type MatchedPlay,
  type MatchedTester,
  matchPlay,
} from "./matched-play.ts";
import { isPlayedClearlyLonger, isPlayedLonger, sumActiveTimes } from "./play-time.ts";

/** What the gate judges a tag by. */
export interface JudgedTag {
  /** The kind of the change among the judged testers. */
  readonly kind: string;
  /** Share of testers in b minus share in a, in percentage points, not rounded. */
  readonly increase: number;
  /** Null if the service does not report testers by tag. */
  readonly counts: TwoByTwo | null;
  /** The counts among all testers, if the tag is judged among those who could meet it; otherwise null. */
  readonly allCounts: TwoByTwo | null;
  /** What the tag is about; null if all testers could meet it. */
  readonly subject: TagSubject | null;
  /** Whether testers of a entered the room of the tag, but nobody in b did. */
  readonly isRoomGone: boolean;
  /** Whether testers of both builds answered the question of the tag, or the tag is not about a question. */
  readonly isAnswered: boolean;
}

/** The testers of both builds that the gate judges. */
export interface JudgedPlay {
  readonly testersA: number;
  readonly testersB: number;
  /** Null if the service does not report the sessions of each tester. */
  readonly matched: MatchedSummary | null;
  countTag(change: TagChange): JudgedTag;
  /** Whether the testers of b clearly played longer, not only at the level at which the test makes an allowance. */
  readonly isClearlyLonger: boolean;
  /** The odds of a tag in b divided by those in a if this many testers have it and only the play time differs. */
  oddsRatio(withTag: number): number;
}

/** What was left out to compare equal play. */
export interface MatchedSummary {
  readonly a: MatchedSide;
  readonly b: MatchedSide;
  /**
   * The play time per tester of b divided by that of a, such as 2 for twice as long; null if it differs only by chance.
   * Below 1 only in two-sided tests.
   */
  readonly longer: number | null;
}

export interface MatchedSide {
  /** Sessions without a device id. They are not judged. */
  readonly anonymousSessions: number;
  /** Sessions with a device id, and how many of them are judged. */
  readonly sessions: number;
  readonly judgedSessions: number;
}

/**
 * The judged testers: by their matched play if it is known for both builds, and otherwise all testers. A two-sided test
 * also allows for longer play in a.
 */
export function selectJudgedPlay(
  a: PlayedBuild,
  b: PlayedBuild,
  alternative: Alternative = "greater",
): JudgedPlay {
  if (a.history === null || b.history === null) return countAllTesters(a, b);
  const matched = matchPlay(a.history, b.history);
  const [timesA, timesB] = [sumActiveTimes(matched.a), sumActiveTimes(matched.b)];
  const longer = findLongerPlayed(timesA, timesB, alternative);
  const subjects = listSubjects([...matched.a, ...matched.b]);
  return {
    testersA: matched.a.length,
    testersB: matched.b.length,
    matched: {
      a: summarizeSide(a.history, matched.a),
      b: summarizeSide(b.history, matched.b),
      longer: longer && computePlayRatio(timesA, timesB),
    },
    isClearlyLonger: isPlayedClearlyLonger(timesA, timesB),
    oddsRatio: (withTag) => allowForPlayTime(longer, timesA, timesB, withTag),
    countTag: ({ tag }) => {
      const subject = findTagSubject(tag, subjects);
      const room = subject?.kind === "room" ? subject.name : null;
      const { play, isRoomGone } = selectExposed(tag, subject, matched);
      const longerOutside =
        room === null
          ? longer
          : findLongerPlayed(sumActiveTimes(matched.a, room), sumActiveTimes(matched.b, room), alternative);
      const isPart = play.a.length < matched.a.length || play.b.length < matched.b.length;
      return {
        ...classify(countPlay(tag, room, play, longerOutside)),
        allCounts: isPart ? countPlay(tag, room, matched, longerOutside) : null,
        subject,
        isRoomGone,
        isAnswered: subject?.kind !== "question" || Math.min(play.a.length, play.b.length) > 0,
      };
    },
  };
}

/** What the selection needs of a build. */
type PlayedBuild = Pick<GateBuild, "testers" | "history">;

type Times = readonly number[];

/** The mean time of b divided by that of a; null if a build has no active time at all. */
function computePlayRatio(timesA: Times, timesB: Times): number | null {
  const [meanA, meanB] = [sum(timesA) / timesA.length, sum(timesB) / timesB.length];
  return meanA > 0 && meanB > 0 ? meanB / meanA : null;
}

/** The build that was played longer than chance explains. One-sided tests need no allowance for longer play in a. */
function findLongerPlayed(timesA: Times, timesB: Times, alternative: Alternative): "a" | "b" | null {
  if (isPlayedLonger(timesA, timesB)) return "b";
  return alternative === "two-sided" && isPlayedLonger(timesB, timesA) ? "a" : null;
}

/** The odds of a tag in b divided by those in a that the play time explains. */
function allowForPlayTime(longer: "a" | "b" | null, timesA: Times, timesB: Times, withTag: number): number {
  if (longer === null) return 1;
  return longer === "b"
    ? expectedOddsRatio(timesA, timesB, withTag)
    : 1 / expectedOddsRatio(timesB, timesA, withTag);
}

/**
 * The testers who could meet the tag. If nobody in a build entered a room, it is new or gone, and its tags are judged among
 * all testers: a new room is a part of the game that can be worse. If nobody in a build answered a question, it may not
 * have been asked there, so nothing can be said about its answers.
 */
function selectExposed(
  tag: string,
  subject: TagSubject | null,
  { a, b }: MatchedPlay,
): { readonly play: MatchedPlay; readonly isRoomGone: boolean } {
  if (subject === null) return { play: { a, b }, isRoomGone: false };
  const isExposed = ({ sessions }: MatchedTester) =>
    sessions.some((session) => couldMeet(session, tag, subject));
  const exposed = { a: a.filter(isExposed), b: b.filter(isExposed) };
  if (subject.kind === "question") return { play: exposed, isRoomGone: false };
  const isInBoth = exposed.a.length > 0 && exposed.b.length > 0;
  return { play: isInBoth ? exposed : { a, b }, isRoomGone: exposed.a.length > 0 && exposed.b.length === 0 };
}

/** Counts the testers with a tag, and the odds that longer play outside its room explains. */
function countPlay(
  tag: string,
  room: string | null,
  { a, b }: MatchedPlay,
  longer: "a" | "b" | null,
): TwoByTwo {
  const [testersA, testersB] = [countTesters(a, tag), countTesters(b, tag)];
  const counts = { testersA, totalA: a.length, testersB, totalB: b.length };
  if (longer === null) return counts;
  const times = [sumActiveTimes(a, room), sumActiveTimes(b, room)] as const;
  return { ...counts, oddsRatio: allowForPlayTime(longer, ...times, testersA + testersB) };
}

const countTesters = (testers: readonly MatchedTester[], tag: string) =>
  testers.filter(({ sessions }) => sessions.some(({ tags }) => tags.includes(tag))).length;

/** The kind and the size of the change that some counts show. */
export function classify(counts: TwoByTwo): Pick<JudgedTag, "kind" | "increase"> & { counts: TwoByTwo } {
  const { testersA, totalA, testersB, totalB } = counts;
  const increase = computePointChange(testersA, totalA, testersB, totalB);
  return { kind: classifyChange(testersA, testersB, increase), increase, counts };
}

function countAllTesters(a: PlayedBuild, b: PlayedBuild): JudgedPlay {
  const unknown = { allCounts: null, subject: null, isRoomGone: false, isAnswered: true };
  return {
    testersA: a.testers,
    testersB: b.testers,
    matched: null,
    isClearlyLonger: false,
    oddsRatio: () => 1,
    countTag: ({ kind, deltaPct, testersA, testersB }) => {
      if (testersA === null || testersB === null)
        return { ...unknown, kind, increase: deltaPct, counts: null };
      const counts = { testersA, totalA: a.testers, testersB, totalB: b.testers };
      return { ...unknown, kind, increase: classify(counts).increase, counts };
    },
  };
}

function summarizeSide(all: NonNullable<GateBuild["history"]>, judged: MatchedPlay["a"]): MatchedSide {
  const identified = identifiedTesters(all);
  return {
    anonymousSessions: sum(all.filter(({ anonymous }) => anonymous).map(({ sessions }) => sessions.length)),
    sessions: countSessions(identified),
    judgedSessions: countSessions(judged),
  };
}

/** The increase rounded as the service rounds it, in percentage points. */
export const roundIncrease = ({ increase }: JudgedTag) => roundToTenth(increase);
