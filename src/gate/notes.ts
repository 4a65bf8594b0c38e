/** Further facts about a verdict, one sentence each. */
import { formatTagPattern, formatTitleAndTag } from "../shared/tags.ts";
import { describeIncrease } from "./reasons.ts";
import type { JudgedPlay, MatchedSide } from "./tag-counts.ts";
import type { Allowance, GateFinding, GateVerdict } from "./verdict.ts";

interface NoteContext {
  readonly method: GateVerdict["method"];
  readonly play: JudgedPlay;
  readonly versionA: string;
  readonly versionB: string;
  /** Why reported histories are not used. */
  readonly historyFaults: readonly string[];
  readonly findings: readonly GateFinding[];
  /** Increases that are not significant only because of the allowance for longer play. */
  readonly explained: readonly GateFinding[];
  readonly allow: readonly Allowance[];
  /** Increases that are not among the reasons. */
  readonly uncertain: readonly string[];
}

/** All notes of a verdict. */
export function buildNotes(context: NoteContext): string[] {
  const { method, findings, explained, allow, uncertain } = context;
  const withoutTest =
    method === "points"
      ? [
          "The service does not report testers by tag, so increases are not tested for statistical significance. They may be chance.",
        ]
      : [];
  return [
    ...withoutTest,
    ...context.historyFaults,
    ...describePlay(context),
    ...describeLongerOutside(context),
    ...explained.map(describeExplained),
    ...uncertain.map((text) => `${text}.`),
    ...findings.filter(isOverlooked).map(describeOverlooked),
    ...allow.flatMap(describeExpiry),
  ];
}

/** How the judged sessions differ from all sessions. */
function describePlay({ play: { matched }, versionA, versionB }: NoteContext): string[] {
  if (matched === null) return [];
  const sides = [
    [versionA, matched.a],
    [versionB, matched.b],
  ] as const;
  return [
    ...sides.flatMap(([version, side]) => describeAnonymous(version, side)),
    ...sides.flatMap(([version, side]) => describeUnmatched(version, side)),
    ...(matched.longer === null
      ? []
      : [
          `The testers of ${versionB} played ${matched.longer.toFixed(1)} times as long as those of ${versionA}. An increase counts only if the longer play does not explain it. For a tag about a room, only the time outside the room is considered, because the problem itself can lengthen the time inside.`,
        ]),
  ];
}

/** How many sessions do not count because their tester is not known. */
export function describeAnonymous(version: string, { anonymousSessions: count }: MatchedSide): string[] {
  if (count === 0) return [];
  const [sessions, have] = count === 1 ? ["session", "has"] : ["sessions", "have"];
  return [
    `${count} ${sessions} of ${version} ${have} no device ID. ${count === 1 ? "It is" : "They are"} not compared, because several sessions may be of the same person.`,
  ];
}

function describeUnmatched(version: string, { sessions, judgedSessions }: MatchedSide): string[] {
  if (judgedSessions === sessions) return [];
  return [
    `${judgedSessions} of ${sessions} sessions of ${version} are judged: the first ones of each tester, so that both builds were played equally often.`,
  ];
}

/** Reports the allowance for tags in rooms if b was played longer outside their rooms, but not in total. */
function describeLongerOutside({ play: { matched }, versionA, versionB, findings }: NoteContext): string[] {
  const allowed = findings.filter(({ found }) => (found.judged?.oddsRatio ?? 1) > 1).length;
  if (matched === null || matched.longer !== null || allowed === 0) return [];
  const tags = allowed === 1 ? "1 tag" : `${allowed} tags`;
  return [
    `The testers of ${versionB} played longer than those of ${versionA}, not counting the room that a tag is about. This alone can lead to more friction. For ${tags}, an increase therefore counts only if the longer play does not explain it.`,
  ];
}

function describeExplained(finding: GateFinding): string {
  const { testersA = 0, totalA = 0, testersB = 0, totalB = 0 } = finding.found.judged ?? {};
  return `Warning: ${formatTitleAndTag(finding)} increased from ${testersA} of ${totalA} to ${testersB} of ${totalB} testers. Longer play could explain this, unless the problem itself made them play longer. Check it by hand.`;
}

/** Whether a tag increased by more than its limit, but a rule for carried-over tags turns it off. */
function isOverlooked({ status, kind, found, expected }: GateFinding): boolean {
  const isCarriedOver = (found.judged?.kind ?? kind) === "carried_over";
  const increase = found.judged?.deltaPct ?? found.deltaPct;
  return isCarriedOver && status === "off" && increase > expected.maxIncreasePoints;
}

const describeOverlooked = (finding: GateFinding) =>
  `${describeIncrease(finding)}, which is above its limit (+${finding.expected.maxIncreasePoints}), but the rules turn carried-over tags off.`;

function describeExpiry({ tag, expires, state }: Allowance): string[] {
  const exception = `The exception for ${formatTagPattern(tag)}`;
  if (state === "expired") return [`${exception} expired on ${expires}. The tag is checked again.`];
  return state === "expiring" ? [`${exception} expires on ${expires}.`] : [];
}
