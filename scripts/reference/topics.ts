/** The topics of `playtest help <topic>`, generated from the tables that the program uses. */
import * as z from "zod";
import type { Command } from "../../src/cli/command.ts";
import { environment } from "../../src/cli/environment.ts";
import { type CliErrorCode, cliErrors, findHttpStatus } from "../../src/cli/errors.ts";
import type { Flag } from "../../src/cli/flags.ts";
import { globalFlags, type OutputFormat, outputFormats } from "../../src/cli/global-flags.ts";
import type { CommandGroup } from "../../src/cli/program.ts";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "../../src/contract/fields.ts";
import { endpoints } from "../../src/contract/index.ts";
import { isoTime } from "../../src/render/time.ts";
import { ageUnits, durationUnits, parseDuration } from "../../src/shared/durations.ts";
import { parseTime } from "../../src/shared/times.ts";
import { code, detailBlocks, flagTerms, heading, type Page, paragraph, terms } from "./page.ts";

/** All topics, in the order of the help. */
export function topicPages(groups: readonly CommandGroup[]): Page[] {
  return [
    globalFlagsTopic(),
    formatting(),
    filters(groups),
    environmentTopic(),
    exitCodes(),
    ...groups.flatMap(({ commands }) => commands.flatMap(commandTopics)),
  ];
}

/** The topic about a command, if it has one. */
function commandTopics({ path, topic, flags }: Command): Page[] {
  if (!topic) return [];
  const described = (topic.flags ?? []).map((key) => requireFlag(flags[key], key));
  return [
    {
      name: topic.name,
      section: 7,
      summary: topic.summary,
      blocks: [
        ...detailBlocks(topic.text),
        ...(described.length === 0 ? [] : [heading("Flags"), ...flagTerms(described)]),
        paragraph(`See also \`playtest ${path} --help\`.`),
      ],
    },
  ];
}

function requireFlag(flag: Flag<unknown> | undefined, key: string): Flag<unknown> {
  if (!flag) throw new Error(`No flag ${key}`);
  return flag;
}

function globalFlagsTopic(): Page {
  return {
    name: "flags",
    section: 7,
    summary: "Flags that every command accepts",
    blocks: [
      ...flagTerms(Object.values(globalFlags)),
      paragraph(
        "`playtest help formatting` describes the formats, and `playtest help filters` times and durations.",
      ),
    ],
  };
}

function exitCodes(): Page {
  const byExit = new Map<number, string[]>();
  for (const [name, kind] of Object.entries(cliErrors)) {
    const received = findHttpStatus(name as CliErrorCode);
    const status = received === null ? "" : `, HTTP ${received}`;
    const descriptions = `${kind.message} (${name}${status}). ${kind.hint}`;
    byExit.set(kind.exit, [...(byExit.get(kind.exit) ?? []), descriptions]);
  }
  const rows = [...byExit].sort(([a], [b]) => a - b);
  return {
    name: "exit-codes",
    section: 7,
    summary: "Exit codes and their meaning",
    blocks: [
      ...terms(
        ["code", "meaning"],
        [
          ["0", "Success. An empty list, a passed gate and a closed pipe also exit with 0."],
          ...rows.map(([exit, descriptions]) => [String(exit), descriptions.join("\n")] as const),
        ],
      ),
      paragraph(
        "The name in parentheses is the `code` of the error in JSON output. `playtest doctor` exits with the exit code " +
          "of the first failed check, and `playtest server exec` with the exit code of the command it ran.",
      ),
      paragraph("With JSON output, the last line of stderr is the error as JSON:"),
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
    ([name, { describe, flag }]) => [name, flag ? `${describe}; ${flag} overrides it` : describe] as const,
  );
  return {
    name: "environment",
    section: 7,
    summary: "Environment variables that playtest reads",
    blocks: [
      ...terms(["variable", "meaning"], rows),
      paragraph(
        "Each setting comes from the first of these places where it is set: flag, environment variable, " +
          "`playtest.config.json` in the current folder or the nearest folder above it (only the game and the gate " +
          "rules), profile, default. `playtest config list` shows the current settings and their sources. An empty " +
          "variable counts as not set.",
      ),
    ],
  };
}

const formatMeanings: Readonly<Record<OutputFormat, string>> = {
  table: "table for people (the default, also in a pipe)",
  json: "the API response unchanged, with several pages merged into one document; one line in a pipe, indented in a terminal",
  ndjson: "one JSON value per line, one line per list item",
  csv: "a header and one row per item; all text in quotes, LF line endings, times as Unix ms; an apostrophe precedes each part of a text that a spreadsheet would run as a formula",
  tsv: "like csv, separated by tabs; quotes only where necessary",
  md: "a Markdown table with escaped content",
};

function formatting(): Page {
  const { format, json, fields, jq, wide, plain, color, tz } = globalFlags;
  return {
    name: "formatting",
    section: 7,
    summary: "Output formats, fields, jq, colors and times",
    blocks: [
      heading("Formats"),
      ...terms(
        ["format", "description"],
        outputFormats.map((name) => [name, formatMeanings[name]]),
      ),
      heading("Flags"),
      ...terms(
        ["flag", "meaning"],
        [format, json, fields, jq, wide, plain, color, tz].map((flag) => [flag.flags, flag.describe]),
      ),
      paragraph(
        "stdout contains only the result. Progress, hints and errors go to stderr. Tables show times as ages in a " +
          "terminal and as ISO 8601 elsewhere, and `-` for an unknown value. Control characters from the service never " +
          "reach your terminal; JSON contains the full text, escaped. Texts of more than 20,000 characters are truncated, " +
          "except in JSON, NDJSON, CSV and TSV.",
      ),
      paragraph(
        "Tables shorten ids, such as `sess_1f2e3d4c`, except with `--wide`; other formats have whole ids. Commands accept the " +
          "beginning of an id if only one id begins with it. Commands that change data need the whole id or, at a terminal, at " +
          "least 8 characters after the underscore and a confirmation. At a terminal, tables omit some columns in which all " +
          "rows are equal.",
      ),
      paragraph(
        "Text from the service never runs a command of a CI service in a log: `\\` breaks up `::` at the start of a line, and " +
          "`##[`, `##vso[` and `##teamcity[` anywhere (csv and tsv: `'` before `::`; JSON: `\\u` escapes). Only `--jq` prints text " +
          "results unchanged in a pipe, because they are for programs. Do not print them to a CI log.",
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

/** The current time in the examples: 2026-03-01T12:00:00Z. */
const EXAMPLE_NOW = Date.UTC(2026, 2, 1, 12);

function filters(groups: readonly CommandGroup[]): Page {
  const ages = ageUnits.map((unit) => `${unit === "m" ? 90 : unit === "h" ? 36 : 2}${unit}`);
  const times = [...ages, "2026-02-22", "2026-02-22T08:30", "2026-02-22T08:30+01:00", "1771749000000"];
  const durations = ["0", ...durationUnits.map((unit) => `${unit === "ms" ? 500 : 2}${unit}`)];
  return {
    name: "filters",
    section: 7,
    summary: "Filters, pagination, times and durations",
    blocks: [
      heading("Filters"),
      ...terms(["flag", "description"], filterRows(groups)),
      paragraph(
        "Values are checked before a request is sent. An invalid value exits with code 2 and shows the allowed values.",
      ),
      heading("Pages"),
      paragraph(
        `By default, a list returns ${DEFAULT_PAGE_SIZE} items. Use \`--limit\` or \`--all\` to get more. Above ${MAX_PAGE_SIZE} items, ` +
          "the pages are requested one by one, within the service's rate limit, and returned as one document.",
      ),
      heading("Times"),
      paragraph(
        "Use ISO 8601, an age or Unix milliseconds (13 digits). By default, dates without a zone are UTC; use `--tz` to change this. " +
          `Other numbers, and a year or month alone, are rejected. At ${isoTime(EXAMPLE_NOW)}:`,
      ),
      ...terms(
        ["typed", "means"],
        times.map((text) => [text, isoTime(parseTime(text, EXAMPLE_NOW, "UTC") ?? Number.NaN)]),
      ),
      heading("Durations"),
      paragraph(
        "--timeout, --max-wait, --wait and --deadline take a duration: a number and a unit (`ms`, `s`, `m` or `h`). " +
          "--lookback takes an age: a whole number and a unit (`m`, `h`, `d` or `w`). `0` needs no unit.",
      ),
      ...terms(
        ["typed", "means"],
        durations.map((text) => [text, `${parseDuration(text)} ms`]),
      ),
    ],
  };
}

/** Flags whose meaning depends on the command. */
const describedTimes: Readonly<Record<string, string>> = {
  from: "only sessions recorded then or later; for insights list, only insights found then or later; for sessions events, only events then or later",
  to: "only sessions recorded then or earlier; for insights list, only insights found then or earlier; for sessions events, only events then or earlier",
};

interface FilterFlag {
  readonly describe: string;
  readonly commands: readonly string[];
}

/** The flags that are query parameters, with their bounds in the contract and the commands that have them. */
function filterRows(groups: readonly CommandGroup[]): (readonly [string, string])[] {
  const bounds = queryBounds();
  const rows = new Map<string, FilterFlag>();
  for (const { path, flags } of groups.flatMap((group) => group.commands)) {
    if (/^(admin|server|ingest)\b/.test(path)) continue;
    for (const [name, flag] of Object.entries(flags)) {
      const bound = bounds.get(name);
      if (bound === undefined) continue;
      const { describe, commands } = rows.get(flag.flags) ?? {
        // Commands have different defaults for the same flag; each help shows its own.
        describe: (describedTimes[name] ?? flag.describe.replace(/ \(default: [^)]*\)$/, "")) + bound,
        commands: [],
      };
      rows.set(flag.flags, { describe, commands: [...commands, path] });
    }
  }
  return [...rows].map(([flags, { describe, commands }]) => [
    flags,
    `${describe}. Used by ${commands.join(", ")}`,
  ]);
}

/** The length limits of each query parameter of a GET endpoint, by name; empty if it has none. */
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
