/** The database engine under test. Tests name every database like a SQLite file; on Postgres the names are mapped to URLs. */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DefaultQueryExecutor, Kysely, sql, type TableMetadata } from "kysely";
import { migrations as allMigrations, type Migrations } from "../src/server/db/migrations/index.ts";
import { isPostgres, type OpenStoreOptions, openStore, type Store } from "../src/server/db/open.ts";
import { openPool, postgresDialect } from "../src/server/db/postgres.ts";
import type { Schema } from "../src/server/db/schema.ts";
import { openConnection, sqliteDialect } from "../src/server/db/sqlite.ts";
import { SqliteExecutor } from "../src/server/db/sqlite-executor.ts";
import { TestDatabases } from "./postgres/databases.ts";
import { readNodes, runOn, withDatabase } from "./postgres/nodes.ts";

const { PLAYTEST_TEST_POSTGRES: server, PLAYTEST_TEST_TEMPLATE: template } = process.env;
const databases =
  server === undefined || template === undefined ? undefined : new TestDatabases(readNodes(), template);

/** The URL of a pooler in front of the server of TEST_POSTGRES_URL, through which the service then connects. */
const pooler = process.env.TEST_POSTGRES_POOLER;

/** The URL with the address of the pooler, if there is one. */
function throughPooler(address: string): string {
  return pooler === undefined ? address : withDatabase(pooler, new URL(address).pathname.slice(1));
}

export const engine = databases ? "postgres" : "sqlite";

/** Whether the tables are distributed over the nodes of a cluster. */
export const isSharded = readNodes().length > 1;

/** Opens a database of the engine under test. `:memory:` is a new database; a file name is the database with that name. */
export async function openTestStore(
  database = ":memory:",
  options: Pick<OpenStoreOptions, "migrations" | "onUpgrade"> = {},
): Promise<Store> {
  const address =
    databases && database === ":memory:" ? await databases.take() : await resolveDatabase(database);
  if (!databases && !options.migrations) await prepareFile(database);
  const isNew = database === ":memory:" && options.migrations === undefined;
  const store = await openStore({
    database: databases ? throughPooler(address) : address,
    durability: "NORMAL",
    ...(isNew && preparedMigrations ? { migrations: preparedMigrations } : {}),
    ...options,
  });
  if (!databases && isNew) preparedMigrations ??= await readSchema(store);
  if (!databases || database !== ":memory:") return store;
  let isReturned = false;
  return {
    ...store,
    async close() {
      await store.close();
      if (!isReturned) await databases.release(address);
      isReturned = true;
    },
  };
}

/**
 * The migrations as one step: the statements that create the tables, indexes and triggers of the first database in memory that
 * this process opened. Running the migrations for each test would take longer than most tests.
 */
let preparedMigrations: Migrations | undefined;

async function readSchema({ readDb }: Store): Promise<Migrations> {
  const { rows } = await sql<{ statement: string }>`
    select sql as statement from sqlite_master
    where sql is not null and name not like 'sqlite_%' and name not like 'kysely_%' order by rowid`.execute(
    readDb,
  );
  const createAll = async (db: Kysely<unknown>) => {
    for (const { statement } of rows) await sql.raw(statement).execute(db);
  };
  const ups = Object.keys(allMigrations).map((name, at) => [
    name,
    { up: at === 0 ? createAll : async () => {} },
  ]);
  return Object.fromEntries(ups);
}

/** The content of a file in which only the tables were created. */
let preparedFile: Promise<Buffer> | undefined;

/** Fills in a database file that does not exist, but whose folder does, because creating the tables takes longer than most tests. */
async function prepareFile(file: string): Promise<void> {
  if (file === ":memory:" || isPostgres(file) || existsSync(file) || !existsSync(dirname(file))) return;
  preparedFile ??= createFile();
  writeFileSync(file, await preparedFile, { mode: 0o600 });
}

async function createFile(): Promise<Buffer> {
  const file = join(mkdtempSync(join(tmpdir(), "playtest-tables-")), "new.db");
  await (await openStore({ database: file, durability: "NORMAL" })).close();
  return readFileSync(file);
}

/** The `--database` value for a server or command: the file itself, or the URL that it is mapped to. */
export async function resolveDatabase(file: string): Promise<string> {
  return databases && !isPostgres(file) ? throughPooler(await databases.ofFile(file)) : file;
}

/** Returns all stored data as text with one character per byte, to assert that something is not stored anywhere. */
export async function readStoredText(file: string): Promise<string> {
  if (!databases) {
    const files = ["", "-wal", "-shm"].map((part) => file + part).filter((path) => existsSync(path));
    return files.map((path) => readFileSync(path, "latin1")).join("\n");
  }
  const address = await resolveDatabase(file);
  const tables = await runOn(
    address,
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
  );
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await runOn(address, `select row_to_json(one)::text as text from ${name} one`);
    texts.push(...rows.map(({ text }: { text: string }) => `${name} ${text} ${decodeBlobs(text)}`));
  }
  return Buffer.from(texts.join("\n")).toString("latin1");
}

/** Decodes the blobs in the JSON text of a row. */
function decodeBlobs(row: string): string {
  const blobs = [...row.matchAll(/\\\\x([0-9a-f]+)/g)];
  return blobs.map(([, hex = ""]) => Buffer.from(hex, "hex").toString("latin1")).join(" ");
}

/** Creates a database without any tables for a file name that was not opened yet, and returns what to open. */
export async function createEmptyDatabase(file: string): Promise<string> {
  return databases ? await databases.makeBare(file) : file;
}

/** Copies a closed database, including its write-ahead log, to another file name. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  if (databases) return await databases.copy(from, to);
  for (const part of ["", "-wal"]) if (existsSync(from + part)) copyFileSync(from + part, to + part);
}

/** Opens a database without running migrations, so that a test can prepare its content. */
export async function openBare(database: string): Promise<Kysely<Schema>> {
  if (isPostgres(database)) return new Kysely<Schema>({ dialect: postgresDialect(openPool(database)) });
  const connection = await openConnection(database, { durability: "NORMAL" });
  return new Kysely<Schema>({ dialect: sqliteDialect(connection, "begin immediate") });
}

/** Lists the tables of the service with their columns. Those of extensions are views, or in other schemas. */
export async function listTables({ readDb }: Pick<Store, "readDb">): Promise<TableMetadata[]> {
  const tables = await readDb.introspection.getTables();
  return tables.filter(({ schema, isView }) => !isView && (schema ?? "public") === "public");
}

/** The class of the methods that all statements pass through, both of connections and of transactions. */
export const queryExecutor: { readonly prototype: DefaultQueryExecutor } =
  engine === "postgres" ? DefaultQueryExecutor : SqliteExecutor;
