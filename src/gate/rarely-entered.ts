/**
 * Tags about rooms that too few testers entered, or about questions that too few answered. Among these, even a large
 * increase may not be noticed, so a tag that would fail among all testers must not pass there.
 */

import { formatTitleAndTag } from "../shared/tags.ts";
import { adjustFisherPValues, type TwoByTwo } from "../statistics/fisher.ts";
import { computePower, REQUIRED_POWER } from "../statistics/power.ts";
import { DEFAULT_DETECT_POINTS } from "./config.ts";
import { type GateInput, hasEnoughTesters, resolveLevel, type TagJudgement } from "./judge-tags.ts";
import { resolveRule } from "./resolve-rule.ts";
import { classify, type JudgedPlay } from "./tag-counts.ts";

/** Why the gate cannot pass because of tags in rooms that too few testers entered, one text per tag. */
export function explainRarelyEntered(
  judged: readonly TagJudgement[],
  play: JudgedPlay,
  input: GateInput,
): string[] {
  const family = judged.flatMap((judgement) =>
    judgement.p === null || judgement.tag.counts === null
      ? []
      : [{ judgement, counts: judgement.tag.counts }],
  );
  return family.flatMap(({ judgement, counts }, at) => {
    const { allCounts } = judgement.tag;
    if (allCounts === null || judgement.allowed !== null) return [];
    const tables = family.map((entry, index) => (index === at ? allCounts : entry.counts));
    if (!wouldFail(judgement, allCounts, adjustFisherPValues(tables)[at] ?? 1, play, input)) return [];
    return couldNotice(
      judgement,
      counts,
      family.map((entry) => entry.counts),
      input,
    )
      ? []
      : [describe(judgement, counts, allCounts, input)];
  });
}

/** Whether the tag fails if it is judged among all testers. */
function wouldFail(
  { change }: TagJudgement,
  allCounts: TwoByTwo,
  adjustedP: number,
  play: JudgedPlay,
  input: GateInput,
): boolean {
  const { kind, increase } = classify(allCounts);
  const rule = resolveRule(input.config, kind, change.tag);
  const isLarge = increase > rule.maxIncreasePoints && adjustedP <= resolveLevel(rule, input);
  return rule.level === "error" && isLarge && hasEnoughTesters(rule, play);
}

/** Whether the gate would notice a new tag among the testers who could meet it. */
function couldNotice(
  { rule }: TagJudgement,
  { totalA: testersA, totalB: testersB }: TwoByTwo,
  tables: readonly TwoByTwo[],
  input: GateInput,
): boolean {
  const { detectPoints = DEFAULT_DETECT_POINTS } = input.config;
  const { maxIncreasePoints } = rule;
  const checked = { tables, testersA, testersB, level: resolveLevel(rule, input), maxIncreasePoints };
  return computePower(checked, detectPoints / 100) >= REQUIRED_POWER;
}

function describe(
  { change, tag }: TagJudgement,
  counts: TwoByTwo,
  all: TwoByTwo,
  { a, b }: GateInput,
): string {
  const sides = [
    { version: a.version, entered: counts.totalA, total: all.totalA },
    { version: b.version, entered: counts.totalB, total: all.totalB },
  ]
    .filter(({ entered, total }) => entered < total)
    .map(({ version, entered, total }) => `${entered} of ${total} in ${version}`);
  const met = tag.subject?.kind === "room" ? `entered ${tag.subject.name}` : "answered the question";
  return `too few testers ${met} (${sides.join(", ")}) to judge ${formatTitleAndTag(change)}, which ${all.testersA} of ${all.totalA} testers had in ${a.version} and ${all.testersB} of ${all.totalB} in ${b.version}`;
}
