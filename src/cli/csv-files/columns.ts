/** Connects a map to the columns of a file. */
import { suggestSimilar } from "../../shared/similar-names.ts";
import { type CliError, fail } from "../errors.ts";
import { describeSource } from "../telemetry-files/bytes.ts";
import type { CsvMap, DataColumn, NamedMap, ValueSource } from "./map.ts";

/** The cells of a row, and what their JSON contains. */
export class RowCells {
  readonly #cells: readonly string[];
  readonly #json = new Map<number, unknown>();

  constructor(cells: readonly string[]) {
    this.#cells = cells;
  }

  text(column: number): string {
    return this.#cells[column] ?? "";
  }

  /** The value of a JSON cell; undefined if the cell is empty. Throws `RowFault`. */
  json(column: number, name: string): unknown {
    if (this.#json.has(column)) return this.#json.get(column);
    const text = this.text(column).trim();
    let value: unknown;
    try {
      value = text === "" ? undefined : JSON.parse(text);
    } catch {
      throw new RowFault(`the column ${JSON.stringify(name)} is not JSON`);
    }
    this.#json.set(column, value);
    return value;
  }
}

/** Why a row is rejected. */
export class RowFault extends Error {}

export type ReadValue = (row: RowCells) => unknown;

export interface DataField {
  readonly name: string;
  readonly keepText: boolean;
  readonly read: ReadValue;
}

/** Finds the columns of a file by name. */
export class Columns {
  readonly #source: string;
  readonly #header: readonly string[];
  readonly #optional: ReadonlySet<string>;
  readonly #preset: string | null;

  constructor(source: string, header: readonly string[], { map, preset }: NamedMap) {
    this.#source = source;
    this.#header = header;
    this.#optional = new Set(map.optional);
    this.#preset = preset;
  }

  /**
   * The index of a column: with exactly this name or, if there is none, in another case. -1 for an optional column that the file
   * lacks, whose cells are empty. Throws `config`.
   */
  find(name: string): number {
    const lower = name.toLowerCase();
    const isSame = [(one: string) => one === name, (one: string) => one.toLowerCase() === lower];
    for (const matches of isSame) {
      const found = this.#header.flatMap((one, index) => (matches(one) ? [index] : []));
      if (found.length > 1) throw this.#ambiguousError(name);
      if (found[0] !== undefined) return found[0];
    }
    if (this.#optional.has(name)) return -1;
    const reader = this.#preset === null ? "" : `, which the preset ${this.#preset} needs`;
    throw fail("config", {
      message: `${describeSource(this.#source)} has no column ${JSON.stringify(name)}${reader}`,
      suggestion: suggestSimilar(name, this.#header, "columns") ?? "The header has no names.",
    });
  }

  #ambiguousError(name: string): CliError {
    return fail("config", {
      message: `${describeSource(this.#source)} has several columns ${JSON.stringify(name)}`,
      hint: "Rename all but one of them in the header.",
    });
  }

  /** A function that reads the value of a source. Throws `config` for an unknown column. */
  reader(source: ValueSource): ReadValue {
    if (typeof source === "string") return this.#columnReader(source);
    if ("value" in source) return () => source.value;
    if ("columns" in source) {
      const indexes = source.columns.map((name) => this.find(name));
      const separator = source.separator ?? ":";
      const isWritten = (text: string) => text !== "";
      return (row) =>
        indexes
          .map((index) => row.text(index))
          .filter(isWritten)
          .join(separator);
    }
    return source.path === undefined
      ? this.#columnReader(source.column)
      : this.#pathReader(source.column, source.path);
  }

  dataField(column: DataColumn): DataField {
    const source = typeof column === "string" ? { column } : column;
    const name = source.as ?? source.path?.split(".").at(-1) ?? source.column;
    return { name, keepText: source.text === true, read: this.reader(pickSource(source)) };
  }

  #columnReader(name: string): ReadValue {
    const index = this.find(name);
    return (row) => row.text(index);
  }

  #pathReader(name: string, path: string): ReadValue {
    const index = this.find(name);
    const keys = path.split(".");
    return (row) => keys.reduce(readField, row.json(index, name)) ?? "";
  }
}

const pickSource = ({ column, path }: { column: string; path?: string | undefined }): ValueSource => ({
  column,
  ...(path === undefined ? {} : { path }),
});

function readField(value: unknown, key: string): unknown {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}

/** Where the values of a row come from, by field. */
export function listSources(map: CsvMap) {
  const { session, device, tester, event, eventId, build, environment, platform, x, y, room } = map;
  return { session, device, tester, event, eventId, build, environment, platform, x, y, room };
}

export function listColumns(map: CsvMap): string[] {
  const zone = typeof map.time.zone === "object" ? [map.time.zone.column] : [];
  const data = (map.data ?? []).map((column) => (typeof column === "string" ? column : column.column));
  const names = Object.values(listSources(map)).flatMap((source) =>
    source ? listSourceColumns(source) : [],
  );
  return [...new Set([...names, map.time.column, ...zone, ...(map.json ?? []), ...data])];
}

export function listSourceColumns(source: ValueSource): readonly string[] {
  if (typeof source === "string") return [source];
  if ("columns" in source) return source.columns;
  return "column" in source ? [source.column] : [];
}

/**
 * Returns the map that fits a header: of those whose required columns are all there, the one that lacks the fewest. Throws `config` for the
 * map that comes closest.
 */
export function chooseMap(maps: readonly NamedMap[], source: string, header: readonly string[]): NamedMap {
  const names = new Set(header.map((name) => name.toLowerCase()));
  const fits = maps.map((named) => {
    const { map } = named;
    const columns = listColumns(map);
    const missing = columns.filter((name) => !names.has(name.toLowerCase()));
    const required = missing.filter((name) => !map.optional?.includes(name));
    return {
      named,
      required: required.length,
      missing: missing.length,
      found: columns.length - missing.length,
    };
  });
  const [best] = fits.sort((a, b) => a.required - b.required || a.missing - b.missing || b.found - a.found);
  if (!best) throw new Error("A preset has no maps");
  const columns = new Columns(source, header, best.named);
  for (const name of listColumns(best.named.map)) columns.find(name);
  return best.named;
}
