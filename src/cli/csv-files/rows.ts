/** Turns the rows of a file into events of sessions. */
import { hash } from "node:crypto";
import { findEventFault } from "../../contract/event-faults.ts";
import { TELEMETRY_LIMITS } from "../../contract/telemetry.ts";
import { type Columns, type DataField, listSources, type ReadValue, RowCells, RowFault } from "./columns.ts";
import type { CsvMap } from "./map.ts";
import type { CsvRow } from "./reader.ts";
import { convertText, parseNumber, parseTime } from "./times.ts";

/** The number of recent rows that are certainly remembered. Equal rows further apart get the same id. */
const REMEMBERED_ROWS = 200_000;

/** A power of two that leaves a quarter of the slots free. */
const SLOTS = 2 ** 19;

/** How often numbers were counted: 8 bytes for a number that was counted once, where a map takes 70. */
class Counts {
  /** Each number plus one at the first free slot from its hash; 0 is free. */
  readonly #slots = new Float64Array(SLOTS);
  readonly #repeated = new Map<number, number>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(number: number): number {
    if (this.#slots[this.#find(number)] === 0) return 0;
    return this.#repeated.get(number) ?? 1;
  }

  set(number: number, count: number): void {
    const slot = this.#find(number);
    if (this.#slots[slot] === 0) this.#size += 1;
    this.#slots[slot] = number + 1;
    if (count > 1) this.#repeated.set(number, count);
  }

  #find(number: number): number {
    let slot = number % SLOTS;
    for (let stored = this.#slots[slot]; stored !== 0 && stored !== number + 1; stored = this.#slots[slot])
      slot = (slot + 1) % SLOTS;
    return slot;
  }
}

/** Counts equal rows. Two players' clicks in the same millisecond are two events, although their rows are equal. */
class OccurrenceCounter {
  #recent = new Counts();
  #older: Counts | null = null;

  /**
   * How many times the id was counted, including this time. Depends only on the rows before, so it is the same in each run. Only a
   * part of the id is remembered: two ids with the same part may be numbered, but stay different.
   */
  count(id: string): number {
    const part = Buffer.from(id, "base64url").readUIntLE(0, 6);
    const count = (this.#recent.get(part) || (this.#older?.get(part) ?? 0)) + 1;
    this.#recent.set(part, count);
    if (this.#recent.size > REMEMBERED_ROWS) {
      this.#older = this.#recent;
      this.#recent = new Counts();
    }
    return count;
  }
}

export interface ImportedEvent {
  readonly id: string;
  readonly name: string;
  /** Unix ms. */
  readonly timestamp: number;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** What a row says about its session. Empty if the row does not say it. */
export interface SessionFields {
  readonly device: string;
  readonly tester: string;
  readonly build: string;
  readonly environment: string;
  readonly platform: string;
}

export interface ImportedRow {
  readonly line: number;
  /** The id of the session in the file; null if the map finds sessions by their gaps. */
  readonly session: string | null;
  readonly fields: SessionFields;
  readonly event: ImportedEvent;
}

export interface RejectedRow {
  readonly line: number;
  readonly message: string;
}

/** Converts the rows of one file. Throws `config` if the map names a column that the file does not have. */
export class RowConverter {
  readonly #time: ReadValue;
  readonly #zone: ReadValue | null;
  readonly #format: CsvMap["time"]["format"];
  readonly #json: readonly { readonly index: number; readonly name: string }[];
  readonly #data: readonly DataField[];
  readonly #read: Readonly<Record<string, ReadValue | null>>;
  readonly #hasSessions: boolean;
  readonly #occurrences = new OccurrenceCounter();

  constructor(map: CsvMap, columns: Columns) {
    const { column, path, format, zone } = map.time;
    this.#time = columns.reader(path === undefined ? column : { column, path });
    this.#format = format;
    this.#zone = zone === undefined ? null : columns.reader(readZone(zone));
    this.#json = (map.json ?? []).map((name) => ({ index: columns.find(name), name }));
    this.#data = (map.data ?? []).map((one) => columns.dataField(one));
    this.#hasSessions = map.session !== undefined;
    this.#read = Object.fromEntries(
      Object.entries(listSources(map)).map(([name, source]) => [
        name,
        source ? columns.reader(source) : null,
      ]),
    );
  }

  convert(row: CsvRow): ImportedRow | RejectedRow {
    const { line, endLine, fault } = row;
    const lines = endLine > line ? ` (lines ${line} to ${endLine})` : "";
    try {
      if (fault !== null) throw new RowFault(fault);
      return this.#convert(row, new RowCells(row.cells));
    } catch (error) {
      if (error instanceof RowFault) return { line, message: `${error.message}${lines}` };
      throw error;
    }
  }

  #convert({ line, cells }: CsvRow, row: RowCells): ImportedRow {
    const session = this.#text("session", row);
    if (this.#hasSessions && session === "") throw new RowFault("the session is empty");
    const fields: SessionFields = {
      device: this.#text("device", row),
      tester: this.#text("tester", row),
      build: this.#text("build", row),
      environment: this.#text("environment", row).toLowerCase(),
      platform: this.#text("platform", row),
    };
    const data = this.#readData(row);
    const event = {
      id: this.#readId(cells, row),
      name: this.#text("event", row),
      timestamp: this.#readTime(row),
      ...(Object.keys(data).length === 0 ? {} : { data }),
    };
    if (event.name === "") throw new RowFault("the name of the event is empty");
    const fault = findEventFault(event);
    if (fault !== null) throw new RowFault(fault);
    return { line, session: this.#hasSessions ? session : null, fields, event };
  }

  #text(field: string, row: RowCells): string {
    const value = this.#read[field]?.(row) ?? "";
    if (typeof value === "object") throw new RowFault(`the ${field} is JSON, not text`);
    return String(value).trim();
  }

  #readTime(row: RowCells): number {
    const zone = this.#zone === null ? null : String(this.#zone(row)).trim();
    const parsed = parseTime(String(this.#time(row)).trim(), this.#format, zone === "" ? null : zone);
    if ("fault" in parsed) throw new RowFault(parsed.fault);
    return parsed.time;
  }

  /** The id from the file or, without one, a hash of the row and of how many equal rows came before. */
  #readId(cells: readonly string[], row: RowCells): string {
    const given = this.#text("eventId", row);
    if (given !== "" && given.length <= TELEMETRY_LIMITS.eventId) return given;
    const id = hash("sha256", JSON.stringify(given === "" ? cells : given), "base64url");
    if (given !== "") return id;
    const occurrence = this.#occurrences.count(id);
    return occurrence === 1 ? id : `${id}.${occurrence}`;
  }

  #readData(row: RowCells): Record<string, unknown> {
    const data: Record<string, unknown> = {};
    for (const { index, name } of this.#json) {
      for (const [key, field] of readFields(row, index, name)) setField(data, key, field);
    }
    for (const { name, keepText, read } of this.#data) {
      const value = read(row);
      if (value !== "") setField(data, name, keepText ? value : convertText(value));
    }
    this.#readPosition(row, data);
    return data;
  }

  #readPosition(row: RowCells, data: Record<string, unknown>): void {
    for (const axis of ["x", "y"] as const) {
      const text = this.#text(axis, row);
      if (text === "") continue;
      const value = parseNumber(text, true);
      if (value === null) throw new RowFault(`${axis} ${JSON.stringify(text.slice(0, 60))} is not a number`);
      data[axis] = value;
    }
    const room = this.#text("room", row);
    if (room !== "") data.room = room;
  }
}

/** The fields of a JSON object in a column; none if the cell is empty or null. */
function readFields(row: RowCells, index: number, name: string): [string, unknown][] {
  const value = row.json(index, name);
  if (value === undefined || value === null) return [];
  if (typeof value !== "object" || Array.isArray(value))
    throw new RowFault(`the column ${JSON.stringify(name)} is not a JSON object`);
  return Object.entries(value);
}

const readZone = (zone: NonNullable<CsvMap["time"]["zone"]>) =>
  typeof zone === "string" ? { value: zone } : zone;

/** Defines a field of any name, also `__proto__`. */
function setField(data: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== "__proto__") data[name] = value;
  else Object.defineProperty(data, name, { value, enumerable: true, configurable: true, writable: true });
}
