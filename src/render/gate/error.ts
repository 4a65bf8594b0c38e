/** The reports of a gate that ended with an error, so that later steps of a CI job find every file they read. */
import type { GateError } from "../../gate/gate-error.ts";
import { cleanLine, escapeJson, withoutCommands } from "../text.ts";
import { formatAnnotation, formatOutputs } from "./github.ts";
import { renderSuite } from "./junit-suite.ts";
import { gateMarker, safe } from "./markdown.ts";

/** The text for a terminal or a log. */
export function gateErrorText({ error }: GateError): string {
  const lines = [`✗ ERROR: ${error.message}`, `No verdict (exit code ${error.exitCode}). ${error.hint}`];
  return withoutCommands(`${lines.map(cleanLine).join("\n")}\n`);
}

/** The document (schema: docs/schemas/gate-error.schema.json), ending in a line feed. */
export function gateErrorJson(failure: GateError): string {
  return `${escapeJson(JSON.stringify(failure, null, 2))}\n`;
}

/** A suite with one case, which has an error. */
export function gateErrorJunit(failure: GateError, now: number): string {
  const { game, environment, a, b, error } = failure;
  const name = game === null ? "" : `${game}: `;
  return renderSuite({
    name: `playtest gate ${name}${a} to ${b}, in ${environment}`,
    now,
    properties: { game: game ?? "", environment, a, b, verdict: "error" },
    cases: [
      {
        classname: `playtest.gate.${game ?? "unknown"}.verdict`,
        name: "The gate has a verdict",
        outcome: "error",
        message: error.message,
        type: error.code,
        lines: describeError(failure),
        output: null,
      },
    ],
    output: `error: ${error.message}`,
  });
}

/** The body of the comment of the same game and environment, which replaces the last verdict. */
export function gateErrorComment(failure: GateError): string {
  const marker = gateMarker({ game: failure.game ?? "", environment: failure.environment });
  return `${gateErrorMarkdown(failure)}\n${marker}\n`;
}

/** The content for a step summary. */
export function gateErrorMarkdown({ game, environment, a, b, error }: GateError): string {
  const lines = [
    `### ${safe(`Gate error: ${error.message}`)}`,
    "",
    safe(
      `There is no verdict: ${b} was not compared with ${a} (game: ${game ?? "none"}, environment: ${environment}, exit code ${error.exitCode}).`,
    ),
    "",
    `Hint: ${safe(error.hint)}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** A workflow command that annotates the step. */
export function gateErrorAnnotation(failure: GateError): string {
  const message = [failure.error.message, ...describeError(failure)].map(cleanLine).join("\n");
  return `${formatAnnotation({ severity: "error", title: "Playtest gate error", message })}\n`;
}

/** The content to append to the file in GITHUB_OUTPUT. */
export function gateErrorOutputs({ error }: GateError): string {
  const message = cleanLine(error.message);
  return formatOutputs({
    verdict: "error",
    // Empty, also if a verdict was written before, such as when another report cannot be written.
    failed: "",
    warned: "",
    judged: "",
    reasons: message,
    error: error.code,
    message,
    "exit-code": String(error.exitCode),
  });
}

function describeError({ error }: GateError): string[] {
  const { hint, exitCode, status, requestId } = error;
  return [
    `Hint: ${hint}`,
    `Exit code: ${exitCode}`,
    ...(status === null ? [] : [`HTTP status: ${status}`]),
    ...(requestId === null ? [] : [`Request: ${requestId}`]),
  ];
}
