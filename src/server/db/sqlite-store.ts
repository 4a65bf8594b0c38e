/** A database in a SQLite file, with one connection for writes and one for reads. */
import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { Kysely, sql } from "kysely";
import { createFolder } from "../../shared/create-folder.ts";
import { sleep } from "../../shared/sleep.ts";
import { withCounters } from "./counters.ts";
import { emptyDatabase, migrate, notPlaytestDatabase, readSchemaVersion } from "./migrate.ts";
import type { Migrations } from "./migrations/index.ts";
import type { Db, Schema } from "./schema.ts";
import { accessSqlite, type Durability, openConnection, sqliteDialect } from "./sqlite.ts";
import { POLL_MS } from "./sqlite-connection.ts";
import type { SqliteAccess } from "./sqlite-executor.ts";
import type { Store } from "./store.ts";
import { copyBeforeUpgrade, type Upgrade } from "./upgrade-copy.ts";

/** How long readers are waited for before the write-ahead log is emptied, ms: after an erasure, and before the file is closed. */
const MAX_READERS_WAIT_MS = { purge: 15_000, close: 1000 } as const;
const READERS_POLL_MS = 20;

interface SqliteOptions {
  readonly durability: Durability;
  readonly mustExist: boolean;
  readonly copiesBeforeUpgrade: boolean;
  readonly continuesImport: boolean;
  /** The migrations of this version (default: all). */
  readonly migrations?: Migrations | undefined;
  onUpgrade(upgrade: Upgrade): Promise<void>;
}

/** The pages of the write-ahead log after which they are moved into the file. Many writes then change a page that is moved once. */
const CHECKPOINT_PAGES = { default: 1000, syncLater: 16_000 } as const;

/** SQLite itself would wait for locks by blocking the process, so `whenUnlocked` waits. */
const DO_NOT_WAIT = "PRAGMA busy_timeout = 0";

/** Opens or creates a database file, `:memory:` or a temporary file (an empty name), and updates its schema. */
export async function openSqlite(file: string, options: SqliteOptions): Promise<Store> {
  const { durability, mustExist, copiesBeforeUpgrade, continuesImport, migrations, onUpgrade } = options;
  const inMemory = file === ":memory:" || file === "";
  if (!inMemory) {
    if (mustExist && isEmptyFile(file)) throw emptyDatabase(file);
    createFolder(dirname(file), 0o700);
    createPrivateFile(file);
    await requireOwnFile(file, options);
  }
  const writer = await openConnection(file, { durability });
  const writes = accessSqlite(writer, "begin immediate");
  const write = writes.db;
  const beforeUpgrade = async () => {
    const copy = copiesBeforeUpgrade && !inMemory ? await copyBeforeUpgrade(write, file, migrations) : null;
    await onUpgrade({ location: file, copy });
  };
  try {
    await migrate(write, file, { mustExist, continuesImport, migrations, beforeUpgrade });
  } catch (error) {
    await write.destroy();
    throw error;
  }
  writer.exec(DO_NOT_WAIT);
  const reads = inMemory ? writes : await openReader(file, durability, write);
  const read = reads.db;
  // SQLite has one writer at a time, so every write transaction is serializable.
  const transactNow: Transact = (work) => writes.transact((db) => withCounters(db, work));
  const inTurns = letOthersWrite(transactNow, write);
  let isBulkWork = false;
  const transact: Transact = (work) => (isBulkWork ? inTurns(work) : transactNow(work));
  return {
    engine: "sqlite",
    isComplete: () => true,
    pool: null,
    readDb: read,
    writeDb: write,
    location: file,
    read: (work) => reads.transact(work),
    write: transact,
    serializable: transact,
    async syncLater(work) {
      await sql`pragma synchronous = normal`.execute(write);
      await sql`pragma wal_autocheckpoint = ${sql.lit(CHECKPOINT_PAGES.syncLater)}`.execute(write);
      try {
        isBulkWork = true;
        return await work();
      } finally {
        isBulkWork = false;
        await sql.raw(`pragma synchronous = ${durability}`).execute(write);
        await sql`pragma wal_autocheckpoint = ${sql.lit(CHECKPOINT_PAGES.default)}`.execute(write);
      }
    },
    watchDamage(listener) {
      for (const access of [writes, reads]) access.watchDamage(listener);
    },
    measureSize: () => measureSize(read, file),
    shrink: () => shrink(write),
    purgeDeleted: () => purge(write),
    async close() {
      if (read !== write) await read.destroy();
      await checkpoint(write);
      await write.destroy();
    },
  };
}

type Transact = <T>(work: (db: Db) => Promise<T>) => Promise<T>;

/** How many transactions of bulk work leave a pause after another process has written, and how long others get none, ms. */
const TRANSACTIONS_WITH_PAUSE = 50;
const MAX_MS_WITHOUT_PAUSE = 100;

/**
 * Runs transactions one after another, with pauses for other processes: they look for the lock every `POLL_MS`, and would often
 * find it taken by the next transaction.
 */
function letOthersWrite(transact: Transact, write: Kysely<Schema>): Transact {
  let last: Promise<unknown> = Promise.resolve();
  let seen: number | null = null;
  let pauses = 0;
  let paused = performance.now();
  const pause = async () => {
    // It changes with each commit of another connection.
    const version = await readPragma(write, "data_version");
    if (seen !== null && seen !== version) pauses = TRANSACTIONS_WITH_PAUSE;
    seen = version;
    if (pauses <= 0 && performance.now() - paused < MAX_MS_WITHOUT_PAUSE) return;
    pauses -= 1;
    await sleep(POLL_MS + 1);
    paused = performance.now();
  };
  return (work) => {
    const result = last.then(() => transact(work));
    last = result.then(pause, () => {}).catch(() => {});
    return result;
  };
}

/** Opens a connection that only reads to the file of a database that another process has opened. */
export async function openSqliteReader(file: string, durability: Durability): Promise<Store> {
  const connection = await openConnection(file, { durability, readOnly: true });
  const { db, transact, watchDamage } = accessSqlite(connection, "begin");
  const refuse = async () => {
    throw new Error("This connection only reads");
  };
  return {
    engine: "sqlite",
    isComplete: () => true,
    pool: null,
    readDb: db,
    writeDb: db,
    location: file,
    read: transact,
    write: refuse,
    serializable: refuse,
    syncLater: refuse,
    watchDamage,
    measureSize: () => measureSize(db, file),
    shrink: refuse,
    purgeDeleted: refuse,
    close: () => db.destroy(),
  };
}

/**
 * Creates the file so that only its owner can read it: it will contain tester texts and the keys of AI providers. SQLite
 * gives its write-ahead log the same permissions.
 */
function createPrivateFile(file: string): void {
  try {
    closeSync(openSync(file, "ax", 0o600));
  } catch {
    // An existing file keeps its permissions. If the file cannot be created, opening it reports why.
  }
}

/** Whether a file exists and has no content, such as a file that `touch` has created. */
function isEmptyFile(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return (stats?.isFile() ?? false) && stats?.size === 0;
}

/** The header of an SQLite file: its size, and where it has the journal mode and the id of the program that owns it. */
const HEADER = { bytes: 100, journalMode: 18, applicationId: 68 } as const;
const WRITE_AHEAD_LOG = 2;

/**
 * Throws `unusable` for the file of another program or a newer version. Opening it for writing would change its journal
 * mode. Our files have a write-ahead log, so that only a copy that another tool has made needs to be opened here.
 */
async function requireOwnFile(
  file: string,
  { durability, migrations, continuesImport }: SqliteOptions,
): Promise<void> {
  const header = readHeader(file);
  if (header === null) return;
  if (header.readUInt32BE(HEADER.applicationId) !== 0) throw notPlaytestDatabase(file);
  if (header[HEADER.journalMode] === WRITE_AHEAD_LOG) return;
  // A process was killed while it created the file. Only a connection that writes can undo what it had begun.
  if (existsSync(`${file}-journal`)) return;
  const connection = await openConnection(file, { durability, readOnly: true });
  const db = new Kysely<Schema>({ dialect: sqliteDialect(connection, "begin") });
  try {
    await readSchemaVersion(db, file, migrations, continuesImport);
  } finally {
    await db.destroy();
  }
}

/** The header of a file; null if the file is empty or cannot be read, which opening it reports. */
function readHeader(file: string): Buffer | null {
  try {
    const descriptor = openSync(file, "r");
    try {
      const header = Buffer.alloc(HEADER.bytes);
      return readSync(descriptor, header) === HEADER.bytes ? header : null;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return null;
  }
}

/** Opens a second connection, so that reads see a consistent snapshot during writes. */
async function openReader(
  file: string,
  durability: Durability,
  write: Kysely<Schema>,
): Promise<SqliteAccess> {
  try {
    return accessSqlite(await openConnection(file, { durability, readOnly: true }), "begin");
  } catch (error) {
    await write.destroy();
    throw error;
  }
}

/** The value of `auto_vacuum` with which free pages can be returned in steps. */
const INCREMENTAL = 2;
/** Free pages that are kept for new rows: at least this many, and this share of the file. A page has 4 kB. */
const MIN_FREE_PAGES = 256;
const FREE_SHARE = 0.01;
/** The most pages that one step returns. */
const MAX_PAGES_PER_STEP = 256;

/** Returns some free pages to the file system. Files without incremental vacuum reuse their free pages. */
async function shrink(db: Kysely<Schema>): Promise<boolean> {
  if ((await readPragma(db, "auto_vacuum")) !== INCREMENTAL) return false;
  const [free, pages] = [await readPragma(db, "freelist_count"), await readPragma(db, "page_count")];
  const surplus = free - Math.max(MIN_FREE_PAGES, Math.ceil(pages * FREE_SHARE));
  if (surplus <= 0) {
    // The file itself only shrinks when the write-ahead log is moved into it.
    await sql`pragma wal_checkpoint(passive)`.execute(db).catch(() => {});
    return false;
  }
  await sql`pragma incremental_vacuum(${sql.lit(Math.min(surplus, MAX_PAGES_PER_STEP))})`.execute(db);
  return true;
}

/** The size of the used pages and of the write-ahead log. */
async function measureSize(db: Kysely<Schema>, file: string): Promise<number> {
  const pages = (await readPragma(db, "page_count")) - (await readPragma(db, "freelist_count"));
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return pages * (await readPragma(db, "page_size")) + log;
}

async function readPragma(
  db: Kysely<Schema>,
  name: "auto_vacuum" | "data_version" | "freelist_count" | "page_count" | "page_size",
): Promise<number> {
  const { rows } = await sql<Record<string, number>>`pragma ${sql.raw(name)}`.execute(db);
  return Number(rows[0]?.[name] ?? 0);
}

/**
 * Writes all rows into new pages, because pages may still contain rows that were deleted or moved, and empties the
 * write-ahead log, which contains earlier versions of pages.
 */
async function purge(db: Kysely<Schema>): Promise<boolean> {
  // The copy of a large database does not fit into memory.
  await sql`pragma temp_store = file`.execute(db);
  await sql`vacuum`.execute(db);
  await sql`pragma temp_store = memory`.execute(db);
  return await emptyLog(db, MAX_READERS_WAIT_MS.purge);
}

/** Moves the write-ahead log into the file. Returns false if readers still need it after `maxMs`. */
async function emptyLog(db: Kysely<Schema>, maxMs: number): Promise<boolean> {
  for (let waited = 0; ; waited += READERS_POLL_MS) {
    const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
    if (rows[0]?.busy === 0) return true;
    if (waited >= maxMs) return false;
    await sleep(READERS_POLL_MS);
  }
}

/** Moves the write-ahead log into the file, so that the file can be copied alone. If that fails, the log keeps the data. */
async function checkpoint(db: Kysely<Schema>): Promise<void> {
  await emptyLog(db, MAX_READERS_WAIT_MS.close).catch(() => {});
}
