/** Reads the rows of a CSV or TSV file, plain or gzip, with bounded memory. */
import { isUtf8 } from "node:buffer";
import { fail } from "../errors.ts";
import type { Io } from "../io.ts";
import { describeSource, explainReadFailure, readBytes } from "../telemetry-files/bytes.ts";
import { CsvParser, MAX_RECORD_BYTES, OversizedRecord, type RawRecord } from "./parser.ts";

/** A row of the file, or why it cannot be read. */
export interface CsvRow {
  /** The line on which the row starts, from 1. */
  readonly line: number;
  /** The line on which the row ends, because quoted text can contain line breaks. */
  readonly endLine: number;
  /** The text of each column, in the order of the header. */
  readonly cells: readonly string[];
  readonly fault: string | null;
}

interface CsvFile {
  readonly header: readonly string[];
  readonly delimiter: string;
  /** In groups, because waiting for each row would take longer than reading it. */
  readonly rows: AsyncIterable<readonly CsvRow[]>;
}

/** The separators that are recognized in the header. */
const DELIMITERS = [",", "\t", ";"] as const;

/** The maximum size of the header in bytes. */
const MAX_HEADER_BYTES = 1024 * 1024;

const BOM = "\u00ef\u00bb\u00bf";

/**
 * Opens a file and reads its header. Without a `delimiter`, it is the separator that splits the header into most columns. Throws
 * `config` if the file cannot be read, and `incomplete` if it has no header or is in another encoding.
 */
export async function openCsv(source: string, io: Io, delimiter?: string): Promise<CsvFile> {
  const pieces = readPieces(source, io);
  let head = "";
  let end = -1;
  try {
    while (end < 0 && head.length <= MAX_HEADER_BYTES) {
      const next = await pieces.next();
      if (next.done) break;
      head += next.value;
      end = findHeaderEnd(head);
    }
  } catch (cause) {
    throw explainReadFailure(cause, source, 0);
  }
  if (head.startsWith(BOM)) {
    head = head.slice(BOM.length);
    end = findHeaderEnd(head);
  }
  const first = end < 0 ? head : head.slice(0, end + 1);
  const { header, separator } = parseHeader(first, source, delimiter);
  const rest = head.slice(first.length);
  const lines = first.split("\n").length - (end < 0 ? 0 : 1);
  const parser = new CsvParser(separator, lines + 1);
  return { header, delimiter: separator, rows: readRows(source, parser, rest, pieces, header.length) };
}

/** The index of the line feed that ends the header; -1 if it is not in the text. */
function findHeaderEnd(text: string): number {
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === "\n" && !isQuoted) return at;
  }
  return -1;
}

function parseHeader(text: string, source: string, delimiter: string | undefined) {
  const name = describeSource(source);
  if (text.startsWith("\u00ff\u00fe") || text.startsWith("\u00fe\u00ff") || text.includes("\0")) {
    throw fail("incomplete", {
      message: `${name} is not UTF-8: it is probably UTF-16`,
      hint: "Convert the file, for example with `iconv -f utf-16 -t utf-8`.",
    });
  }
  if (!text.includes('"') && /\r./.test(text)) {
    throw fail("incomplete", {
      message: `${name} has lines that end in CR instead of LF`,
      hint: "Convert the file, for example with `tr '\\r' '\\n'`.",
    });
  }
  if (text.trim() === "" || text.length > MAX_HEADER_BYTES) {
    throw fail("incomplete", {
      message: text.trim() === "" ? `${name} has no header` : `${name} has a header of more than 1 MiB`,
      hint: "The first line of the file must contain the names of the columns.",
    });
  }
  const candidates = (delimiter === undefined ? DELIMITERS : [delimiter]).map((separator) => {
    const parser = new CsvParser(separator);
    const record = parser.push(text)[0] ?? parser.end();
    return { separator, cells: record?.cells ?? [] };
  });
  const best = candidates.reduce((a, b) => (b.cells.length > a.cells.length ? b : a));
  return { header: best.cells.map((cell) => decode(cell) ?? ""), separator: best.separator };
}

/** The text of the file in pieces, with one character per byte. */
async function* readPieces(source: string, io: Io): AsyncGenerator<string> {
  for await (const bytes of readBytes(source, io)) {
    yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  }
}

async function* readRows(
  source: string,
  parser: CsvParser,
  first: string,
  pieces: AsyncIterable<string>,
  columns: number,
): AsyncGenerator<readonly CsvRow[]> {
  // The header was read, and is line 1 in almost all files.
  let line = 1;
  try {
    const toRows = (records: readonly RawRecord[]) => {
      line = records.at(-1)?.endLine ?? line;
      return records.filter((record) => !isEmptyLine(record)).map((record) => toRow(record, columns));
    };
    yield toRows(parser.push(first));
    for await (const piece of pieces) yield toRows(parser.push(piece));
    const last = parser.end();
    if (last) yield toRows([last]);
  } catch (cause) {
    if (cause instanceof OversizedRecord) throw oversizedError(source, cause);
    throw explainReadFailure(cause, source, line);
  }
}

function oversizedError(source: string, { line }: OversizedRecord) {
  return fail("incomplete", {
    message: `${describeSource(source)}: the row that starts on line ${line} is larger than ${MAX_RECORD_BYTES / 2 ** 20} MiB`,
    hint: "A quote without a closing quote may be the cause.",
  });
}

const isEmptyLine = ({ cells }: RawRecord) => cells.length === 1 && cells[0]?.trim() === "";

function toRow({ line, endLine, cells: raw, fault }: RawRecord, columns: number): CsvRow {
  const cells: string[] = [];
  let problem = fault;
  for (const cell of raw) {
    const text = decode(cell);
    if (text === null) problem ??= `column ${cells.length + 1} is not UTF-8`;
    cells.push(text ?? "");
  }
  if (cells.length !== columns)
    problem ??= `has ${cells.length} columns, but the header has ${columns} columns`;
  return { line, endLine, cells, fault: problem };
}

const ASCII = /^[\0-\x7f]*$/;

/** Part of a text that is shorter is always a copy in V8, and does not refer to the text. */
const MIN_SLICE = 13;

/**
 * Decodes text with one character per byte as UTF-8, or returns null. The result never refers to the file's text, which
 * would stay in memory with it.
 */
function decode(cell: string): string | null {
  const isAscii = ASCII.test(cell);
  if (isAscii && cell.length < MIN_SLICE) return cell;
  const bytes = Buffer.from(cell, "latin1");
  if (isAscii) return bytes.toString("latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : null;
}
