/** Databases to be moved, and the ways there and back: an archive as bytes and as lines. */
import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import type { ArchiveChecksum } from "../../../src/server/archive/format.ts";
import { hasRows } from "../../../src/server/archive/queries.ts";
import { restoreArchive } from "../../../src/server/archive/restore.ts";
import { writeArchive } from "../../../src/server/archive/writer.ts";
import { openStore, type Store } from "../../../src/server/db/open.ts";
import { tableNames } from "../../../src/server/db/tables.ts";
import { NOW, openTestStore } from "../../harness.ts";

const never = new AbortController().signal;

/** The archive of a database, with what was told of it. */
export async function archiveOf(
  store: Store,
): Promise<{ bytes: Buffer; lines: string[]; sum: ArchiveChecksum }> {
  const pieces: Uint8Array[] = [];
  const sink = async (piece: Uint8Array) => void pieces.push(piece);
  const sum = await writeArchive(store, sink, { now: NOW, signal: never, onTable: async () => {} });
  const bytes = Buffer.concat(pieces);
  const lines = gunzipSync(bytes).toString("utf8").split("\n");
  if (lines.pop() !== "") throw new Error("The last line has no end");
  return { bytes, lines, sum };
}

export const zip = (lines: readonly string[]): Buffer => gzipSync(lines.map((line) => `${line}\n`).join(""));

/** Imports the lines of an archive. */
export async function restoreLines(store: Store, lines: readonly string[]): Promise<ArchiveChecksum> {
  const numbered = async function* () {
    for (const [at, text] of lines.entries()) yield { number: at + 1, text };
  };
  const archive = { source: "studio.gz", lines: numbered() };
  return await restoreArchive(store, archive, { signal: never, onStep: async () => {} });
}

/** A new database of the engine under test. */
export const emptyStore = (): Promise<Store> => openTestStore();

/** A new database of SQLite in memory, whatever the engine under test. */
export const sqliteStore = (): Promise<Store> => openStore({ database: ":memory:" });

/** The lines with every count and hash made anew, as someone would who changed rows on purpose. */
export function sealed(lines: readonly string[]): string[] {
  const done: string[] = [];
  let rows: string[] = [];
  let total = 0;
  for (const line of lines.slice(0, -1)) {
    const read = JSON.parse(line);
    if (Array.isArray(read)) rows.push(line);
    if (read.table !== undefined) rows = [];
    total += Array.isArray(read) ? 1 : 0;
    const end = read.end === undefined ? null : { end: read.end, rows: rows.length, sha256: hashOf(rows) };
    done.push(end ? JSON.stringify(end) : line);
  }
  const { tables } = JSON.parse(lines.at(-1) ?? "");
  return [...done, JSON.stringify({ tables, rows: total, sha256: hashOf(done) })];
}

function hashOf(lines: readonly string[]): string {
  return createHash("sha256")
    .update(lines.map((line) => `${line}\n`).join(""))
    .digest("hex");
}

/** The tables that have any row. */
export async function filled(store: Store): Promise<string[]> {
  const found = [];
  for (const table of tableNames) if (await hasRows(store.readDb, table)) found.push(table);
  return found;
}
