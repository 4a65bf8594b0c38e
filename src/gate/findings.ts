/** What the gate finds about each tag: whether it fails, warns or has no effect. */

import { getTagTitle } from "../shared/tags.ts";
import { type GateInput, hasEnoughTesters, resolveLevel, type TagJudgement } from "./judge-tags.ts";
import { type JudgedPlay, roundIncrease } from "./tag-counts.ts";
import type { FindingStatus, GateFinding } from "./verdict.ts";

export function buildFinding(judgement: TagJudgement, play: JudgedPlay, input: GateInput): GateFinding {
  const { change, tag, rule, allowed, p, adjustedP } = judgement;
  const { kind, deltaPct, testersA, testersB } = change;
  const { level, maxIncreasePoints, confidence, minTesters } = rule;
  const judged = tag.counts && {
    kind: tag.kind,
    deltaPct: roundIncrease(tag),
    ...tag.counts,
    oddsRatio: tag.counts.oddsRatio ?? 1,
  };
  return {
    tag: change.tag,
    title: getTagTitle(change),
    kind,
    status: resolveStatus(judgement, play, input),
    level,
    // One of repeated runs has only a part of the significance level.
    expected: {
      maxIncreasePoints,
      confidence: input.level === undefined ? confidence : Math.max(confidence, 1 - input.level),
      minTesters,
    },
    found: { deltaPct, testersA, testersB, p, adjustedP, judged },
    reason: allowed?.reason ?? null,
    evidence: [],
  };
}

function resolveStatus(
  { tag, rule, allowed, adjustedP }: TagJudgement,
  play: JudgedPlay,
  input: GateInput,
): FindingStatus {
  if (rule.level === "off") return "off";
  if (!tag.isAnswered) return "unsure";
  // A decrease is not worse with any number of testers.
  if (!hasEnoughTesters(rule, play)) return tag.increase > 0 ? "unsure" : "off";
  if (tag.increase <= rule.maxIncreasePoints) return tag.increase > 0 ? "small" : "off";
  if (allowed) return "allowed";
  // Without counts there is no p-value, and the increase alone decides.
  if (adjustedP !== null && adjustedP > resolveLevel(rule, input)) return "noise";
  return rule.level === "error" ? "failed" : "warned";
}

/** Turns failures of introduced tags into warnings if there are at most `maxNew` of them. */
export function applyMaxNew(findings: readonly GateFinding[], maxNew: number): GateFinding[] {
  const isNew = (finding: GateFinding) => isIntroduced(finding) && finding.status === "failed";
  const added = findings.filter(isNew);
  return added.length > maxNew
    ? [...findings]
    : findings.map((finding) => (isNew(finding) ? { ...finding, status: "warned" as const } : finding));
}

const isIntroduced = ({ kind, found }: GateFinding) => (found.judged?.kind ?? kind) === "introduced";
