/** Resolves the flags of an export to its destination and format, and rejects conflicting flags. */
import { statSync } from "node:fs";
import { extname, resolve } from "node:path";
import { checkInput } from "../../../client/client.ts";
import { getEvents } from "../../../contract/events.ts";
import { datasetNames, getDataset } from "../../../export/datasets/index.ts";
import { SIDE_FOLDER } from "../../../export/files/partition.ts";
import { type FileFormat, fileFormats } from "../../../export/formats/index.ts";
import { bucketWidths } from "../../../shared/calendar.ts";
import { fail, unknownValue } from "../../errors.ts";
import { age, choice, type FlagValues, list, text, time, toggle } from "../../flags.ts";
import type { GlobalFlagValues } from "../../global-flags.ts";
import type { Io } from "../../io.ts";
import { logFormats } from "./log.ts";

export type Destination =
  | { readonly kind: "stdout" }
  | { readonly kind: "file" | "folder"; readonly path: string };

/** The state between runs, in the folder. */
export const STATE_FILE = `${SIDE_FOLDER}/state.json`;

export const exportFlags = {
  by: choice("--by <width>", "split by UTC hour, day or week (default: day)", bucketWidths),
  from: time(
    "--from <time>",
    "recorded at or after (feedback, raw-events: received); in a folder, from the start of that hour, day or week",
  ),
  to: time(
    "--to <time>",
    "recorded at or before (feedback, raw-events: received); in a folder, to the end of that hour, day or week",
  ),
  env: list(
    "--env <slug>",
    "environment, such as production or staging (repeatable; default: all environments combined)",
  ),
  games: text("--games <list>", "comma-separated list of games"),
  allGames: toggle("--all-games", "export all games of the account"),
  out: text(
    "--out <path>",
    "folder, file (.ndjson, .csv, .parquet, .ndjson.gz or .csv.gz), or - for standard output (default: -)",
  ),
  format: choice(
    "--format <format>",
    "ndjson, csv or parquet (default: by the extension of the file; parquet in a folder; ndjson to standard output)",
    fileFormats,
  ),
  gzip: toggle("--gzip", "compress ndjson and csv with gzip"),
  sinceLast: toggle(
    "--since-last",
    "continue where the last run ended, and export again what has changed; --from only sets where the first run starts",
  ),
  state: text("--state <file>", `state file for --since-last (default: ${STATE_FILE} in the folder)`),
  lookback: age(
    "--lookback <age>",
    "how far --since-last goes back in any case (default: 0; 2d if the service does not report changes); does not apply to raw-events",
  ),
  dryRun: toggle("--dry-run", "print the number of files and requests and the expected time"),
  logFormat: choice(
    "--log-format <format>",
    "log format on standard error: text or json (default: text)",
    logFormats,
  ),
  unpaced: toggle("--unpaced", "send requests without delays, for a service without rate limits"),
} as const;

export type ExportFlags = FlagValues<typeof exportFlags>;
/** With the global flags that it reads. --json selects the format of the report, which a stream does not have. */
type AllExportFlags = ExportFlags & Pick<GlobalFlagValues, "game" | "fields" | "jq" | "json">;

export interface ExportOptions {
  readonly names: readonly string[];
  readonly destination: Destination;
  readonly format: FileFormat;
  readonly gzip: boolean;
}

const EXTENSION = /\.(ndjson|csv|parquet)(\.gz)?$/;

/** Throws `usage` for conflicting flags, before any request or write. */
export function resolveOptions(
  words: readonly string[],
  given: AllExportFlags,
  io: Pick<Io, "cwd" | "out">,
): ExportOptions {
  const destination = resolveDestination(given.out ?? "-", io.cwd);
  const [, extension, gz] = destination.kind === "file" ? (EXTENSION.exec(destination.path) ?? []) : [];
  const extensionFormat = fileFormats.find((format) => format === extension);
  const format = given.format ?? extensionFormat ?? (destination.kind === "folder" ? "parquet" : "ndjson");
  const gzip = given.gzip || gz !== undefined;
  const options = { names: parseDatasetNames(words), destination, format, gzip };
  const binary = format === "parquet" || gzip;
  const details = { extensionFormat, gz: gz !== undefined, isBinaryTerminal: binary && io.out.isTTY };
  const conflict = listConflicts(options, given, details).find(([isConflict]) => isConflict);
  if (conflict) throw fail("usage", { message: conflict[1], hint: conflict[2] });
  for (const env of given.env.length === 0 ? [undefined] : given.env)
    checkInput(getEvents, { game: "any", env, from: given.from, to: given.to });
  return options;
}

function resolveDestination(out: string, cwd: string): Destination {
  if (out === "-") return { kind: "stdout" };
  const path = resolve(cwd, out);
  if (/[\\/]$/.test(out) || statSync(path, { throwIfNoEntry: false })?.isDirectory())
    return { kind: "folder", path };
  if (EXTENSION.test(out)) return { kind: "file", path };
  if (extname(path) === "") return { kind: "folder", path };
  throw fail("usage", {
    message: `--out ${out}: the file extension must be .ndjson, .csv, .parquet, .ndjson.gz or .csv.gz`,
    hint: `Use one of these extensions. To create a folder with a dot in its name, add a slash: ${out}/`,
  });
}

function parseDatasetNames(words: readonly string[]): string[] {
  return [...new Set(words)].map((word) => {
    const name = datasetNames.find((known) => known === word);
    if (name !== undefined) return name;
    throw unknownValue("dataset", word, datasetNames);
  });
}

type OptionConflict = readonly [isConflict: boolean, message: string, hint: string];

interface OutputDetails {
  readonly extensionFormat: FileFormat | undefined;
  readonly gz: boolean;
  readonly isBinaryTerminal: boolean;
}

function listConflicts(
  { names, destination, format, gzip }: ExportOptions,
  given: AllExportFlags,
  { extensionFormat, gz, isBinaryTerminal }: OutputDetails,
): OptionConflict[] {
  const { kind } = destination;
  const selected = [given.game, given.games, given.allGames || undefined].filter(
    (flag) => flag !== undefined,
  );
  const withoutEnvironments = names.filter((name) => !getDataset(name).hasEnvironments);
  const isStream = kind === "stdout" && !given.dryRun;
  const hasStateFlags = given.state !== undefined || given.lookback !== undefined;
  return [
    [selected.length > 1, "--game, --games and --all-games cannot be used together", "Use only one of them."],
    [
      given.env.length > 0 && withoutEnvironments.length > 0,
      `--env: the API cannot filter ${withoutEnvironments.join(", ")} by environment`,
      "Export them with a separate command, without --env.",
    ],
    [
      kind !== "folder" && names.length > 1,
      `${names.length} datasets cannot share one ${kind === "file" ? "file" : "stream"}: their columns differ`,
      "Set --out to a folder, or export one dataset.",
    ],
    [
      extensionFormat !== undefined && extensionFormat !== format,
      `--format ${format} does not match the extension .${extensionFormat} of --out`,
      "Remove --format, or change the extension.",
    ],
    [
      gzip && format === "parquet",
      "Parquet files cannot be compressed with gzip: they already use Snappy",
      "Remove --gzip and .gz, or use ndjson or csv.",
    ],
    [
      extensionFormat !== undefined && given.gzip && !gz,
      "--gzip requires an --out file name that ends in .gz",
      "Remove --gzip, or add .gz to the file name.",
    ],
    [
      isBinaryTerminal && isStream,
      "Binary output cannot be written to a terminal",
      "Set --out to a file or folder, or pipe the output to another program.",
    ],
    [
      isStream && (given.fields !== undefined || given.jq !== undefined),
      "--fields and --jq do not apply to exported rows",
      "Remove them and filter the rows with jq or DuckDB. With --out, they filter the summary that is printed at the end.",
    ],
    [
      isStream && given.json,
      "--json does not apply to exported rows",
      "Use --format ndjson for one JSON object per row. With --out or --dry-run, --json applies to the report.",
    ],
    [
      given.games?.split(",").some((name) => name.trim() === "") === true,
      `--games ${given.games} has an empty entry`,
      "Separate the games with single commas, such as --games ember,tide.",
    ],
    [given.sinceLast && kind !== "folder", "--since-last requires a folder", "Set --out to a folder."],
    [
      !given.sinceLast && hasStateFlags,
      "--state and --lookback require --since-last",
      "Add --since-last, or remove them.",
    ],
  ];
}
