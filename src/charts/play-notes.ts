/** Describes how two builds were made comparable: what was left out, and which differences do not count. */

import type { ComparedPair } from "../contract/builds.ts";
import type { UnknownHistory } from "../contract/play-history.ts";
import { describeAnonymous } from "../gate/notes.ts";
import type { MatchedSide, MatchedSummary } from "../gate/tag-counts.ts";
import type { ComparableCounts, UnmatchedPlay } from "./comparable-counts.ts";

type Versions = readonly [a: string, b: string];

/** One sentence for each step; empty if all testers and sessions count equally. */
export function describePlay(
  { matched, unmatched, basis }: ComparableCounts,
  { buildA, buildB, diff }: ComparedPair,
): string[] {
  const versions: Versions = [buildA.version, buildB.version];
  const withoutDevice = [buildA, buildB].map(({ testersWithoutDevice }) => testersWithoutDevice ?? 0);
  return [
    ...(matched ? describeMatched(matched, versions) : []),
    ...(unmatched ? describeUnmatched(unmatched, versions, withoutDevice) : []),
    ...(basis === "all" && diff.changes.length > 0
      ? ["This service does not report who entered each room, so shares are of all testers."]
      : []),
  ];
}

function describeMatched({ a, b, longer }: MatchedSummary, versions: Versions): string[] {
  const sides = [a, b].map((side, at) => ({ ...side, version: versions[at] ?? "" }));
  return [
    ...sides.flatMap((side) => describeAnonymous(side.version, side)),
    ...describeTruncated(sides),
    ...describeLonger(longer, versions),
  ];
}

interface VersionSide extends MatchedSide {
  readonly version: string;
}

/** Only the first sessions count, so that both builds were played equally often. */
function describeTruncated(sides: readonly VersionSide[]): string[] {
  const truncated = sides.filter(({ sessions, judgedSessions }) => judgedSessions < sessions);
  // The build with more sessions per tester loses the larger share of them.
  const [more] = truncated.toSorted((x, y) => x.judgedSessions / x.sessions - y.judgedSessions / y.sessions);
  if (!more) return [];
  const counts = truncated.map(
    ({ sessions, judgedSessions, version }) => `${judgedSessions} of ${sessions} in ${version}`,
  );
  return [
    `Testers of ${more.version} played more sessions, so only the first sessions of each tester count (${counts.join(", ")}).`,
  ];
}

function describeLonger(longer: number | null, [a, b]: Versions): string[] {
  if (longer === null) return [];
  const [version, times, change] = longer > 1 ? [b, longer, "an increase"] : [a, 1 / longer, "a decrease"];
  return [
    `Testers of ${version} played ${times.toFixed(1)} times as long, so ${change} counts only if the longer play does not explain it.`,
  ];
}

const REASONS: Readonly<Record<UnknownHistory, string>> = {
  unsupported: "This service does not report what each tester played",
  invalid: "The service’s response about what each tester played is invalid or incomplete",
  forbidden: "This key may not read what each tester played",
  "too-many": "The builds have too many testers to read what each of them played",
};

function describeUnmatched(
  { reason, unequalPlay, hasUnknownTesters }: UnmatchedPlay,
  [a, b]: Versions,
  withoutDevice: readonly number[],
): string[] {
  const sentences = [`${REASONS[reason]}, so all sessions count, and longer play can look like a change.`];
  if (unequalPlay) {
    const [inA, inB] = unequalPlay.perTester.map((sessions) => sessions.toFixed(1));
    const [version, direction] = unequalPlay.more === "b" ? [b, "increases"] : [a, "decreases"];
    sentences.push(
      `Testers of ${version} played more sessions (${inA} each in ${a}, ${inB} in ${b}), which alone can explain ${direction}, so ${direction} do not count.`,
    );
  }
  if (hasUnknownTesters) {
    const [inA, inB] = withoutDevice;
    sentences.push(
      `Sessions without a device ID may be of the same person (${inA} in ${a}, ${inB} in ${b}), so differences do not count.`,
    );
  }
  return sentences;
}
