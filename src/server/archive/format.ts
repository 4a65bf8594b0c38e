/**
 * The lines of an archive: a header; for each table a start, its rows, and an end with their count and checksum; and a
 * last line with the totals and the checksum of all lines.
 */
import { createHash, type Hash } from "node:crypto";
import { ServiceError } from "../core/errors.ts";
import type { ArchiveRow, ArchiveValue } from "./archive-queries.ts";

/** Version of the line format. Any change of the format needs a new number. */
export const FORMAT_VERSION = 1;
const FORMAT_FIELD = "playtest-database";

export interface ArchiveHeader {
  readonly format: number;
  /** The names of the database's migrations, in order. */
  readonly migrations: readonly string[];
  /** ISO 8601. */
  readonly createdAt: string;
  /** The version of the program; null in archives of versions that did not write it. */
  readonly version: string | null;
}

export interface TableChecksum {
  readonly table: string;
  readonly rows: number;
  /** SHA-256 of the lines of its rows, each with its line feed, in key order; hex. */
  readonly sha256: string;
}

export interface ArchiveChecksum {
  readonly createdAt: string;
  readonly tables: readonly TableChecksum[];
  readonly rows: number;
  /** SHA-256 of all lines before the last, each with its line feed; hex. */
  readonly sha256: string;
}

export function formatHeader({ format, migrations, createdAt, version }: ArchiveHeader): string {
  return JSON.stringify({ [FORMAT_FIELD]: format, migrations, createdAt, version });
}

/**
 * Parses the first line of a file as an archive header. Returns null if the file is not an archive. Throws `unusable` if
 * the header is damaged or the archive has another format version.
 */
export function parseHeader(line: string, source: string): ArchiveHeader | null {
  const header = parseObject(line);
  if (!header || !Object.hasOwn(header, FORMAT_FIELD)) return null;
  const { [FORMAT_FIELD]: format, migrations, createdAt, version = null } = header;
  if (format !== FORMAT_VERSION) {
    throw new ServiceError("unusable", {
      message: `${source} has archive format ${JSON.stringify(format)}, but this version of playtest only reads format ${FORMAT_VERSION}`,
      hint: "Update playtest, or export the database again with this version.",
    });
  }
  if (!Array.isArray(migrations) || !migrations.every((name) => typeof name === "string"))
    throw damagedError(source, "line 1: the header has no list of migrations");
  if (typeof createdAt !== "string") throw damagedError(source, "line 1: the header has no creation time");
  return {
    format: FORMAT_VERSION,
    migrations,
    createdAt,
    version: version === null ? null : String(version),
  };
}

/** The error for a damaged archive. `details` begins with the location, such as `line 2: `. */
export function damagedError(source: string, details: string, cause?: unknown): Error {
  return new ServiceError("unusable", {
    message: `${source} is damaged at ${details}`,
    hint: "Nothing was imported. Copy the archive again, or export the database again.",
    cause,
  });
}

/** Parses a line as a JSON object; null if it is anything else. */
export function parseObject(line: string): Record<string, unknown> | null {
  const value = tryParseJson(line);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function tryParseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/**
 * Formats a row as a JSON array, the same for every engine: numbers in their shortest form, NaN and infinities by name,
 * bytes as base64. Negative zero does not occur, because no engine stores it.
 */
export function formatRow(row: ArchiveRow): string {
  return JSON.stringify(row.map(encodeValue));
}

function encodeValue(value: ArchiveValue): unknown {
  if (value instanceof Uint8Array) return { bytes: encodeBase64(value) };
  if (typeof value === "number" && !Number.isFinite(value)) return { number: String(value) };
  if (value === null || typeof value === "string" || typeof value === "number") return value;
  throw new TypeError(`Archives cannot store a value of type ${typeof value}`);
}

function encodeBase64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}

/** Parses a line as a row with the given number of columns; null if it is anything else. */
export function parseRow(line: string, columns: number): ArchiveRow | null {
  const values = tryParseJson(line);
  if (!Array.isArray(values) || values.length !== columns) return null;
  const row = values.map(decodeValue);
  return row.includes(undefined) ? null : (row as ArchiveRow);
}

const nonFiniteNumbers: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
};

function decodeValue(value: unknown): ArchiveValue | undefined {
  if (value === null || typeof value === "string" || typeof value === "number") return value;
  if (typeof value !== "object") return undefined;
  const { bytes, number } = value as { bytes?: unknown; number?: unknown };
  if (typeof bytes === "string") return Buffer.from(bytes, "base64");
  return typeof number === "string" ? nonFiniteNumbers[number] : undefined;
}

/** Counts and hashes lines. */
export class LineHasher {
  readonly #hash: Hash = createHash("sha256");
  lines = 0;

  add(line: string): void {
    this.lines += 1;
    this.#hash.update(line).update("\n");
  }

  /** SHA-256 of the lines so far, hex. */
  hex(): string {
    return this.#hash.copy().digest("hex");
  }
}
