/** Tells an error on stderr: what failed, what to do next, and for programs the whole of it as JSON. */
import { cleanBlock, cleanLine, escapeJson } from "../render/text.ts";
import { type CliError, cliErrors } from "./errors.ts";
import { type Io, writeStderr } from "./io.ts";
import { toCliError } from "./translate-error.ts";

export interface ErrorReportOptions {
  /** Adds the JSON line. */
  readonly json: boolean;
  /** Adds the stack. */
  readonly debug: boolean;
  /** The command that ran, for bad usage whose hint names none; null before one is known. */
  readonly command: string | null;
}

/** Writes the error and answers its exit code. A closed pipe is no error. */
export async function reportError(error: unknown, io: Io, style: ErrorReportOptions): Promise<number> {
  if ((error as NodeJS.ErrnoException | null)?.code === "EPIPE") return 0;
  const known = toCliError(error);
  const hint = chooseHint(known, style.command);
  const lines = [`error: ${cleanLine(known.message)}`];
  for (const issue of known.issues) {
    if (!known.message.includes(issue.message))
      lines.push(`  ${cleanLine(`${issue.path.join(".")}: ${issue.message}`)}`);
  }
  lines.push(`hint: ${cleanLine(hint)}`);
  if (known.requestId) lines.push(`request: ${cleanLine(known.requestId)}`);
  if (style.debug) lines.push(cleanBlock(formatStack(error)));
  if (style.json) lines.push(formatErrorJson(known, hint));
  await writeStderr(io, `${lines.join("\n")}\n`);
  return known.exitCode;
}

/** Writes what a command that worked concluded: as an error, but for the word. */
export async function reportVerdict(verdict: CliError, io: Io, json: boolean): Promise<number> {
  const lines = [cleanLine(verdict.message), `hint: ${cleanLine(verdict.hint)}`];
  if (json) lines.push(formatErrorJson(verdict));
  await writeStderr(io, `${lines.join("\n")}\n`);
  return verdict.exitCode;
}

/** The way out: the help of the very command, where the error knows no better. */
function chooseHint({ code, hint }: CliError, command: string | null): string {
  const vague = code === "usage" && hint === cliErrors.usage.hint;
  return vague && command !== null ? `See \`playtest ${command} --help\`.` : hint;
}

/** The whole error, for programs. */
function formatErrorJson(error: CliError, hint = error.hint): string {
  const { code, message, status, issues, requestId, exitCode } = error;
  return escapeJson(JSON.stringify({ error: { code, message, status, hint, issues, requestId, exitCode } }));
}

function formatStack(error: unknown): string {
  const { stack = String(error), cause } = (error ?? {}) as Error;
  return cause === undefined ? stack : `${stack}\ncaused by ${formatStack(cause)}`;
}
