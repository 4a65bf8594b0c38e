/** What to do about an inconclusive gate. It depends on which build has too few testers. */
import { explainAnalysisVersions } from "../../../gate/analysis-versions.ts";
import { type GateRules, judgedKinds } from "../../../gate/config.ts";
import { requiredTesters } from "../../../gate/inconclusive.ts";
import { matchesTagPattern, resolveRule } from "../../../gate/resolve-rule.ts";
import type { GateVerdict } from "../../../gate/verdict.ts";

export interface HintContext {
  /** Whether the gate is only inconclusive because sessions are not analyzed yet. */
  readonly isUnfinished: boolean;
  /** Whether --wait was used. */
  readonly hasWaited: boolean;
  /** The file with the rules, as the user named it. */
  readonly rulesFile: string;
}

/** The hint for an inconclusive verdict. */
export function buildInconclusiveHint(verdict: GateVerdict, config: GateRules, context: HintContext): string {
  if (context.isUnfinished)
    return "Increase --wait. Run `playtest sessions list` to see the status of each session.";
  return `${chooseAction(verdict, config, context)}, or set --on-inconclusive to pass or warn.`;
}

function chooseAction(verdict: GateVerdict, config: GateRules, context: HintContext): string {
  const { a, b, limits } = verdict;
  if (explainAnalysisVersions(a, b).length > 0)
    return a.analysisVersions === null
      ? "Save the baseline again"
      : "Run the gate again later, save the baseline again";
  if (isEveryTagExcluded(verdict, config)) return `Check the rules in ${context.rulesFile}`;
  const { isShortA, isShortB } = findShortBuilds(verdict, config);
  // --wait only waits for the minimum number of testers.
  const canWait = !context.hasWaited && b.testers < requiredTesters(config);
  const gather = `more testers of ${b.version}${canWait ? " (--wait waits for them)" : ""}`;
  if (isShortA) return isShortB ? `Choose another baseline and gather ${gather}` : "Choose another baseline";
  if (isShortB) return `Gather ${gather}`;
  if (limits.some(({ status, reason }) => status === "unknown" && reason === null))
    return `Check the limits in ${context.rulesFile}`;
  return "Gather more testers";
}

/** Which builds have too few testers for a rule, or to notice a new problem. */
function findShortBuilds({ a, b, findings, detection }: GateVerdict, config: GateRules) {
  const unsure = findings.filter(({ status, level }) => status === "unsure" && level === "error");
  const required = Math.max(requiredTesters(config), ...unsure.map(({ expected }) => expected.minTesters));
  const [isBelowA, isBelowB] = [a.judgedTesters < required, b.judgedTesters < required];
  if (isBelowA || isBelowB || detection === null || detection.sufficient)
    return { isShortA: isBelowA, isShortB: isBelowB };
  const { enoughTesters, enoughTestersB } = detection;
  // Without a number of testers of b that is enough, a has too few.
  const isShortA = enoughTestersB === null;
  return { isShortA, isShortB: !isShortA || (enoughTesters !== null && b.judgedTesters < enoughTesters) };
}

/** Whether there are enough testers, but the rules turn off or allow every tag. More testers would not change that. */
function isEveryTagExcluded({ a, b, findings, allow }: GateVerdict, config: GateRules): boolean {
  if (findings.length === 0 || Math.min(a.testers, b.testers) < requiredTesters(config)) return false;
  const active = allow.filter(({ state }) => state !== "expired");
  return findings.every(
    ({ tag }) =>
      active.some((entry) => matchesTagPattern(entry.tag, tag)) ||
      judgedKinds.every((kind) => resolveRule(config, kind, tag).level === "off"),
  );
}
