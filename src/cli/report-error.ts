/** Reports an error on stderr: what failed, what to do next and, for programs, the whole error as JSON. */
import { describeIssue } from "../contract/errors.ts";
import { cleanBlock, cleanLine, escapeJson } from "../render/text.ts";
import { wrapSentence } from "../render/wrap.ts";
import { type CliError, cliErrors, isSignalErrorCode } from "./errors.ts";
import { type Io, writeStderr } from "./io.ts";
import { addSelection, type SelectionFlags } from "./suggested-commands.ts";
import { toCliError } from "./translate-error.ts";

interface ErrorReportOptions {
  readonly json: boolean;
  /** Adds the stack and the request id, which errors of the service itself always have. */
  readonly debug: boolean;
  /** The command that ran, for the hint of usage errors; null if it is not known yet. */
  readonly command: string | null;
  /** Whether the command continues where an interrupted run stopped. */
  readonly resumes?: boolean;
  /** The flags that are repeated in the commands that the hint suggests. */
  readonly selection: SelectionFlags;
}

/** Whether the reader of a stream has closed it. */
export const isClosedPipe = (error: unknown) => (error as NodeJS.ErrnoException | null)?.code === "EPIPE";

/** Writes the error and resolves with its exit code. A closed pipe is not an error. */
export async function reportError(error: unknown, io: Io, style: ErrorReportOptions): Promise<number> {
  if (isClosedPipe(error)) return 0;
  const known = toCliError(error);
  const hint = formatHint(known, style);
  const message = known.suggestion === null ? known.message : `${known.message}. ${known.suggestion}`;
  const lines = [`error: ${cleanLine(message)}`];
  // The message of a usage error already describes its issues.
  for (const { path, message } of known.code === "usage" ? [] : known.issues) {
    if (!known.message.includes(message))
      lines.push(`  ${cleanLine(describeIssue(path.join("."), message))}`);
  }
  if (!known.isSelfExplanatory) lines.push(`hint: ${cleanLine(hint)}`);
  const isServiceFailure = known.status !== null && known.status >= 500;
  if (known.requestId && (style.debug || isServiceFailure))
    lines.push(`request: ${cleanLine(known.requestId)}`);
  await writeLines(io, lines, [
    ...(style.debug ? [cleanBlock(formatStack(error))] : []),
    ...(style.json ? [formatErrorJson(known, hint)] : []),
  ]);
  return known.exitCode;
}

/** Writes the verdict of a command that succeeded: like an error, but without the word "error". */
export async function reportVerdict(
  verdict: CliError,
  io: Io,
  { json, selection, isLast }: Pick<ErrorReportOptions, "json" | "selection"> & { readonly isLast: boolean },
): Promise<number> {
  const hint = addSelection(verdict.hint, selection);
  const both = [cleanLine(verdict.message), `hint: ${cleanLine(hint)}`];
  const lines = isLast ? both.reverse() : both;
  await writeLines(io, lines, json ? [formatErrorJson(verdict, hint)] : []);
  return verdict.exitCode;
}

/** At a terminal, the lines are wrapped to its width, but not the commands in them. Stacks and JSON are not wrapped. */
async function writeLines(io: Io, lines: readonly string[], unwrapped: readonly string[]): Promise<void> {
  const width = io.err.columns ?? Number.POSITIVE_INFINITY;
  const wrapped = lines.flatMap((line) => wrapSentence(line, width));
  await writeStderr(io, `${[...wrapped, ...unwrapped].join("\n")}\n`);
}

/** The hint as it is printed, with the user's selection in the commands that it suggests. */
export function formatHint(
  error: CliError,
  { command, resumes, selection }: Pick<ErrorReportOptions, "command" | "resumes" | "selection">,
): string {
  const hint = chooseHint(error, command);
  return addSelection(resumes && isSignalErrorCode(error.code) ? `${hint} ${CONTINUES}` : hint, selection);
}

const CONTINUES = "It continues where it stopped.";

/** The hint of the error. Usage errors without a hint of their own refer to the help of the command. */
function chooseHint({ code, hint }: CliError, command: string | null): string {
  const isGeneric = code === "usage" && hint === cliErrors.usage.hint;
  return isGeneric && command !== null ? `See \`playtest ${command} --help\`.` : hint;
}

function formatErrorJson(error: CliError, hint: string): string {
  const { code, message, status, issues, requestId, exitCode } = error;
  return escapeJson(JSON.stringify({ error: { code, message, status, hint, issues, requestId, exitCode } }));
}

function formatStack(error: unknown): string {
  const { stack = String(error), cause } = (error ?? {}) as Error;
  return cause === undefined ? stack : `${stack}\ncaused by ${formatStack(cause)}`;
}
