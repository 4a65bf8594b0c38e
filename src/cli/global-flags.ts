/** The flags that every command accepts. */
import { choice, duration, type FlagValues, text, toggle } from "./flags.ts";

export const outputFormats = ["table", "json", "ndjson", "csv", "tsv", "md"] as const;
export type OutputFormat = (typeof outputFormats)[number];

export const globalFlags = {
  game: text("-g, --game <game>", "game id or slug"),
  profile: text("--profile <name>", "profile with settings and keys"),
  baseUrl: text("--base-url <url>", "URL of the service"),
  format: choice(
    "--format <format>",
    "output format: table, json, ndjson, csv, tsv or md (default: table)",
    outputFormats,
  ),
  json: toggle("--json", "shorthand for --format json"),
  fields: text("--fields <list>", "fields to show, such as id,metadata.platform"),
  jq: text(
    "--jq <expression>",
    "filter the JSON output with a jq expression; text results are unquoted and, in a pipe, unescaped",
  ),
  wide: toggle("--wide", "show all fields (one block per row if the window is too narrow)"),
  plain: toggle("--plain", "omit borders, colors and spinners, for screen readers"),
  color: choice("--color <when>", "use color: auto, always or never (default: auto)", [
    "auto",
    "always",
    "never",
  ]),
  tz: text("--tz <zone>", "time zone for displayed and entered times (default: UTC)"),
  timeout: duration(
    "--timeout <duration>",
    "give up if no data arrives for this long (default: 30s), or if a request takes 10 times this long in total, or if --jq takes this long",
  ),
  maxWait: duration(
    "--max-wait <duration>",
    "how long to wait for the rate limit (default: 2m; export: 1h; ingest telemetry: no limit)",
  ),
  allowHttp: toggle("--allow-http", "allow unencrypted HTTP to remote hosts"),
  debug: toggle("--debug", "show requests and stack traces, with keys redacted"),
} as const;

export type GlobalFlagValues = FlagValues<typeof globalFlags>;
