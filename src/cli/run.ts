/** Runs a command: settings, then the command itself, then its result on stdout and its exit code. */
import { errorKinds, fail } from "../contract/errors.ts";
import { cleanLine } from "../render/text.ts";
import { lazyGroups, loadGroups } from "./commands/index.ts";
import { readConfig } from "./config-file.ts";
import { Context } from "./context.ts";
import { globalFlags, type GlobalValues } from "./global-flags.ts";
import type { Io } from "./io.ts";
import { present } from "./output.ts";
import { parseLine, readFlags, type Typed, unknownCommand } from "./program.ts";
import { wordsOf } from "./quick-answers.ts";
import { renderOptions } from "./render-options.ts";
import { reportError } from "./report-error.ts";
import { resolveSettings } from "./settings.ts";

/** Runs a command line and answers its exit code. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let json = argv.includes("--json") || argv.includes("--format=json");
  let context: Context | null = null;
  try {
    const typed = parseLine(argv, await loadGroups([groupName(argv)]));
    context = contextOf(typed, io);
    json = context.settings.format.value === "json" || context.settings.format.value === "ndjson";
    return await perform(typed, context);
  } catch (error) {
    context?.endProgress();
    const cause = io.signal.aborted ? io.signal.reason : error;
    return await reportError(cause, io, { json, debug: argv.includes("--debug") });
  } finally {
    await context?.close();
  }
}

function groupName(argv: readonly string[]): string {
  const [name] = wordsOf(argv);
  if (name === undefined) throw fail("usage", { message: "No command was given", hint: "See `playtest --help`." });
  if (Object.hasOwn(lazyGroups, name)) return name;
  throw unknownCommand(name, Object.keys(lazyGroups));
}

function contextOf(typed: Typed, io: Io): Context {
  const flags = readFlags<GlobalValues>(globalFlags, typed.given, { now: () => io.now(), tz: "UTC" });
  const settings = resolveSettings(flags, io, readConfig(io.configDir));
  return new Context(io, settings, renderOptions(io, settings));
}

async function perform(typed: Typed, context: Context): Promise<number> {
  const { io, settings } = context;
  const tz = settings.tz.value;
  const flags = readFlags<Record<string, unknown>>(typed.command.flags, typed.given, { now: () => io.now(), tz });
  const result = await typed.command.run(context, { args: typed.args, flags: flags as never });
  context.endProgress();
  await present(result, context);
  if (!result.verdict) return result.exitCode ?? 0;
  const { code, message, hint } = result.verdict;
  await io.err.write(`${cleanLine(message)}\n${hint ? `hint: ${cleanLine(hint)}\n` : ""}`);
  return errorKinds[code].exit;
}
