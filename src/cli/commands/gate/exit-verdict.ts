/** The exit code and the last line of a run that a gate decides. */
import type { GateRules } from "../../../gate/config.ts";
import type { GateVerdict } from "../../../gate/verdict.ts";
import { concludeGate } from "../../../render/gate/summary.ts";
import type { Result } from "../../command.ts";
import { suggestAllow } from "./allow.ts";
import { buildInconclusiveHint, type HintContext } from "./inconclusive-hint.ts";

/** Undefined if the gate passed, or if it is inconclusive and that is not a failure. */
export function toExitVerdict(
  verdict: GateVerdict,
  config: GateRules,
  context: HintContext & { readonly now: number },
): Result["verdict"] {
  const message = concludeGate(verdict);
  if (verdict.verdict === "failed") {
    const [row] = verdict.checks.filter(({ ruling }) => ruling === "failed");
    const command = row === undefined ? null : suggestAllow(row.id, context.now, context.rulesFile);
    const hint =
      command === null
        ? `Fix it, or change the rules in ${context.rulesFile}.`
        : `Fix it, or \`${command}\`.`;
    return { code: "gate_failed", message, hint, isLast: true };
  }
  if (verdict.verdict === "passed" || (config.onInconclusive ?? "fail") !== "fail") return undefined;
  const hint = buildInconclusiveHint(verdict, config, context);
  return { code: "inconclusive", message, hint, isLast: true };
}
