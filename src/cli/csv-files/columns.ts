/** Connects a map to the columns of a file. */

import { suggestSimilar } from "../../shared/similar-names.ts";
import { CliError, fail } from "../errors.ts";
import { describeSource } from "../telemetry-files/bytes.ts";
import type { CsvMap, DataColumn, ValueSource } from "./map.ts";

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

/** Returns a value of a row. */
export type ReadValue = (row: RowCells) => unknown;

/** A field of the data of an event. */
export interface DataField {
  readonly name: string;
  readonly keepText: boolean;
  readonly read: ReadValue;
}

/** Finds the columns of a file by name. */
export class Columns {
  readonly #source: string;
  readonly #header: readonly string[];

  constructor(source: string, header: readonly string[]) {
    this.#source = source;
    this.#header = header;
  }

  /** The index of a column: with exactly this name or, if there is none, in another case. Throws `config`. */
  find(name: string): number {
    const lower = name.toLowerCase();
    const isSame = [(one: string) => one === name, (one: string) => one.toLowerCase() === lower];
    for (const matches of isSame) {
      const found = this.#header.flatMap((one, index) => (matches(one) ? [index] : []));
      if (found.length > 1) throw this.#ambiguousError(name);
      if (found[0] !== undefined) return found[0];
    }
    throw fail("config", {
      message: `${describeSource(this.#source)} has no column ${JSON.stringify(name)}`,
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

/** The columns that a map names. */
export function listColumns(map: CsvMap): string[] {
  const { session, device, tester, event, eventId, build, environment, platform, x, y, room } = map;
  const values = [session, device, tester, event, eventId, build, environment, platform, x, y, room];
  const zone = typeof map.time.zone === "object" ? [map.time.zone.column] : [];
  const data = (map.data ?? []).map((column) => (typeof column === "string" ? column : column.column));
  const names = values.flatMap((value) => (value === undefined ? [] : listSourceColumns(value)));
  return [...new Set([...names, map.time.column, ...zone, ...(map.json ?? []), ...data])];
}

function listSourceColumns(source: ValueSource): readonly string[] {
  if (typeof source === "string") return [source];
  if ("columns" in source) return source.columns;
  return "column" in source ? [source.column] : [];
}

/** Returns the first map whose columns are all in the header. Throws `config` for the map that lacks the fewest. */
export function chooseMap(maps: readonly CsvMap[], source: string, header: readonly string[]): CsvMap {
  const columns = new Columns(source, header);
  const missing = maps.map((map) => ({ map, names: listColumns(map).filter((name) => !has(columns, name)) }));
  const [nearest] = missing.sort((a, b) => a.names.length - b.names.length);
  if (!nearest) throw new Error("A preset has no maps");
  const [first] = nearest.names;
  if (first !== undefined) columns.find(first);
  return nearest.map;
}

function has(columns: Columns, name: string): boolean {
  try {
    columns.find(name);
    return true;
  } catch (error) {
    if (error instanceof CliError) return false;
    throw error;
  }
}
