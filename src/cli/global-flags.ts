/** The flags that every command takes. */
import { choice, duration, type FlagValues, text, toggle } from "./flags.ts";

export const outputFormats = ["table", "json", "ndjson", "csv", "tsv", "md"] as const;
export type OutputFormat = (typeof outputFormats)[number];

export const globalFlags = {
  game: text("-g, --game <game>", "game id or slug"),
  profile: text("--profile <name>", "profile of settings and keys"),
  baseUrl: text("--base-url <url>", "origin of the service"),
  format: choice("--format <format>", "table, json, ndjson, csv, tsv or md", outputFormats),
  json: toggle("--json", "the same as --format json"),
  fields: text("--fields <list>", "fields to show, such as id,metadata.platform"),
  jq: text("--jq <expression>", "filter the JSON with a jq expression"),
  wide: toggle("--wide", "show every column"),
  plain: toggle("--plain", "no lines, colours or spinners, for screen readers"),
  color: choice("--color <when>", "auto, always or never", ["auto", "always", "never"]),
  tz: text("--tz <zone>", "time zone of times shown and typed, default UTC"),
  timeout: duration(
    "--timeout <duration>",
    "longest silence of the service, default 30s; ten times that for a whole request",
  ),
  maxWait: duration("--max-wait <duration>", "longest wait for the rate limit, default 2m"),
  allowHttp: toggle("--allow-http", "allow plain http beyond this machine"),
  debug: toggle("--debug", "show requests and stack traces, keys left out"),
} as const;

export type GlobalFlagValues = FlagValues<typeof globalFlags>;
