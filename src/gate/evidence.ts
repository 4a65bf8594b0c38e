/** Adds to a verdict the sessions behind failures and warnings that the service selected. */
import type { RowEvidence } from "../contract/scorecard.ts";
import { toMoment } from "../contract/verdict.ts";
import type { GateInput } from "./gate-input.ts";
import { judge } from "./judge.ts";
import type { GateVerdict } from "./verdict.ts";

/** Decides the verdict, with the sessions behind what failed or warned. Without `evidence`, there are none. */
export const judgeWithEvidence = (
  input: GateInput & { readonly evidence: readonly RowEvidence[] | null },
): GateVerdict => addEvidence(judge(input), input.evidence ?? []);

export const isCounted = ({ ruling }: GateVerdict["checks"][number]) =>
  ruling === "failed" || ruling === "warned";

export function addEvidence(verdict: GateVerdict, evidence: readonly RowEvidence[]): GateVerdict {
  const byMetric = new Map(evidence.map(({ metric, sessions }) => [metric, sessions]));
  const checks = verdict.checks.map((check) => ({
    ...check,
    evidence: ((isCounted(check) && byMetric.get(check.metric)) || []).map(toMoment),
  }));
  return { ...verdict, checks };
}
