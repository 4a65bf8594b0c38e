/** Reads the lines of an archive, and refuses one that is not whole and as it was written, naming the place. */
import { type TableName, tableNames } from "../db/tables.ts";
import {
  type ArchiveChecksum,
  damagedError,
  LineHasher,
  parseHeader,
  parseObject,
  parseRow,
  type TableChecksum,
} from "./format.ts";
import type { ArchiveRow } from "./queries.ts";

/** A line of the archive. */
export interface ArchiveLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

/** Rows of a table, some at a time; a table without rows comes with none once. */
export interface TablePart {
  readonly table: TableName;
  readonly columns: readonly string[];
  readonly rows: readonly ArchiveRow[];
}

/** A part is handed on at so many rows, or so many characters. */
const MAX_PART_ROWS = 100;
const MAX_PART_LENGTH = 4 * 1024 * 1024;

/**
 * Yields the parts of an archive and returns what it amounts to, once its end has proved all of it: until then what was
 * yielded may yet be refused. Throws `config` naming the line.
 */
export async function* readArchive(
  lines: AsyncIterable<ArchiveLine>,
  source: string,
): AsyncGenerator<TablePart, ArchiveChecksum> {
  const pull = new ArchiveLineReader(lines[Symbol.asyncIterator](), source);
  const header = parseHeader((await pull.next("its header")).text, source);
  if (!header) throw damagedError(source, "line 1: this is no header of an archive");
  const tables: TableChecksum[] = [];
  for (const table of tableNames) tables.push(yield* readTable(pull, table));
  const rows = tables.reduce((total, sum) => total + sum.rows, 0);
  const sha256 = pull.sum.hex();
  const { number, text } = await pull.next("its last line");
  const end = parseObject(text);
  if (end?.tables !== tables.length || end.rows !== rows || end.sha256 !== sha256)
    throw damagedError(source, `line ${number}: its last line does not prove those before`);
  await pull.requireEnd();
  return { createdAt: header.createdAt, tables, rows, sha256 };
}

async function* readTable(
  pull: ArchiveLineReader,
  table: TableName,
): AsyncGenerator<TablePart, TableChecksum> {
  const start = await pull.next(`table ${table}`);
  const { table: named, columns } = parseObject(start.text) ?? {};
  if (named !== table || !isStringArray(columns))
    throw pull.damage(start, `here the table ${table} should begin`);
  const own = new LineHasher();
  let rows: ArchiveRow[] = [];
  let length = 0;
  for (;;) {
    const line = await pull.next(`table ${table} after ${own.lines} rows`);
    const row = parseRow(line.text, columns.length);
    if (!row) {
      yield { table, columns, rows };
      return checkTableEnd(pull, line, table, own);
    }
    own.add(line.text);
    rows.push(row);
    length += line.text.length;
    if (rows.length < MAX_PART_ROWS && length < MAX_PART_LENGTH) continue;
    yield { table, columns, rows };
    [rows, length] = [[], 0];
  }
}

/** Checks the line that ends a table against its rows. */
function checkTableEnd(
  pull: ArchiveLineReader,
  line: ArchiveLine,
  table: TableName,
  own: LineHasher,
): TableChecksum {
  const end = parseObject(line.text);
  if (end?.end !== table) throw pull.damage(line, `this is no row of the table ${table}, and not its end`);
  const sum = { table, rows: own.lines, sha256: own.hex() };
  if (end.rows !== sum.rows)
    throw pull.damage(line, `the table ${table} should have ${String(end.rows)} rows, and has ${sum.rows}`);
  if (end.sha256 !== sum.sha256)
    throw pull.damage(line, `the rows of the table ${table} are not those that were written`);
  return sum;
}

function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

/** Takes one line after the other, and adds them up. */
class ArchiveLineReader {
  readonly sum = new LineHasher();
  readonly #lines: AsyncIterator<ArchiveLine>;
  readonly #source: string;
  #reached = 0;

  constructor(lines: AsyncIterator<ArchiveLine>, source: string) {
    this.#lines = lines;
    this.#source = source;
  }

  /** The next line. Throws where there is none, or an empty one before it. `what` is what should come. */
  async next(what: string): Promise<ArchiveLine> {
    const { done, value } = await this.#lines.next();
    if (done)
      throw damagedError(this.#source, `its end: it breaks off after line ${this.#reached}, in ${what}`);
    if (value.number !== this.#reached + 1) throw this.damage(value, "the line before it is empty");
    this.#reached = value.number;
    this.sum.add(value.text);
    return value;
  }

  async requireEnd(): Promise<void> {
    const { done, value } = await this.#lines.next();
    if (!done) throw this.damage(value, "the archive has ended before");
  }

  damage({ number }: ArchiveLine, what: string): Error {
    return damagedError(this.#source, `line ${number}: ${what}`);
  }
}
