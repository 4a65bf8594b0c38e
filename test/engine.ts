/** The engine that services of tests are on: a database is named as a SQLite file would be, whatever the engine. */
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { Kysely } from "kysely";
import { isPostgres, openStore, type Store } from "../src/server/db/open.ts";
import { openPool, postgresDialect } from "../src/server/db/postgres.ts";
import type { Schema } from "../src/server/db/schema.ts";
import { openConnection, sqliteDialect } from "../src/server/db/sqlite.ts";
import { runOn, TestDatabases } from "./postgres/databases.ts";

const { PLAYTEST_TEST_POSTGRES: server, PLAYTEST_TEST_TEMPLATE: template } = process.env;
const databases =
  server === undefined || template === undefined ? undefined : new TestDatabases(server, template);

export const engine = databases ? "postgres" : "sqlite";

/** Opens a database of the engine under test: `:memory:` is a fresh one, a file's name the one of that name. */
export async function openTestStore(database = ":memory:"): Promise<Store> {
  const address = databases && database === ":memory:" ? await databases.take() : await addressOf(database);
  const store = await openStore({ database: address, durability: "NORMAL" });
  if (!databases || database !== ":memory:") return store;
  let isLeft = false;
  return {
    ...store,
    async close() {
      await store.close();
      if (!isLeft) await databases.leave(address);
      isLeft = true;
    },
  };
}

/** What a server or a command is told to open: the file itself, or the address that stands for it. */
export async function addressOf(file: string): Promise<string> {
  return databases && !isPostgres(file) ? await databases.ofFile(file) : file;
}

/** Everything that is stored, as text of one character a byte: what is in none of it is stored nowhere. */
export async function storedText(file: string): Promise<string> {
  if (!databases) {
    const files = ["", "-wal", "-shm"].map((part) => file + part).filter((path) => existsSync(path));
    return files.map((path) => readFileSync(path, "latin1")).join("\n");
  }
  const address = await addressOf(file);
  const tables = await runOn(
    address,
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
  );
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await runOn(address, `select row_to_json(one)::text as text from ${name} one`);
    texts.push(...rows.map(({ text }: { text: string }) => `${name} ${text} ${bytesIn(text)}`));
  }
  return Buffer.from(texts.join("\n")).toString("latin1");
}

/** The bytes that a row holds beside its text. */
function bytesIn(row: string): string {
  const found = [...row.matchAll(/\\\\x([0-9a-f]+)/g)];
  return found.map(([, hex = ""]) => Buffer.from(hex, "hex").toString("latin1")).join(" ");
}

/** Lets a file's name that nothing has opened yet stand for a database without any table; answers what is to be opened. */
export async function bareDatabase(file: string): Promise<string> {
  return databases ? await databases.makeBare(file) : file;
}

/** Copies a database that nobody has open to a file of another name, with what its log holds. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  if (databases) return await databases.copy(from, to);
  for (const part of ["", "-wal"]) if (existsSync(from + part)) copyFileSync(from + part, to + part);
}

/** A database as it is, without migrations: to lay in it what services find. */
export async function openBare(database: string): Promise<Kysely<Schema>> {
  if (isPostgres(database)) return new Kysely<Schema>({ dialect: postgresDialect(openPool(database)) });
  const connection = await openConnection(database, { durability: "NORMAL" });
  return new Kysely<Schema>({ dialect: sqliteDialect(connection, "begin immediate") });
}
