/** Reads the lines of an archive, and reports the line of the first error if the archive is incomplete or damaged. */
import { droppedTables } from "../db/convert-030.ts";
import type { SecretRow, TombstoneRow } from "../db/schema.ts";
import { type TableName, tableNames } from "../db/tables.ts";
import type { Erasures } from "../erasure/erase-again-queries.ts";
import type { ArchiveRow } from "./archive-queries.ts";
import {
  type ArchiveChecksum,
  damagedError,
  LineHasher,
  parseHeader,
  parseObject,
  parseRow,
  type TableChecksum,
} from "./format.ts";

export interface ArchiveLine {
  /** Line number, from 1. */
  readonly number: number;
  readonly text: string;
}

/** Some rows of a table. A table without rows has one empty part. */
export interface TablePart<Name extends string = TableName> {
  readonly table: Name;
  readonly columns: readonly string[];
  readonly rows: readonly ArchiveRow[];
  /** The line number of the first row. */
  readonly firstLine: number;
}

/** Limits of a part, in values and characters. */
const MAX_PART_VALUES = 6000;
const MAX_PART_LENGTH = 4 * 1024 * 1024;

/**
 * Yields the parts of an archive and returns its totals. The checksums come after the rows, so parts that were already
 * yielded may still turn out to be damaged. Throws `unusable` with the number of the damaged line. Archives of older
 * versions have fewer tables, or some that were dropped since, which are only checked.
 */
export async function* readArchive(
  lines: AsyncIterable<ArchiveLine>,
  source: string,
  expected: readonly TableName[] = tableNames,
): AsyncGenerator<TablePart, ArchiveChecksum> {
  const reader = new ArchiveLineReader(lines[Symbol.asyncIterator](), source);
  const header = parseHeader((await reader.next("the header")).text, source);
  if (!header) throw damagedError(source, "line 1: expected the header of an archive");
  const tables: TableChecksum[] = [];
  const dropped: TableChecksum[] = [];
  /** The next line that belongs to no dropped table. */
  const nextLine = async (description: string): Promise<ArchiveLine> => {
    for (;;) {
      const line = await reader.next(description);
      const { table } = parseObject(line.text) ?? {};
      if (typeof table !== "string" || !droppedTables.includes(table)) return line;
      dropped.push(await skipTable(readTable(reader, line, table)));
    }
  };
  for (const table of expected)
    tables.push(yield* readTable(reader, await nextLine(`the start of table ${table}`), table));
  const { number, text } = await nextLine("the last line");
  const sum = (checksums: readonly TableChecksum[]) => checksums.reduce((total, { rows }) => total + rows, 0);
  const [rows, droppedRows] = [sum(tables), sum(dropped)];
  const sha256 = reader.hasher.hex();
  const end = parseObject(text);
  if (
    end?.tables !== tables.length + dropped.length ||
    end.rows !== rows + droppedRows ||
    end.sha256 !== sha256
  )
    throw damagedError(source, `line ${number}: the totals or the checksum do not match the lines before`);
  await reader.requireEnd();
  return { createdAt: header.createdAt, tables, rows, sha256 };
}

/** Reads a table only to check it. */
async function skipTable(parts: AsyncGenerator<unknown, TableChecksum>): Promise<TableChecksum> {
  for (;;) {
    const { done, value } = await parts.next();
    if (done) return value;
  }
}

async function* readTable<Name extends string>(
  reader: ArchiveLineReader,
  start: ArchiveLine,
  table: Name,
): AsyncGenerator<TablePart<Name>, TableChecksum> {
  const { table: name, columns } = parseObject(start.text) ?? {};
  if (name !== table || !isStringArray(columns))
    throw reader.damage(start, `expected the start of table ${table}`);
  const hasher = new LineHasher();
  const maxRows = Math.max(1, Math.floor(MAX_PART_VALUES / Math.max(1, columns.length)));
  let rows: ArchiveRow[] = [];
  let length = 0;
  let firstLine = start.number + 1;
  for (;;) {
    const line = await reader.next(`more rows of table ${table} or its end`);
    const row = parseRow(line.text, columns.length);
    if (!row) {
      yield { table, columns, rows, firstLine };
      return checkTableEnd(reader, line, table, hasher);
    }
    hasher.add(line.text);
    rows.push(row);
    length += line.text.length;
    if (rows.length < maxRows && length < MAX_PART_LENGTH) continue;
    yield { table, columns, rows, firstLine };
    [rows, length, firstLine] = [[], 0, line.number + 1];
  }
}

/** Checks the line that ends a table against the rows of the table. */
function checkTableEnd(
  reader: ArchiveLineReader,
  line: ArchiveLine,
  table: string,
  hasher: LineHasher,
): TableChecksum {
  const end = parseObject(line.text);
  if (end?.end !== table)
    throw reader.damage(line, `expected a row of table ${table} or the end of the table`);
  const checksum = { table, rows: hasher.lines, sha256: hasher.hex() };
  if (end.rows !== checksum.rows)
    throw reader.damage(
      line,
      `expected ${String(end.rows)} rows of table ${table}, but found ${checksum.rows}`,
    );
  if (end.sha256 !== checksum.sha256)
    throw reader.damage(line, `the rows of table ${table} do not match their checksum`);
  return checksum;
}

function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

/** Reads an archive line by line and hashes the lines before the current one. */
class ArchiveLineReader {
  readonly hasher = new LineHasher();
  #current: string | null = null;
  readonly #lines: AsyncIterator<ArchiveLine>;
  readonly #source: string;
  #lastNumber = 0;

  constructor(lines: AsyncIterator<ArchiveLine>, source: string) {
    this.#lines = lines;
    this.#source = source;
  }

  /** Reads the next line. Throws at the end of the file and after an empty line. `expected` describes the line for errors. */
  async next(expected: string): Promise<ArchiveLine> {
    const { done, value } = await this.#lines.next();
    if (done)
      throw damagedError(this.#source, `its end: expected ${expected} after line ${this.#lastNumber}`);
    if (value.number !== this.#lastNumber + 1) throw this.damage(value, "the line before it is empty");
    this.#lastNumber = value.number;
    if (this.#current !== null) this.hasher.add(this.#current);
    this.#current = value.text;
    return value;
  }

  async requireEnd(): Promise<void> {
    const { done, value } = await this.#lines.next();
    if (!done) throw this.damage(value, "unexpected line after the end of the archive");
  }

  damage({ number }: ArchiveLine, details: string): Error {
    return damagedError(this.#source, `line ${number}: ${details}`);
  }
}

/** Reads the whole archive, so that a damaged one is refused. Throws `unusable`. */
export async function readErasures(lines: AsyncIterable<ArchiveLine>, source: string): Promise<Erasures> {
  const secrets: SecretRow[] = [];
  const tombstones: TombstoneRow[] = [];
  for await (const part of readArchive(lines, source)) {
    if (part.table === "secrets") secrets.push(...toObjects<SecretRow>(part));
    if (part.table === "tombstones") tombstones.push(...toObjects<TombstoneRow>(part));
  }
  return { secrets, tombstones };
}

/** The rows of a part that the reader has checked against the columns of its table. */
const toObjects = <Row>({ columns, rows }: TablePart): Row[] =>
  rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index] ?? null])) as Row);
