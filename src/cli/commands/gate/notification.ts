/** What a notification says about a verdict of the gate. */
import type { GateVerdict } from "../../../gate/verdict.ts";
import { summarizeGate } from "../../../render/gate/summary.ts";
import type { Notify } from "../../notify.ts";
import type { Settings } from "../../settings.ts";
import { quoteForShell } from "../../suggested-commands.ts";

/** Maximum number of failed rows that are listed. */
const MAX_ROWS = 20;

/** The flags of suggested commands. Any other word may be a version, which anybody who plays can choose. */
const FLAGS: ReadonlySet<string> = new Set(["--by", "--build", "--game", "--env"]);

const tones = { passed: "good", failed: "bad", inconclusive: "neutral" } as const;

/** The message about a verdict. `type` is the name of the event. */
export function describeVerdict(
  type: "gate.finished" | "report.finished",
  gate: GateVerdict,
  { settings }: { readonly settings: Pick<Settings, "baseUrl"> },
): Parameters<Notify>[0] {
  const { verdict, reasons, game, environment, a, b, checks } = gate;
  const summary = summarizeGate(gate);
  const failed = checks.filter(({ ruling }) => ruling === "failed").slice(0, MAX_ROWS);
  // The message may be copied to a shell, and a version can contain anything.
  const next = (summary.next ?? []).map((word) => (FLAGS.has(word) ? word : quoteForShell(word)));
  return {
    type,
    data: {
      ...{ game, environment, verdict, reasons },
      a: a.version,
      b: b.version,
      failed: failed.map(({ id, title, kind, difference }) => ({ id, title, kind, difference })),
      summary,
      baseUrl: settings.baseUrl?.value ?? null,
    },
    title: `${game}: ${summary.answer}`,
    lines: [`Environment: ${environment}`, ...reasons],
    command: next.includes(null) ? null : `playtest ${next.join(" ")}`,
    tone: tones[verdict],
  };
}
