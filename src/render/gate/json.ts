/** The verdict as JSON (schema: docs/schemas/gate-verdict.schema.json). */
import type { GateVerdict } from "../../gate/verdict.ts";
import { escapeJson } from "../text.ts";
import { summarizeGate } from "./summary.ts";

/**
 * The document, ending in a line feed. Characters that a terminal or a CI runner would interpret are written as JSON
 * escapes, so the values do not change.
 */
export const gateJson = (verdict: GateVerdict): string =>
  `${escapeJson(JSON.stringify(toGateDocument(verdict), null, 2))}\n`;

export const toGateDocument = (verdict: GateVerdict) => ({ ...verdict, summary: summarizeGate(verdict) });
