/** The lines of an archive: a header; of each table a start, its rows, and an end that proves them; and the end of all. */
import { createHash, type Hash } from "node:crypto";
import { ServiceError } from "../core/errors.ts";
import type { ArchiveRow, ArchiveValue } from "./queries.ts";

/** Which form of the lines this is: any change of them is a new number. */
export const FORMAT_VERSION = 1;
const FORMAT_FIELD = "playtest-database";

export interface ArchiveHeader {
  readonly format: number;
  /** The names of the migrations that the database had, in order. */
  readonly migrations: readonly string[];
  /** ISO 8601. */
  readonly createdAt: string;
}

/** What a table amounts to: the proof of its rows. */
export interface TableChecksum {
  readonly table: string;
  readonly rows: number;
  /** Over the lines of its rows, each with its line feed, in the order of the key; hex. */
  readonly sha256: string;
}

/** What an archive amounts to. */
export interface ArchiveChecksum {
  readonly createdAt: string;
  readonly tables: readonly TableChecksum[];
  readonly rows: number;
  /** Over every line before the last, each with its line feed; hex. */
  readonly sha256: string;
}

export function formatHeader({ format, migrations, createdAt }: ArchiveHeader): string {
  return JSON.stringify({ [FORMAT_FIELD]: format, migrations, createdAt });
}

/**
 * The header that a file's first line is; null where the line is no archive's. Throws `unusable` for an archive that is
 * damaged there, or of another format.
 */
export function parseHeader(line: string, source: string): ArchiveHeader | null {
  const read = parseObject(line);
  if (!read || !Object.hasOwn(read, FORMAT_FIELD)) return null;
  const { [FORMAT_FIELD]: format, migrations, createdAt } = read;
  if (format !== FORMAT_VERSION) {
    throw new ServiceError("unusable", {
      message: `${source} is an archive of format ${JSON.stringify(format)}; this version of playtest reads ${FORMAT_VERSION}`,
      hint: "Update playtest, or export the database with this version.",
    });
  }
  if (!Array.isArray(migrations) || !migrations.every((name) => typeof name === "string"))
    throw damagedError(source, "line 1: its header names no migrations");
  if (typeof createdAt !== "string") throw damagedError(source, "line 1: its header has no time");
  return { format: FORMAT_VERSION, migrations, createdAt };
}

/** The error of an archive that is not as it was written. `where` begins with the place. */
export function damagedError(source: string, where: string, cause?: unknown): Error {
  return new ServiceError("unusable", {
    message: `${source} is damaged at ${where}`,
    hint: "Nothing was imported. Get the archive again, or export it anew.",
    cause,
  });
}

/** The object that a line is; null where it is anything else. */
export function parseObject(line: string): Record<string, unknown> | null {
  const read = tryParseJson(line);
  return typeof read === "object" && read !== null && !Array.isArray(read)
    ? (read as Record<string, unknown>)
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
 * A row as JSON, the same from every engine: numbers by their shortest text, zero without its sign (no engine is given
 * one), those that JSON cannot tell by name, bytes as base64.
 */
export function formatRow(row: ArchiveRow): string {
  return JSON.stringify(row.map(encodeValue));
}

function encodeValue(value: ArchiveValue): unknown {
  if (value instanceof Uint8Array) return { bytes: encodeBase64(value) };
  if (typeof value === "number" && !Number.isFinite(value)) return { number: String(value) };
  if (value === null || typeof value === "string" || typeof value === "number") return value;
  throw new TypeError(`A column holds a ${typeof value}, which archives have no form for`);
}

function encodeBase64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}

/** The row of a line; null where it is none of so many columns. */
export function parseRow(line: string, columns: number): ArchiveRow | null {
  const read = tryParseJson(line);
  if (!Array.isArray(read) || read.length !== columns) return null;
  const row = read.map(decodeValue);
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

/** Counts lines and hashes them as they pass. */
export class LineHasher {
  readonly #hash: Hash = createHash("sha256");
  lines = 0;

  add(line: string): void {
    this.lines += 1;
    this.#hash.update(line).update("\n");
  }

  /** The hash so far, hex. */
  hex(): string {
    return this.#hash.copy().digest("hex");
  }
}
