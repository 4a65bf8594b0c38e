/** Opens a CSV file with the map that `--map` names. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseJsonFile } from "../../shared/parse-json.ts";
import { suggestSimilar } from "../../shared/similar-names.ts";
import { fail } from "../errors.ts";
import { failToRead } from "../file-errors.ts";
import type { Io } from "../io.ts";
import { Columns, chooseMap } from "./columns.ts";
import {
  type CsvMap,
  type CsvMapFile,
  csvMapFile,
  findMapFault,
  type NamedMap,
  PRESET_NAMES,
} from "./map.ts";
import { listMaps } from "./presets.ts";
import { openCsv } from "./reader.ts";
import { type ImportedRow, type RejectedRow, RowConverter } from "./rows.ts";
import { SessionFinder } from "./sessions.ts";

export interface CsvImport {
  readonly file: string;
  readonly header: readonly string[];
  readonly delimiter: string;
  /** The map, with its preset resolved. */
  readonly map: CsvMap;
  /** The preset and its table; null for a map without a preset. */
  readonly preset: string | null;
  readonly isExample: boolean;
  readonly sessions: SessionFinder;
  readonly rows: AsyncIterable<readonly (ImportedRow | RejectedRow)[]>;
}

const MAP_HINT = "docs/guide/import.md describes the fields of a map.";

/** Returns the maps that a preset or a map file allows. Throws `config` if the file cannot be read or is invalid. */
export function readMaps(nameOrPath: string, io: Pick<Io, "cwd">): readonly NamedMap[] {
  const name = PRESET_NAMES.find((one) => one === nameOrPath);
  if (name !== undefined) return listMaps(name);
  const file = readMapFile(nameOrPath, io);
  const base =
    file.preset === undefined ? [{ map: {}, preset: null, isExample: false }] : listMaps(file.preset);
  return base.map(({ map, ...named }) => ({ ...named, map: complete(nameOrPath, combine(map, file)) }));
}

/** The preset with the fields of the file. Sessions are found in one way. */
function combine(preset: CsvMapFile, file: CsvMapFile): CsvMapFile {
  const { session, sessionGapMinutes, ...rest } = preset;
  const finds = file.session !== undefined || file.sessionGapMinutes !== undefined;
  const optional = [...(preset.optional ?? []), ...(file.optional ?? [])];
  return { ...rest, ...(finds ? {} : { session, sessionGapMinutes }), ...file, optional };
}

function readMapFile(path: string, io: Pick<Io, "cwd">): CsvMapFile {
  let text: string;
  try {
    text = readFileSync(resolve(io.cwd, path), "utf8");
  } catch (cause) {
    const similar = suggestSimilar(path, PRESET_NAMES, "presets") ?? "";
    throw failToRead(`the map ${path}`, `Use the path of a map, or a preset. ${similar}`, cause);
  }
  let json: unknown;
  try {
    json = parseJsonFile(text);
  } catch (cause) {
    throw fail("config", { message: `The map ${path} is not valid JSON`, hint: MAP_HINT, cause });
  }
  const parsed = csvMapFile.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join(".") ?? "";
  const message = `The map ${path} is invalid: ${field === "" ? "" : `${field}: `}${issue?.message}`;
  throw fail("config", { message, hint: MAP_HINT });
}

function complete(path: string, map: CsvMapFile): CsvMap {
  const fault = findMapFault(map);
  const { event, time } = map;
  if (fault === null && event !== undefined && time !== undefined) return { ...map, event, time };
  throw fail("config", { message: `The map ${path} is incomplete: ${fault}`, hint: MAP_HINT });
}

/** Opens a file and connects its columns to the first map that fits. Throws `config` if none fits. */
export async function openImport(file: string, maps: readonly NamedMap[], io: Io): Promise<CsvImport> {
  const { header, delimiter, rows } = await openCsv(file, io, maps[0]?.map.delimiter);
  const chosen = chooseMap(maps, file, header);
  const { map, preset, isExample } = chosen;
  const converter = new RowConverter(map, new Columns(file, header, chosen));
  const gapMs = map.session === undefined ? (map.sessionGapMinutes ?? 0) * 60_000 : null;
  const convert = async function* () {
    for await (const group of rows) yield group.map((row) => converter.convert(row));
  };
  return {
    file,
    header,
    delimiter,
    map,
    preset,
    isExample,
    sessions: new SessionFinder(gapMs),
    rows: convert(),
  };
}
