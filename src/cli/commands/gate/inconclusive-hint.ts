/** What to do about an inconclusive gate. It depends on which build has too few testers. */
import { type GateRules, requiredTesters } from "../../../gate/config.ts";
import type { ScriptedRuns } from "../../../gate/gate-input.ts";
import type { GateVerdict } from "../../../gate/verdict.ts";
import { NOT_ANALYZABLE } from "../../../shared/failed-analyses.ts";
import { HAS_NO_SESSIONS } from "./unplayed.ts";

export interface HintContext {
  /** Whether --wait was used. */
  readonly hasWaited: boolean;
  /** The file with the rules, as the user named it. */
  readonly rulesFile: string;
  /** If the testers of b are scripted runs, whether they are compared with anything. */
  readonly scripted?: Pick<ScriptedRuns, "hasBaseline">;
}

export function buildInconclusiveHint(verdict: GateVerdict, config: GateRules, context: HintContext): string {
  return `${chooseAction(verdict, config, context)}, or set --on-inconclusive to pass or warn.`;
}

function chooseAction(verdict: GateVerdict, config: GateRules, context: HintContext): string {
  const { a, b, checks, limits, notes, reasons } = verdict;
  const required = Math.max(1, requiredTesters(config));
  const { scripted } = context;
  const isShort = { a: a.testers < required && scripted?.hasBaseline !== false, b: b.testers < required };
  // --wait only waits for the minimum number of testers, and for analyses.
  const wait = context.hasWaited ? "" : " (--wait waits for them)";
  if (notes.some((note) => note === `${b.version} ${HAS_NO_SESSIONS}.`))
    return `Check that the game sends ${b.version} as gameVersion, wait for testers${wait}`;
  if (isShort.a)
    return isShort.b
      ? `Choose another baseline and gather more testers of ${b.version}${wait}`
      : "Choose another baseline";
  if (isShort.b) return scripted ? MORE_RUNS : `Gather more testers of ${b.version}${wait}`;
  if (checks.some(({ reason }) => reason === "different analyses"))
    return "Run the gate again later, save the baseline again";
  if (notes.some((note) => note.includes(NOT_ANALYZABLE)))
    return "Retry each of `playtest sessions list --status failed` with `playtest admin sessions retry <id>`";
  if (reasons.some((reason) => reason.includes("not analyzed yet")))
    return context.hasWaited ? "Increase --wait" : "Use --wait, which waits for the analyses";
  if (checks.every(({ ruling }) => ruling === "off" || ruling === "allowed" || ruling === "not comparable"))
    return `Check the rules in ${context.rulesFile}`;
  if (limits.some(({ status, reason }) => status === "unknown" && reason === null))
    return `Check the limits in ${context.rulesFile}`;
  return scripted ? MORE_RUNS : "Gather more testers";
}

const MORE_RUNS = "Increase --runs";
