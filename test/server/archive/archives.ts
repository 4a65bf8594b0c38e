/** Helpers to export, import and manipulate archives. */
import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { isFilled } from "../../../src/server/archive/archive-queries.ts";
import type { ArchiveChecksum } from "../../../src/server/archive/format.ts";
import {
  type Archive,
  type RestoredArchive,
  type RestoreOptions,
  restoreArchive,
} from "../../../src/server/archive/restore.ts";
import { writeArchive } from "../../../src/server/archive/writer.ts";
import { openStore, type Store } from "../../../src/server/db/open.ts";
import { tableNames } from "../../../src/server/db/tables.ts";
import { NOW, openTestStore } from "../../harness.ts";

const never = new AbortController().signal;

/** Exports a database, and returns the archive as bytes and lines, with its totals. */
export async function exportArchive(
  store: Store,
): Promise<{ bytes: Buffer; lines: string[]; sum: ArchiveChecksum }> {
  const chunks: Uint8Array[] = [];
  const sink = async (chunk: Uint8Array) => void chunks.push(chunk);
  const sum = await writeArchive(store, sink, { now: NOW, signal: never, onTable: async () => {} });
  const bytes = Buffer.concat(chunks);
  const lines = gunzipSync(bytes).toString("utf8").split("\n");
  if (lines.pop() !== "") throw new Error("The last line has no line feed");
  return { bytes, lines, sum };
}

export const zip = (lines: readonly string[]): Buffer => gzipSync(lines.map((line) => `${line}\n`).join(""));

/** Imports the lines of an archive. */
export async function restoreLines(
  store: Store,
  lines: readonly string[],
  more: Partial<RestoreOptions> = {},
): Promise<RestoredArchive> {
  const options = { signal: never, now: NOW, onStep: async () => {}, ...more };
  return await restoreArchive(store, toArchive(lines, "studio.gz"), options);
}

/** An archive of lines. */
export const toArchive = (lines: readonly string[], source: string): Archive => ({
  ...{ source, path: `/archives/${source}` },
  ...{ header: lines[0] ?? "", lines: numberLines(lines) },
});

/** Numbers the lines of an archive. */
export async function* numberLines(lines: readonly string[]) {
  for (const [at, text] of lines.entries()) yield { number: at + 1, text };
}

/** A new database of the engine under test. */
export const emptyStore = (): Promise<Store> => openTestStore();

/** A new database of SQLite in memory, whatever the engine under test. */
export const sqliteStore = (): Promise<Store> => openStore({ database: ":memory:" });

/** Recomputes all counts and checksums, like somebody who changes rows on purpose. */
export function reseal(lines: readonly string[]): string[] {
  const resealed: string[] = [];
  let rows: string[] = [];
  let total = 0;
  for (const line of lines.slice(0, -1)) {
    const value = JSON.parse(line);
    if (Array.isArray(value)) rows.push(line);
    if (value.table !== undefined) rows = [];
    total += Array.isArray(value) ? 1 : 0;
    const end =
      value.end === undefined ? null : { end: value.end, rows: rows.length, sha256: hashLines(rows) };
    resealed.push(end ? JSON.stringify(end) : line);
  }
  const { tables } = JSON.parse(lines.at(-1) ?? "");
  return [...resealed, JSON.stringify({ tables, rows: total, sha256: hashLines(resealed) })];
}

function hashLines(lines: readonly string[]): string {
  return createHash("sha256")
    .update(lines.map((line) => `${line}\n`).join(""))
    .digest("hex");
}

/** Returns the tables that have rows. */
export async function filledTables(store: Store): Promise<string[]> {
  const tables = [];
  for (const table of tableNames) if (await isFilled(store.readDb, table)) tables.push(table);
  return tables;
}
