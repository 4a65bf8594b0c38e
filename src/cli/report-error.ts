/** Tells an error on stderr: what failed, what to do next, and for programs the whole of it as JSON. */
import { ApiError, errorKinds, fail } from "../contract/errors.ts";
import { cleanBlock, cleanLine, escapeJson } from "../render/text.ts";
import { type Io, say } from "./io.ts";

export interface ErrorStyle {
  /** Adds the JSON line. */
  readonly json: boolean;
  /** Adds the stack. */
  readonly debug: boolean;
  /** The command that ran, for bad usage whose hint names none; null before one is known. */
  readonly command: string | null;
}

/** Writes the error and answers its exit code. A closed pipe is no error. */
export async function reportError(error: unknown, io: Io, style: ErrorStyle): Promise<number> {
  if ((error as NodeJS.ErrnoException | null)?.code === "EPIPE") return 0;
  const known = knownError(error);
  const hint = hintOf(known, style.command);
  const lines = [`error: ${cleanLine(known.message)}`];
  for (const issue of known.issues) {
    if (!known.message.includes(issue.message))
      lines.push(`  ${cleanLine(`${issue.path.join(".")}: ${issue.message}`)}`);
  }
  lines.push(`hint: ${cleanLine(hint)}`);
  if (known.requestId) lines.push(`request: ${cleanLine(known.requestId)}`);
  if (style.debug) lines.push(cleanBlock(stackOf(error)));
  if (style.json) lines.push(jsonLine(known, hint));
  await say(io, `${lines.join("\n")}\n`);
  return known.exitCode;
}

/** Writes what a command that worked concluded: as an error, but for the word. */
export async function reportVerdict(verdict: ApiError, io: Io, json: boolean): Promise<number> {
  const lines = [cleanLine(verdict.message), `hint: ${cleanLine(verdict.hint)}`];
  if (json) lines.push(jsonLine(verdict));
  await say(io, `${lines.join("\n")}\n`);
  return verdict.exitCode;
}

/** The way out: the help of the very command, where the error knows no better. */
function hintOf({ code, hint }: ApiError, command: string | null): string {
  const vague = code === "usage" && hint === errorKinds.usage.hint;
  return vague && command !== null ? `See \`playtest ${command} --help\`.` : hint;
}

/** The whole error, for programs. */
function jsonLine(error: ApiError, hint = error.hint): string {
  const { code, message, status, issues, requestId, exitCode } = error;
  return escapeJson(JSON.stringify({ error: { code, message, status, hint, issues, requestId, exitCode } }));
}

/** An error of the system as one with a code; what is no fault of its surroundings is a bug. */
export function knownError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { code, message = String(error) } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT") {
    return fail("config", {
      message: "The disk is full",
      hint: "Free some space and run the command again.",
      cause: error,
    });
  }
  if (code === "EFBIG") {
    return fail("config", {
      message: "A file has reached the largest size that is allowed",
      hint: "Raise the limit (`ulimit -f`), or write less into one file.",
      cause: error,
    });
  }
  if (code === "EACCES" || code === "EROFS" || code === "ENOENT" || code === "EISDIR") {
    return fail("config", { message, hint: "Check the path and its permissions.", cause: error });
  }
  return fail("bug", { message, cause: error });
}

function stackOf(error: unknown): string {
  const { stack = String(error), cause } = (error ?? {}) as Error;
  return cause === undefined ? stack : `${stack}\ncaused by ${stackOf(cause)}`;
}
