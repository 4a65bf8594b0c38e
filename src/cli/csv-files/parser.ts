/**
 * Parses CSV and TSV in pieces of any size. Unlike the parser of the tests' library, it numbers the lines of the file, so
 * that messages can name them, and bounds the size of a record. The text has one character per byte: the syntax is ASCII.
 */

/** A record of the file. Its text has one character per byte. */
export interface RawRecord {
  /** The line on which the record starts, from 1. Quoted text may contain line breaks. */
  readonly line: number;
  /** The line on which the record ends. */
  readonly endLine: number;
  readonly cells: readonly string[];
  /** Why the record is malformed; null if it is not. */
  readonly fault: string | null;
}

/** The maximum size of a record in bytes; far more than a telemetry event may have. A quote without an end reaches it. */
export const MAX_RECORD_BYTES = 8 * 1024 * 1024;

type State = "start" | "plain" | "quoted" | "after-quote";

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

export class CsvParser {
  readonly #delimiter: number;
  #state: State = "start";
  #cells: string[] = [];
  #cell: string[] = [];
  #line: number;
  #startLine: number;
  #bytes = 0;
  #fault: string | null = null;

  /** `line` is the number of the first line. */
  constructor(delimiter: string, line = 1) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#line = line;
    this.#startLine = line;
  }

  /** Parses the next piece of the text, and returns the records that it completes. */
  push(text: string): RawRecord[] {
    const records: RawRecord[] = [];
    let at = 0;
    while (at < text.length) {
      const end = this.#state === "after-quote" ? this.#skipAfterQuote(text, at) : this.#readText(text, at);
      this.#bytes += end - at + 1;
      if (end < text.length) this.#accept(text.charCodeAt(end), records);
      at = end + 1;
      if (this.#bytes > MAX_RECORD_BYTES) throw new OversizedRecord(this.#startLine);
    }
    return records;
  }

  /** The last record, if the text does not end in a line feed. */
  end(): RawRecord | null {
    if (this.#state === "quoted") this.#fault ??= "its last quoted text has no closing quote";
    const isEmpty = this.#state === "start" && this.#cells.length === 0;
    return isEmpty ? null : this.#finishRecord();
  }

  /** Adds the text up to the next character with a meaning to the cell, and returns the index of that character. */
  #readText(text: string, from: number): number {
    const end = this.#state === "quoted" ? findQuote(text, from) : this.#findSeparator(text, from);
    if (this.#state === "quoted") this.#line += countLineFeeds(text, from, end);
    if (end > from) this.#cell.push(text.slice(from, end));
    return end;
  }

  /** The index of the next separator or, at the start of a cell, quote. Quotes within plain text have no meaning. */
  #findSeparator(text: string, from: number): number {
    if (this.#state === "start" && text.charCodeAt(from) === QUOTE) return from;
    let at = from;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === this.#delimiter || code === LF) break;
    }
    if (at > from) this.#state = "plain";
    return at;
  }

  /** After a closing quote, only a separator, a second quote or the CR of a line end may follow. */
  #skipAfterQuote(text: string, from: number): number {
    let at = from;
    while (text.charCodeAt(at) === CR) at += 1;
    const code = text.charCodeAt(at);
    if (at < text.length && code !== QUOTE && code !== LF && code !== this.#delimiter) {
      this.#fault ??= `column ${this.#cells.length + 1} has text after its closing quote`;
      this.#state = "plain";
      return this.#readText(text, at);
    }
    return at;
  }

  #accept(code: number, records: RawRecord[]): void {
    if (this.#state === "quoted") this.#state = "after-quote";
    else if (code === QUOTE) {
      if (this.#state === "after-quote") this.#cell.push('"');
      this.#state = "quoted";
    } else if (code === LF) {
      records.push(this.#finishRecord());
      this.#line += 1;
      this.#startLine = this.#line;
    } else this.#finishCell();
  }

  #finishCell(): void {
    this.#cells.push(this.#cell.length === 1 ? (this.#cell[0] ?? "") : this.#cell.join(""));
    this.#cell = [];
    this.#state = "start";
  }

  #finishRecord(): RawRecord {
    const last = this.#cell.at(-1);
    if (this.#state === "plain" && last?.endsWith("\r"))
      this.#cell[this.#cell.length - 1] = last.slice(0, -1);
    this.#finishCell();
    const record = { line: this.#startLine, endLine: this.#line, cells: this.#cells, fault: this.#fault };
    this.#cells = [];
    this.#fault = null;
    this.#bytes = 0;
    return record;
  }
}

/** A record is larger than `MAX_RECORD_BYTES`. */
export class OversizedRecord extends Error {
  constructor(readonly line: number) {
    super(`The record that starts on line ${line} is too large`);
  }
}

function findQuote(text: string, from: number): number {
  const at = text.indexOf('"', from);
  return at < 0 ? text.length : at;
}

function countLineFeeds(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
