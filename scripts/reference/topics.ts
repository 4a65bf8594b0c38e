/** The topics of `playtest help <topic>`, made from the tables that the program itself goes by. */
import * as z from "zod";
import { environment } from "../../src/cli/environment.ts";
import { type CliErrorCode, cliErrors, findHttpStatus } from "../../src/cli/errors.ts";
import { globalFlags, type OutputFormat, outputFormats } from "../../src/cli/global-flags.ts";
import type { CommandGroup } from "../../src/cli/program.ts";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "../../src/contract/fields.ts";
import { endpoints } from "../../src/contract/index.ts";
import { isoTime } from "../../src/render/time.ts";
import { ageUnits, durationUnits, parseDuration } from "../../src/shared/durations.ts";
import { parseTime } from "../../src/shared/times.ts";
import { code, heading, type Page, paragraph, terms } from "./page.ts";

/** Every topic, in the order the help lists them. */
export function topicPages(groups: readonly CommandGroup[]): Page[] {
  return [exitCodes(), environmentTopic(), formatting(), filters(groups)];
}

function exitCodes(): Page {
  const byExit = new Map<number, string[]>();
  for (const [name, kind] of Object.entries(cliErrors)) {
    const received = findHttpStatus(name as CliErrorCode);
    const status = received === null ? "" : `, HTTP ${received}`;
    const told = `${kind.message} (${name}${status}). ${kind.hint}`;
    byExit.set(kind.exit, [...(byExit.get(kind.exit) ?? []), told]);
  }
  const rows = [...byExit].sort(([a], [b]) => a - b);
  return {
    name: "exit-codes",
    section: 7,
    summary: "What the exit codes of playtest mean",
    blocks: [
      ...terms(
        ["code", "meaning"],
        [
          ["0", "It worked. An empty list, a passed gate and a closed pipe are no failures."],
          ...rows.map(([exit, told]) => [String(exit), told.join("\n")] as const),
        ],
      ),
      paragraph(
        "A code from 40 to 49 is an HTTP status 4xx, and 45 every 4xx that has no code of its own. `playtest doctor` " +
          "ends with the code of the first check that failed, `playtest server exec` with that of the command it ran.",
      ),
      paragraph("With JSON output the last line of stderr is the error as JSON:"),
      code(
        [
          '{"error":{"code":"not_found","message":"...","status":404,"hint":"...",',
          '  "issues":[],"requestId":"...","exitCode":44}}',
        ],
        "json",
      ),
    ],
  };
}

function environmentTopic(): Page {
  const rows = Object.entries<{ describe: string; flag?: string }>(environment).map(
    ([name, { describe, flag }]) => [name, flag ? `${describe}; ${flag} wins over it` : describe] as const,
  );
  return {
    name: "environment",
    section: 7,
    summary: "The environment variables that playtest reads",
    blocks: [
      ...terms(["variable", "meaning"], rows),
      paragraph(
        "A flag wins over the environment, that over the repository's `playtest.config.json` (which may name the game, " +
          "never the service or a profile), that over the profile, that over the default. `playtest config list` shows " +
          "what is in force and where it comes from. An empty variable counts as none.",
      ),
    ],
  };
}

const formatMeanings: Readonly<Record<OutputFormat, string>> = {
  table: "for people; the default, in a pipe too",
  json: "the API's body unchanged, several pages as one document: one line in a pipe, indented at a terminal",
  ndjson: "one JSON value a line, an item of a list each",
  csv: "a header and a row an item; LF at line ends, formulas neutralised, times as unix ms",
  tsv: "the same with tabs",
  md: "a Markdown table, what is in it escaped",
};

function formatting(): Page {
  const { format, json, fields, jq, wide, plain, color, tz } = globalFlags;
  return {
    name: "formatting",
    section: 7,
    summary: "How answers are written: formats, fields, jq, colours and times",
    blocks: [
      heading("Formats"),
      ...terms(
        ["format", "what it is"],
        outputFormats.map((name) => [name, formatMeanings[name]]),
      ),
      heading("Flags"),
      ...terms(
        ["flag", "meaning"],
        [format, json, fields, jq, wide, plain, color, tz].map((flag) => [flag.flags, flag.describe]),
      ),
      paragraph(
        "stdout carries the answer alone; progress, hints and errors go to stderr. Tables show times as ages at a " +
          "terminal and as ISO 8601 elsewhere, and `-` where nothing is known. No control character from the service " +
          "reaches a terminal; JSON keeps every text, escaped.",
      ),
      heading("Examples"),
      code([
        "playtest sessions list --json --jq '.items[].id'",
        "playtest sessions list --fields id,metadata.platform --format csv",
        "playtest builds get latest --format md",
        "playtest insights list --all --format ndjson | wc -l",
      ]),
    ],
  };
}

/** What ages and dates are counted from in the examples: 2026-03-01T12:00:00Z. */
const EXAMPLE_NOW = Date.UTC(2026, 2, 1, 12);

function filters(groups: readonly CommandGroup[]): Page {
  const ages = ageUnits.map((unit) => `${unit === "m" ? 90 : unit === "h" ? 36 : 2}${unit}`);
  const times = [...ages, "2026-02-22", "2026-02-22T08:30", "2026-02-22T08:30+01:00", "1771749000000"];
  const durations = ["0", ...durationUnits.map((unit) => `${unit === "ms" ? 500 : 2}${unit}`)];
  return {
    name: "filters",
    section: 7,
    summary: "How lists are narrowed and paged, and how times and durations are typed",
    blocks: [
      heading("Filters"),
      ...terms(["flag", "what it keeps"], filterRows(groups)),
      paragraph(
        "Values are checked before anything is sent; a bad one ends with exit code 2 and names what is allowed.",
      ),
      heading("Pages"),
      paragraph(
        `A list answers ${DEFAULT_PAGE_SIZE} items unless \`--limit\` or \`--all\` asks for more; over ${MAX_PAGE_SIZE} it reads ` +
          "page by page, below the service's rate limit, and still answers one document.",
      ),
      heading("Times"),
      paragraph(
        "ISO 8601, an age, or Unix milliseconds of 13 digits. Dates without a zone are UTC unless `--tz` names another. " +
          `Any other number and a year or month alone are refused. At ${isoTime(EXAMPLE_NOW)}:`,
      ),
      ...terms(
        ["typed", "means"],
        times.map((text) => [text, isoTime(parseTime(text, EXAMPLE_NOW, "UTC") ?? Number.NaN)]),
      ),
      heading("Durations"),
      ...terms(
        ["typed", "means"],
        durations.map((text) => [text, `${parseDuration(text)} ms`]),
      ),
    ],
  };
}

interface Narrowing {
  readonly describe: string;
  readonly commands: readonly string[];
}

/** The flags that are parameters of an endpoint's query, with what the contract says of them and which commands take them. */
function filterRows(groups: readonly CommandGroup[]): (readonly [string, string])[] {
  const bounds = queryBounds();
  const found = new Map<string, Narrowing>();
  for (const { path, flags } of groups.flatMap((group) => group.commands)) {
    if (/^(admin|server|ingest)\b/.test(path)) continue;
    for (const [name, flag] of Object.entries(flags)) {
      const bound = bounds.get(name);
      if (bound === undefined) continue;
      const { describe, commands } = found.get(flag.flags) ?? {
        describe: flag.describe + bound,
        commands: [],
      };
      found.set(flag.flags, { describe, commands: [...commands, path] });
    }
  }
  return [...found].map(([flags, { describe, commands }]) => [
    flags,
    `${describe}. In ${commands.join(", ")}`,
  ]);
}

/** Of each query parameter of a read, by name, the bounds of its text; empty where it has none. */
function queryBounds(): Map<string, string> {
  const bounds = new Map<string, string>();
  for (const { method, query } of Object.values(endpoints)) {
    if (method !== "GET") continue;
    const { properties = {} } = z.toJSONSchema(query, { io: "input" });
    for (const [name, schema] of Object.entries(properties)) {
      if (bounds.has(name) || typeof schema === "boolean") continue;
      const { minLength, maxLength } = schema;
      bounds.set(name, maxLength === undefined ? "" : `, ${minLength ?? 0} to ${maxLength} characters`);
    }
  }
  return bounds;
}
