/** The verdict of a gate as JSON, as docs/schemas/gate-verdict.schema.json describes it. */
import type { GateVerdict } from "../../gate/verdict.ts";
import { escapeJson } from "../text.ts";

/** The document, ending in a line feed. What would steer a terminal or a CI runner is escaped; its values are the same. */
export function gateJson(verdict: GateVerdict): string {
  return `${escapeJson(JSON.stringify(verdict, null, 2))}\n`;
}
