/** Runs a command: settings, then the command itself, then its result on stdout and its exit code. */
import type { Command } from "./command.ts";
import { lazyGroups, loadGroups } from "./commands/index.ts";
import { readConfig } from "./config-file.ts";
import { Context } from "./context.ts";
import { type CliError, fail } from "./errors.ts";
import { type GlobalFlagValues, globalFlags } from "./global-flags.ts";
import type { Io } from "./io.ts";
import { writeResult } from "./output.ts";
import { type ParsedCommandLine, parseCommandLine, readFlags, unknownCommand } from "./program.ts";
import { extractWords, isHelpFlag } from "./quick-answers.ts";
import { renderOptions } from "./render-options.ts";
import { reportError, reportVerdict } from "./report-error.ts";
import { resolveSettings, type Settings } from "./settings.ts";

/** Runs a command line and answers its exit code. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const own = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  let json = asksForJson(own);
  let command: string | null = null;
  let context: Context | null = null;
  try {
    const name = await findGroupName(argv);
    const typed = parseCommandLine(dropHelpWord(argv), name === null ? [] : await loadGroups([name]));
    command = typed.command.path;
    context = createContext(typed, io);
    json = isJson(context.settings);
    return await runCommand(typed, context);
  } catch (error) {
    context?.endProgress();
    const cause = io.signal.aborted ? io.signal.reason : error;
    return await reportError(cause, io, { json, debug: own.includes("--debug"), command });
  } finally {
    await context?.close();
  }
}

const isJson = ({ format }: Settings) => format.value === "json" || format.value === "ndjson";

/** Whether JSON is asked for, by the words alone: for the errors of lines that cannot be read. */
function asksForJson(argv: readonly string[]): boolean {
  return argv.some(
    (word, at) =>
      /^--(json|jq|jq=.*|format=(nd)?json)$/s.test(word) ||
      (word === "--format" && /^(nd)?json$/.test(argv[at + 1] ?? "")),
  );
}

/** The line that help was asked about, by `help` or a flag; any other line unchanged. */
function dropHelpWord(argv: readonly string[]): readonly string[] {
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const help = extractWords(argv)[0] === "help" ? argv.indexOf("help") : -1;
  return argv.filter((word, at) => at !== help && (at > end || !isHelpFlag(word)));
}

/** The group that is meant; null where no word names one. */
async function findGroupName(argv: readonly string[]): Promise<string | null> {
  const [first, second] = extractWords(argv);
  const name = first === "help" ? second : first;
  if (name === undefined) return null;
  if (Object.hasOwn(lazyGroups, name)) return name;
  const topics = first === "help" ? Object.keys((await import("./help.generated.ts")).topicTexts) : [];
  throw unknownCommand(name, [...Object.keys(lazyGroups), ...topics]);
}

function createContext(typed: ParsedCommandLine, io: Io): Context {
  // A command's own flag of the same name, such as the format of exported files, is not the global one.
  const shared = Object.entries(typed.given).filter(([key]) => !Object.hasOwn(typed.command.flags, key));
  const given = Object.fromEntries(shared);
  const flags = readFlags<GlobalFlagValues>(globalFlags, given, { now: () => io.now(), tz: "UTC" });
  const settings = resolveCommandSettings(typed.command, flags, io);
  return new Context(io, settings, renderOptions(io, settings));
}

function resolveCommandSettings(
  { toleratesInvalidProfile: mends, toleratesInvalidConfig: examines }: Command,
  flags: GlobalFlagValues,
  io: Io,
): Settings {
  try {
    return resolveSettings(flags, io, readConfig(io.configDir), mends);
  } catch (error) {
    if (!examines || (error as CliError).code !== "config") throw error;
    return resolveWithoutInvalid(flags, io);
  }
}

/** The settings without the profile's values or, where that does not help, without any but the flags. */
function resolveWithoutInvalid(flags: GlobalFlagValues, io: Io): Settings {
  try {
    return resolveSettings(flags, io, readConfig(io.configDir), true);
  } catch {
    return resolveSettings({ ...flags, baseUrl: undefined }, { env: {}, configDir: io.configDir }, {});
  }
}

async function runCommand(typed: ParsedCommandLine, context: Context): Promise<number> {
  const { io, settings } = context;
  const tz = settings.tz.value;
  const flags = readFlags<Record<string, unknown>>(typed.command.flags, typed.given, {
    now: () => io.now(),
    tz,
  });
  const result = await typed.command.run(context, { args: typed.args, flags });
  context.endProgress();
  await writeResult(result, context);
  if (!result.verdict) return result.exitCode ?? 0;
  const { code, ...details } = result.verdict;
  return await reportVerdict(fail(code, details), io, isJson(settings));
}
