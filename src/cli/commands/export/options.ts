/** What the flags of an export mean together: where it goes, in which format, and what contradicts itself. */
import { statSync } from "node:fs";
import { extname, resolve } from "node:path";
import { checkInput } from "../../../client/client.ts";
import { getEvents } from "../../../contract/events.ts";
import { type DatasetName, datasetNames, datasets } from "../../../export/datasets/index.ts";
import { type FileFormat, fileFormats } from "../../../export/formats/index.ts";
import { fail } from "../../errors.ts";
import type { Io } from "../../io.ts";

export type Destination =
  | { readonly kind: "stdout" }
  | { readonly kind: "file" | "folder"; readonly path: string };

export interface ExportFlagValues {
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
}

export interface ExportOptions {
  readonly names: readonly DatasetName[];
  readonly destination: Destination;
  readonly format: FileFormat;
  readonly gzip: boolean;
}

const EXTENSION = /\.(ndjson|csv|parquet)(\.gz)?$/;

/** Throws `usage` for what does not fit together, before anything is asked or written. */
export function resolveOptions(
  words: readonly string[],
  given: ExportFlagValues,
  io: Pick<Io, "cwd" | "out">,
): ExportOptions {
  const destination = resolveDestination(given.out ?? "-", io.cwd);
  const [, ending, gz] = destination.kind === "file" ? (EXTENSION.exec(destination.path) ?? []) : [];
  const named = fileFormats.find((format) => format === ending);
  const format = given.format ?? named ?? (destination.kind === "folder" ? "parquet" : "ndjson");
  const gzip = given.gzip || gz !== undefined;
  const options = { names: parseDatasetNames(words), destination, format, gzip };
  const binary = format === "parquet" || gzip;
  throwFirstConflict(
    findConflicts(options, given, { named, gz: gz !== undefined, atTerminal: binary && io.out.isTTY }),
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
    message: `--out ${out} ends in none of .ndjson, .csv, .parquet, .ndjson.gz and .csv.gz`,
    hint: `End a file in one of these; a folder that is not there yet has no dot in its name, or a slash at its end: ${out}/`,
  });
}

function parseDatasetNames(words: readonly string[]): DatasetName[] {
  return [...new Set(words)].map((word) => {
    const name = datasetNames.find((known) => known === word);
    if (name !== undefined) return name;
    throw fail("usage", {
      message: `There is no dataset ${JSON.stringify(word)}`,
      hint: `Name one or several of ${datasetNames.join(", ")}.`,
    });
  });
}

type OptionConflict = readonly [isThere: boolean, message: string, hint: string];

interface OutputDetails {
  readonly named: FileFormat | undefined;
  readonly gz: boolean;
  readonly atTerminal: boolean;
}

function findConflicts(
  { names, destination, format, gzip }: ExportOptions,
  given: ExportFlagValues,
  met: OutputDetails,
): OptionConflict[] {
  const { kind } = destination;
  const selected = [given.game, given.games, given.allGames || undefined].filter((one) => one !== undefined);
  const without = names.filter((name) => !datasets[name].hasEnvironments);
  const isStream = kind === "stdout" && !given.dryRun;
  const aside = given.state !== undefined || given.lookback !== undefined;
  return [
    [selected.length > 1, "--game, --games and --all-games exclude each other", "Leave all but one out."],
    [
      given.env.length > 0 && without.length > 0,
      `--env: the API does not narrow ${without.join(", ")} by environment`,
      "Export them in a command of their own, without --env.",
    ],
    [
      kind !== "folder" && names.length > 1,
      `${names.length} datasets do not fit into one ${kind === "file" ? "file" : "stream"}: their columns differ`,
      "Name a folder with --out, or one dataset.",
    ],
    [
      met.named !== undefined && met.named !== format,
      `--format ${format} contradicts the ending .${met.named} of --out`,
      "Leave --format out, or change the ending.",
    ],
    [
      met.named !== undefined && given.gzip && !met.gz,
      "--gzip contradicts --out, which does not end in .gz",
      "Leave --gzip out, or add .gz.",
    ],
    [
      gzip && format === "parquet",
      "Parquet is compressed already, with Snappy",
      "Leave --gzip and .gz out, or choose ndjson or csv.",
    ],
    [
      met.atTerminal && isStream,
      "These bytes are not for a terminal",
      "Name a file or folder with --out, or pipe them on.",
    ],
    [
      isStream && (given.fields !== undefined || given.jq !== undefined),
      "--fields and --jq choose nothing of the rows of an export",
      "Leave them out and filter the rows with jq or DuckDB; with --out they work on the report.",
    ],
    [
      given.games?.split(",").some((name) => name.trim() === "") === true,
      `--games ${given.games} has an empty entry`,
      "Name the games with one comma between two of them.",
    ],
    [
      given.sinceLast && kind !== "folder",
      "--since-last adds partitions to a folder",
      "Name a folder with --out.",
    ],
    [
      !given.sinceLast && aside,
      "--state and --lookback mean something with --since-last alone",
      "Add --since-last, or leave them out.",
    ],
  ];
}

function throwFirstConflict(faults: readonly OptionConflict[]): void {
  const met = faults.find(([isThere]) => isThere);
  if (met === undefined) return;
  const [, message, hint] = met;
  throw fail("usage", { message, hint });
}
