/** The message of `--notify` about a verdict of the gate. */
import type { GateVerdict } from "../../../gate/verdict.ts";
import { describeVerdict } from "../../../render/gate/message.ts";
import type { Notify } from "../../notify.ts";
import type { Settings } from "../../settings.ts";

/** `type` is the name of the event. */
export function toVerdictMessage(
  type: "gate.finished" | "report.finished",
  gate: GateVerdict,
  { settings }: { readonly settings: Pick<Settings, "baseUrl"> },
): Parameters<Notify>[0] {
  const { data, ...message } = describeVerdict(gate);
  const about = { game: gate.game, ...data, baseUrl: settings.baseUrl?.value ?? null };
  return { ...message, type, data: about };
}
