/** Explains empty results: an unknown name is an error, and known names that match nothing together are named. */
import { quoteForShell } from "../render/shell.ts";
import type { Command, Result } from "./command.ts";
import type { Context } from "./context.ts";
import { longName } from "./flags.ts";
import type { NameFilters } from "./unknown-names.ts";

interface CommandRun {
  readonly command: Command;
  readonly flags: Readonly<Record<string, unknown>>;
  /** The flags as they were typed. */
  readonly given: Readonly<Record<string, unknown>>;
}

/** Commands that open a database instead of asking the service. */
const LOCAL = /^(admin|server) /;

/** Its event names are those of one session, which the command checks itself. */
const SESSION_EVENTS = "sessions events";

/** The flags that select a part of a list and do not filter it. */
const pageFlags: ReadonlySet<string> = new Set(["limit", "offset", "all", "sessions", "top"]);

/**
 * Returns the result. If it is empty, throws `not_found` for a name that nothing in the game has, or else adds the filters
 * to the message.
 */
export async function checkEmptyResult(result: Result, run: CommandRun, context: Context): Promise<Result> {
  const names = selectNames(run);
  if (names === null || result.verdict || result.data === undefined) return result;
  if (result.pages) return { ...result, pages: checkPages(result.pages, names, context) };
  const { table } = result;
  if (!table || table.rows.length > 0) return result;
  await requireNames(context, names);
  return { ...result, table: { ...table, empty: nameFilters(table.empty, run) } };
}

/** The names among the flags; null without any. */
function selectNames({ command, flags }: CommandRun): NameFilters | null {
  if (LOCAL.test(command.path)) return null;
  const read = (name: string) => {
    const value = Object.hasOwn(command.flags, name) ? flags[name] : undefined;
    return typeof value === "string" ? value : undefined;
  };
  const names = {
    build: read("build"),
    env: read("env"),
    event: command.path === SESSION_EVENTS ? undefined : read("event"),
  };
  return Object.values(names).some((name) => name !== undefined) ? names : null;
}

async function requireNames(context: Context, names: NameFilters): Promise<void> {
  await (await import("./unknown-names.ts")).requireKnownNames(context, names);
}

/** Yields the pages, and checks the names if there were no rows. */
async function* checkPages(
  pages: AsyncIterable<readonly unknown[]>,
  names: NameFilters,
  context: Context,
): AsyncGenerator<readonly unknown[]> {
  let rows = 0;
  for await (const page of pages) {
    rows += page.length;
    yield page;
  }
  if (rows === 0) await requireNames(context, names);
}

/** Replaces `No sessions match.` by `No sessions match --build 0.9.0 --env staging.` */
function nameFilters(empty: string, { command, given }: CommandRun): string {
  const filters = Object.entries(command.flags).flatMap(([key, { flags }]) => {
    const value = given[key];
    if (pageFlags.has(key) || typeof value !== "string") return [];
    return [`${longName(flags)} ${quoteForShell(value) ?? JSON.stringify(value)}`];
  });
  return filters.length === 0 ? empty : empty.replace(/ match\.$/, ` match ${filters.join(" ")}.`);
}
