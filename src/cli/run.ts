/** Runs a command: resolves its settings, runs it, writes its result to stdout and determines the exit code. */
import type { RenderOptions } from "../render/options.ts";
import { cleanLine } from "../render/text.ts";
import { isBuildWord } from "../shared/build-words.ts";
import type { Command } from "./command.ts";
import { extractWords, followWords, isHelpFlag } from "./command-words.ts";
import { lazyGroups, loadGroups } from "./commands/index.ts";
import { readConfig } from "./config-file.ts";
import { Context } from "./context.ts";
import { type CliError, fail } from "./errors.ts";
import { type GlobalFlagValues, globalFlags } from "./global-flags.ts";
import { type Io, writeStderr } from "./io.ts";
import { writeResult } from "./output.ts";
import { type ParsedCommandLine, parseCommandLine, readFlags, unknownCommand } from "./program.ts";
import { resolveSettings, type Settings } from "./settings.ts";
import type { SelectionFlags } from "./suggested-commands.ts";

/** Runs a command line. Resolves with its exit code. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const own = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  let json = requestsJson(own);
  let command: string | null = null;
  let context: Context | null = null;
  let selection: SelectionFlags = {};
  let parsed: ParsedCommandLine | null = null;
  try {
    const name = await findGroupName(argv);
    parsed = parseCommandLine(removeHelpWords(argv), name === null ? [] : await loadGroups([name]));
    command = parsed.command.path;
    selection = parsed.given;
    context = createContext(parsed, io);
    json = isJson(context.settings);
    return await runCommand(parsed, context);
  } catch (error) {
    context?.endProgress();
    const cause = io.signal.aborted ? io.signal.reason : await explainError(error, context);
    await passErrorToCommand(cause, parsed, context, io);
    const { reportError } = await loadErrors();
    const { resumes: continues = false } = parsed?.command ?? {};
    const resumes = typeof continues === "function" ? continues(parsed?.given ?? {}) : continues;
    return await reportError(cause, io, {
      ...{ json, debug: own.includes("--debug"), command, resumes, selection },
    });
  } finally {
    await context?.close();
  }
}

/** What only runs with an error need. */
const loadErrors = async () => ({
  ...(await import("./report-error.ts")),
  ...(await import("./translate-error.ts")),
});

const isJson = ({ format }: Settings) => format.value === "json" || format.value === "ndjson";

/** Whether the arguments request JSON. Does not parse them, so that it also works for invalid command lines. */
function requestsJson(argv: readonly string[]): boolean {
  return argv.some(
    (word, at) =>
      /^--(json|jq|jq=.*|format=(nd)?json)$/s.test(word) ||
      (word === "--format" && /^(nd)?json$/.test(argv[at + 1] ?? "")),
  );
}

/** The arguments without the word `help` and without help flags. */
function removeHelpWords(argv: readonly string[]): readonly string[] {
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const help = extractWords(argv)[0]?.text === "help" ? argv.indexOf("help") : -1;
  return argv.filter((word, at) => at !== help && (at > end || !isHelpFlag(word)));
}

/** The command group that the arguments name, or null. Throws `usage` for an unknown one. */
async function findGroupName(argv: readonly string[]): Promise<string | null> {
  const words = extractWords(argv);
  const isHelp = words[0]?.text === "help";
  const { path, unknown } = followWords(isHelp ? words.slice(1) : words, (longer) =>
    Object.hasOwn(lazyGroups, longer),
  );
  if (path !== "" || unknown === null) return path || null;
  const topics = isHelp ? Object.keys((await import("./topic-texts.prepared.ts")).topicTexts) : [];
  throw unknownCommand(unknown, [...Object.keys(lazyGroups), ...topics]);
}

function createContext({ command, given }: ParsedCommandLine, io: Io): Context {
  // A command may have its own flag with the name of a global one, such as the --format of exported files.
  const shared = Object.entries(given).filter(([key]) => !Object.hasOwn(command.flags, key));
  const context = { now: io.now(), tz: "UTC" };
  const flags = readFlags<GlobalFlagValues>(globalFlags, Object.fromEntries(shared), context);
  const settings = resolveCommandSettings(command, flags, io);
  return new Context(io, settings, renderOptions(io, settings), given, command.path);
}

function resolveCommandSettings(
  { toleratesInvalidProfile, toleratesInvalidConfig }: Command,
  flags: GlobalFlagValues,
  io: Io,
): Settings {
  try {
    return resolveSettings(flags, io, readConfig(io.configDir), toleratesInvalidProfile);
  } catch (error) {
    if (!toleratesInvalidConfig || (error as CliError).code !== "config") throw error;
    return resolveWithoutInvalid(flags, io);
  }
}

/** The settings without the invalid values of the profile or, if the config file cannot be read, without that file. */
function resolveWithoutInvalid(flags: GlobalFlagValues, io: Io): Settings {
  try {
    return resolveSettings(flags, io, readConfig(io.configDir), true);
  } catch {
    return resolveSettings(flags, io, {});
  }
}

/** Adds suggestions to the error of a request for something that does not exist. */
async function explainError(error: unknown, context: Context | null): Promise<unknown> {
  const { translateError } = await loadErrors();
  if (context === null || translateError(error)?.code !== "not_found") return error;
  return await (await import("./unknown-names.ts")).suggestNames(error, context);
}

/** Lets the command write its error to files. If that fails too, only a warning is added, because the error matters more. */
async function passErrorToCommand(
  cause: unknown,
  parsed: ParsedCommandLine | null,
  context: Context | null,
  io: Io,
): Promise<void> {
  const { isClosedPipe, toCliError, formatHint } = await loadErrors();
  if (!parsed?.command.onError || isClosedPipe(cause)) return;
  const { command, args, given } = parsed;
  const error = toCliError(cause);
  const hint = formatHint(error, { command: command.path, selection: given });
  try {
    await command.onError?.({ error, hint, io, context, args, given });
  } catch (failure) {
    const { message } = toCliError(failure);
    if (!isClosedPipe(failure) && message !== error.message)
      await writeStderr(io, `Warning: ${cleanLine(message)}\n`);
  }
}

async function runCommand({ command, args, given }: ParsedCommandLine, context: Context): Promise<number> {
  const { io, settings } = context;
  const own = readFlags<Record<string, unknown>>(command.flags, given, {
    now: io.now(),
    tz: settings.tz.value,
  });
  const namesBuild = isBuildWord(own.build) || isBuildWord(own.diff);
  const flags = namesBuild ? await (await import("./build-flags.ts")).resolveBuildFlags(context, own) : own;
  const work = () => command.run(context, { args, flags });
  const received = command.finishesOnSignal ? await io.interruptible(work) : await work();
  // Without a filter by a name, an empty result needs no explanation.
  const isFiltered = ["build", "env", "event"].some((name) => typeof flags[name] === "string");
  const result = isFiltered
    ? await (await import("./empty-results.ts")).checkEmptyResult(
        received,
        { command, flags, given },
        context,
      )
    : received;
  context.endProgress();
  await writeResult(result, context);
  const verdict = result.verdict ?? result.concludeStream?.();
  if (!verdict) return result.exitCode ?? 0;
  const { code, isLast = false, ...details } = verdict;
  const { reportVerdict } = await loadErrors();
  return await reportVerdict(fail(code, details), io, {
    ...{ json: isJson(settings), isLast },
    selection: context.selection,
  });
}

const DEFAULT_WIDTH = 80;

function renderOptions(io: Io, settings: Settings): RenderOptions {
  const { flags } = settings;
  const tty = io.out.isTTY;
  return {
    width: io.out.columns ?? DEFAULT_WIDTH,
    color: flags.plain ? 0 : colorLevel(io, flags.color),
    plain: flags.plain,
    wide: flags.wide,
    tty,
    now: io.now(),
    tz: settings.tz.value,
  };
}

/** The color level: --color takes precedence over NO_COLOR, then FORCE_COLOR, then what the terminal supports. */
function colorLevel({ env, out }: Io, when: Settings["flags"]["color"]): RenderOptions["color"] {
  const clampLevel = (level: number) => Math.max(1, Math.min(3, level)) as 1 | 2 | 3;
  if (when === "never") return 0;
  if (when === "always") return clampLevel(out.colors || 3);
  if (env.NO_COLOR) return 0;
  const force = env.FORCE_COLOR;
  if (force !== undefined && force !== "") {
    if (force === "0" || force === "false") return 0;
    return /^[123]$/.test(force) ? clampLevel(Number(force)) : clampLevel(out.colors || 1);
  }
  return out.isTTY && env.TERM !== "dumb" ? out.colors : 0;
}
