/** What follows from a verdict besides its reports: the exit code with its hint, and the message of `--notify`. */
import { type GateRules, requiredTesters } from "../../../gate/config.ts";
import type { ScriptedRuns } from "../../../gate/gate-input.ts";
import type { GateVerdict } from "../../../gate/verdict.ts";
import { describeVerdict } from "../../../render/gate/message.ts";
import { concludeGate } from "../../../render/gate/summary.ts";
import { NOT_ANALYZABLE } from "../../../shared/failed-analyses.ts";
import type { Result } from "../../command.ts";
import type { Notify } from "../../notify.ts";
import type { Settings } from "../../settings.ts";
import { suggestAllow } from "./allow.ts";
import { HAS_NO_SESSIONS } from "./unplayed.ts";

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

export interface HintContext {
  readonly hasWaited: boolean;
  /** The file with the rules, as the user named it. */
  readonly rulesFile: string;
  /** If the testers of b are scripted runs, whether they are compared with anything. */
  readonly scripted?: Pick<ScriptedRuns, "hasBaseline">;
}

/** What to do about an inconclusive gate. It depends on which build has too few testers. */
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

/** The message of `--notify` about a verdict. `type` is the name of the event. */
export function toVerdictMessage(
  type: "gate.finished" | "report.finished",
  gate: GateVerdict,
  { settings }: { readonly settings: Pick<Settings, "baseUrl"> },
): Parameters<Notify>[0] {
  const { data, ...message } = describeVerdict(gate);
  const about = { game: gate.game, ...data, baseUrl: settings.baseUrl?.value ?? null };
  return { ...message, type, data: about };
}
