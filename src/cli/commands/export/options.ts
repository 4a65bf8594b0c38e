/** Resolves the flags of an export to its destination and format, and rejects conflicting flags. */
import { statSync } from "node:fs";
import { extname, resolve } from "node:path";
import { checkInput } from "../../../client/client.ts";
import { getEvents } from "../../../contract/events.ts";
import { datasetNames, getDataset } from "../../../export/datasets/index.ts";
import { type FileFormat, fileFormats } from "../../../export/formats/index.ts";
import { fail } from "../../errors.ts";
import type { Io } from "../../io.ts";

export type Destination =
  | { readonly kind: "stdout" }
  | { readonly kind: "file" | "folder"; readonly path: string };

interface ExportFlagValues {
  readonly out: string | undefined;
  readonly format: FileFormat | undefined;
  readonly gzip: boolean;
  readonly env: readonly string[];
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly game: string | undefined;
  readonly games: string | undefined;
  readonly allGames: boolean;
  readonly sinceLast: boolean;
  readonly state: string | undefined;
  readonly lookback: number | undefined;
  readonly dryRun: boolean;
  readonly fields: string | undefined;
  readonly jq: string | undefined;
  /** Whether --json was given. It selects the format of the report, which a stream does not have. */
  readonly json: boolean;
}

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
  given: ExportFlagValues,
  io: Pick<Io, "cwd" | "out">,
): ExportOptions {
  const destination = resolveDestination(given.out ?? "-", io.cwd);
  const [, extension, gz] = destination.kind === "file" ? (EXTENSION.exec(destination.path) ?? []) : [];
  const extensionFormat = fileFormats.find((format) => format === extension);
  const format = given.format ?? extensionFormat ?? (destination.kind === "folder" ? "parquet" : "ndjson");
  const gzip = given.gzip || gz !== undefined;
  const options = { names: parseDatasetNames(words), destination, format, gzip };
  const binary = format === "parquet" || gzip;
  throwFirstConflict(
    findConflicts(options, given, {
      extensionFormat,
      gz: gz !== undefined,
      isBinaryTerminal: binary && io.out.isTTY,
    }),
  );
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
    throw fail("usage", {
      message: `Unknown dataset ${JSON.stringify(word)}`,
      hint: `Specify one or more of ${datasetNames.join(", ")}.`,
    });
  });
}

type OptionConflict = readonly [isConflict: boolean, message: string, hint: string];

interface OutputDetails {
  readonly extensionFormat: FileFormat | undefined;
  readonly gz: boolean;
  readonly isBinaryTerminal: boolean;
}

function findConflicts(
  { names, destination, format, gzip }: ExportOptions,
  given: ExportFlagValues,
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

function throwFirstConflict(conflicts: readonly OptionConflict[]): void {
  const conflict = conflicts.find(([isConflict]) => isConflict);
  if (conflict === undefined) return;
  const [, message, hint] = conflict;
  throw fail("usage", { message, hint });
}
