/** The verdict as JSON (schema: docs/schemas/gate-verdict.schema.json). */
import type { GateVerdict } from "../../gate/verdict.ts";
import { escapeJson } from "../text.ts";

/**
 * The document, ending in a line feed. Characters that a terminal or a CI runner would interpret are written as JSON
 * escapes, so the values do not change.
 */
export function gateJson(verdict: GateVerdict): string {
  return `${escapeJson(JSON.stringify(verdict, null, 2))}\n`;
}
