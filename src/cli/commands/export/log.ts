/** The log of an export or a server on standard error: lines for people, or JSON for log collectors. */
import { escapeJson } from "../../../render/text.ts";
import type { Result } from "../../command.ts";
import { Context } from "../../context.ts";
import { type CliError, fail } from "../../errors.ts";
import { type Io, writeStderr } from "../../io.ts";
import { addSelection, type SelectionFlags } from "../../suggested-commands.ts";
import { toCliError } from "../../translate-error.ts";

export const logFormats = ["text", "json"] as const;
type LogFormat = (typeof logFormats)[number];

export interface Log {
  /** Logs one event: `text` for people, or the event with its fields as one line of JSON. */
  record(event: string, fields: Readonly<Record<string, unknown>>, text: string): Promise<void>;
  /** Shows progress; only at a terminal. */
  showProgress(text: string): Promise<void>;
}

type LoggedWork = (context: Context, log: Log) => Promise<Result>;

/**
 * Runs work with its log on stderr. With `json`, every line on stderr is JSON, including the final error and notices of
 * other code.
 */
export async function withLog(
  context: Context,
  format: LogFormat,
  work: LoggedWork,
  log: Log = createJsonLog(context.io),
): Promise<Result> {
  const { io, settings, render, selection, command } = context;
  if (format === "text") {
    return await work(context, {
      record: (_event, _fields, text) => context.notify(text),
      showProgress: (text) => context.progress(text),
    });
  }
  const write = async (text: string | Uint8Array) => {
    for (const line of String(text).split("\n").filter(Boolean))
      await log.record("notice", { message: line }, line);
  };
  const { columns, colors } = io.err;
  const logIo = { ...io, err: { isTTY: false, columns, colors, write } };
  const logContext = new Context(logIo, settings, render, selection, command);
  try {
    const { verdict, ...result } = await work(logContext, log);
    // An empty table would print its notice to stderr as text.
    const isEmptyTable = result.table?.rows.length === 0 && settings.format.value === "table";
    const output = isEmptyTable ? { data: undefined } : result;
    if (!verdict) return output;
    const { code, ...details } = verdict;
    return { ...output, exitCode: await logError(log, fail(code, details), selection) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EPIPE") throw error;
    const cause: unknown = io.signal.aborted ? io.signal.reason : error;
    return { data: undefined, exitCode: await logError(log, toCliError(cause), selection) };
  } finally {
    await logContext.close();
  }
}

function createJsonLog(io: Io): Log {
  return {
    async record(event, fields) {
      const time = new Date(io.now()).toISOString();
      await writeStderr(io, `${escapeJson(JSON.stringify({ time, event, ...fields }))}\n`);
    },
    showProgress: async () => {},
  };
}

/** Logs the final error in the same form as other commands, and returns its exit code. */
async function logError(log: Log, error: CliError, selection: SelectionFlags): Promise<number> {
  const { code, message, status, issues, requestId, exitCode } = error;
  const hint = addSelection(error.hint, selection);
  await log.record("error", { error: { code, message, status, hint, issues, requestId, exitCode } }, message);
  return exitCode;
}
