/** What an export or a server says while it works: lines for people, or JSON for whoever collects logs. */
import { escapeJson } from "../../../render/text.ts";
import type { Result } from "../../command.ts";
import { Context } from "../../context.ts";
import { type CliError, fail } from "../../errors.ts";
import { type Io, writeStderr } from "../../io.ts";
import { toCliError } from "../../translate-error.ts";

export const logFormats = ["text", "json"] as const;
export type LogFormat = (typeof logFormats)[number];

export interface Log {
  /** Says that something happened: `text` to people, the event with its facts as a line of JSON. */
  record(event: string, facts: Readonly<Record<string, unknown>>, text: string): Promise<void>;
  /** Shows what it is at, at a terminal alone. */
  showProgress(text: string): Promise<void>;
}

type LoggedWork = (context: Context, log: Log) => Promise<Result>;

/** Runs work with its log on stderr; as JSON every line of it is, those of its end and of others included. */
export async function withLog(
  context: Context,
  format: LogFormat,
  work: LoggedWork,
  log: Log = createJsonLog(context.io),
): Promise<Result> {
  const { io, settings, render } = context;
  if (format === "text") {
    return await work(context, {
      record: (_event, _facts, text) => context.notify(text),
      showProgress: (text) => context.progress(text),
    });
  }
  const write = async (text: string | Uint8Array) => {
    for (const line of String(text).split("\n").filter(Boolean))
      await log.record("notice", { message: line }, line);
  };
  const { columns, colors } = io.err;
  const own = new Context({ ...io, err: { isTTY: false, columns, colors, write } }, settings, render);
  try {
    const { verdict, ...result } = await work(own, log);
    const told = result.table?.rows.length === 0 && settings.format.value === "table";
    const shown = told ? { data: undefined } : result;
    if (!verdict) return shown;
    const { code, ...details } = verdict;
    return { ...shown, exitCode: await logError(log, fail(code, details)) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EPIPE") throw error;
    const cause: unknown = io.signal.aborted ? io.signal.reason : error;
    return { data: undefined, exitCode: await logError(log, toCliError(cause)) };
  } finally {
    await own.close();
  }
}

function createJsonLog(io: Io): Log {
  return {
    async record(event, facts) {
      const time = new Date(io.now()).toISOString();
      await writeStderr(io, `${escapeJson(JSON.stringify({ time, event, ...facts }))}\n`);
    },
    showProgress: async () => {},
  };
}

/** Tells how it ended, as the last line of JSON of every command has it, and answers the exit code. */
async function logError(log: Log, error: CliError): Promise<number> {
  const { code, message, status, hint, issues, requestId, exitCode } = error;
  await log.record("error", { error: { code, message, status, hint, issues, requestId, exitCode } }, message);
  return exitCode;
}
