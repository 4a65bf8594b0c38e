/** What a message says about a verdict of the gate: `gate --notify`, and what the service sends about a gate that it decided. */
import type { GateVerdict } from "../../gate/verdict.ts";
import { quoteForShell } from "../shell.ts";
import { summarizeGate } from "./summary.ts";

/** Maximum number of failed rows that are listed. */
const MAX_ROWS = 20;

/** The flags of suggested commands. Any other word may be a version, which anybody who plays can choose. */
const FLAGS: ReadonlySet<string> = new Set(["--by", "--build", "--game", "--env"]);

const tones = { passed: "good", failed: "bad", inconclusive: "neutral" } as const;

/** The texts are not escaped. */
export function describeVerdict(gate: GateVerdict) {
  const { verdict, reasons, game, environment, a, b, checks } = gate;
  const summary = summarizeGate(gate);
  const failed = checks.filter(({ ruling }) => ruling === "failed").slice(0, MAX_ROWS);
  // The message may be copied to a shell, and a version can contain anything.
  const next = (summary.next ?? []).map((word) => (FLAGS.has(word) ? word : quoteForShell(word)));
  return {
    data: {
      ...{ environment, verdict, reasons },
      a: a.version,
      b: b.version,
      failed: failed.map(({ id, title, kind, difference }) => ({ id, title, kind, difference })),
      summary,
    },
    title: `${game}: ${summary.answer}`,
    lines: [`Environment: ${environment}`, ...reasons],
    command: next.includes(null) ? null : `playtest ${next.join(" ")}`,
    tone: tones[verdict],
  };
}
