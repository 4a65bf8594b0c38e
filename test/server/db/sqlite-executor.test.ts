/** Queries and transactions that share one SQLite connection. */
import { statSync } from "node:fs";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Db } from "../../../src/server/db/schema.ts";
import { accessSqlite, openConnection } from "../../../src/server/db/sqlite.ts";
import { openSqlite } from "../../../src/server/db/sqlite-store.ts";
import type { Store } from "../../../src/server/db/store.ts";
import { freshFolder } from "../../harness.ts";

let store: Store;
let file: string;

beforeEach(async () => {
  file = `${freshFolder()}/play.db`;
  store = await openSqlite(file, {
    ...{ durability: "NORMAL", mustExist: false, copiesBeforeUpgrade: false, continuesImport: false },
    onUpgrade: async () => {},
  });
});

afterEach(() => store.close());

const insertAccount = (db: Db, id: string) =>
  sql`insert into accounts (id, name, created_at) values (${id}, ${id}, 0)`.execute(db);
const listAccounts = async (db: Db) =>
  (await db.selectFrom("accounts").select("id").orderBy("id").execute()).map(({ id }) => id);
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it("lets no other query into a transaction that waits", async () => {
  const seen: string[][] = [];
  const transaction = store.write(async (db) => {
    await insertAccount(db, "a");
    await nextTurn();
    throw new Error("not stored");
  });
  const others = [
    listAccounts(store.writeDb).then((ids) => seen.push(ids)),
    store.write((db) => insertAccount(db, "b")),
    listAccounts(store.writeDb).then((ids) => seen.push(ids)),
  ];
  await expect(transaction).rejects.toThrow("not stored");
  await Promise.all(others);
  expect(seen).toEqual([[], ["b"]]);
});

it("shows one state to a read transaction, and every later state to later ones", async () => {
  const other = await openConnection(file, { durability: "NORMAL" });
  try {
    const add = (id: string) =>
      other.exec(`insert into accounts (id, name, created_at) values ('${id}', '', 0)`);
    const read = await store.read(async (db) => {
      const before = await listAccounts(db);
      add("a");
      await nextTurn();
      return [before, await listAccounts(db)];
    });
    expect(read).toEqual([[], []]);
    expect(await listAccounts(store.readDb)).toEqual(["a"]);
    add("b");
    expect(await store.read(listAccounts)).toEqual(["a", "b"]);
  } finally {
    other.close();
  }
});

it("refuses a query that is sent after the end of its transaction", async () => {
  const leaked = await store.read(async (db) => ({ db }));
  await expect(listAccounts(leaked.db)).rejects.toThrow("after the end of its transaction");
});

it("streams rows as objects while the transaction runs other queries", async () => {
  for (const id of ["a", "b", "c"]) await insertAccount(store.writeDb, id);
  const rows = await store.read(async (db) => {
    const streamed: unknown[] = [];
    for await (const row of db.selectFrom("accounts").select(["id", "name"]).orderBy("id").stream())
      streamed.push(row, (await listAccounts(db)).length);
    return streamed;
  });
  expect(rows).toEqual([{ id: "a", name: "a" }, 3, { id: "b", name: "b" }, 3, { id: "c", name: "c" }, 3]);
});

const streamAccounts = (db: Db) => db.selectFrom("accounts").select("id").orderBy("id").stream();

it("streams in later transactions after a stream that was neither read to its end nor closed", async () => {
  for (const id of ["a", "b"]) await insertAccount(store.writeDb, id);
  await store.write(async (db) => await streamAccounts(db)[Symbol.asyncIterator]().next());
  const ids = await store.write(async (db) => {
    const streamed: string[] = [];
    for await (const { id } of streamAccounts(db)) streamed.push(id);
    return streamed;
  });
  expect(ids).toEqual(["a", "b"]);
});

it("reports why a transaction failed, even if its connection was closed meanwhile", async () => {
  const closed = accessSqlite(await openConnection(":memory:", { durability: "NORMAL" }), "begin");
  const transaction = closed.transact(async () => {
    await closed.db.destroy();
    throw new Error("the first error");
  });
  await expect(transaction).rejects.toThrow("the first error");
});

it("refuses a stream that begins after the end of its transaction", async () => {
  const { stream } = await store.read(async (db) => ({ stream: streamAccounts(db) }));
  await expect(stream[Symbol.asyncIterator]().next()).rejects.toThrow("after the end of its transaction");
});

it("returns a column that another connection has added", async () => {
  await insertAccount(store.writeDb, "a");
  const selectAll = () => store.readDb.selectFrom("accounts").selectAll().execute();
  const [before] = await selectAll();
  await sql`alter table accounts add column color text default 'red'`.execute(store.writeDb);
  expect(await selectAll()).toEqual([{ ...before, color: "red" }]);
});

const unfinished = "has rolled back the transaction";

it("runs nothing outside of a transaction that SQLite has rolled back, even if its error was caught", async () => {
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(store.writeDb);
  await sql`pragma max_page_count = ${sql.lit(Number(rows[0]?.page_count) + 4)}`.execute(store.writeDb);
  const large = "x".repeat(100_000);
  const later: string[] = [];
  const transaction = store.write(async (db) => {
    await insertAccount(db, "a");
    await expect(insertAccount(db, large)).rejects.toThrow("full");
    for (const query of [() => insertAccount(db, "b"), () => listAccounts(db)])
      await query().catch((error: Error) => later.push(error.message));
    await expect(streamAccounts(db)[Symbol.asyncIterator]().next()).rejects.toThrow(unfinished);
  });
  await expect(transaction).rejects.toThrow(unfinished);
  expect(later).toEqual([expect.stringContaining(unfinished), expect.stringContaining(unfinished)]);
  expect(await listAccounts(store.writeDb)).toEqual([]);
  await store.write((db) => insertAccount(db, "c"));
  const kysely = store.writeDb.transaction().execute(async (db) => {
    await insertAccount(db, large).catch(() => {});
    await insertAccount(db, "d");
  });
  await expect(kysely).rejects.toThrow(unfinished);
  expect(await listAccounts(store.writeDb)).toEqual(["c"]);
});

it("runs a query while it streams the rows of the same query", async () => {
  for (const id of ["a", "b"]) await insertAccount(store.writeDb, id);
  const seen = await store.read(async (db) => {
    const all: string[] = [];
    for await (const { id } of streamAccounts(db)) {
      all.push(id, ...(await listAccounts(db)));
      for await (const inner of streamAccounts(db)) all.push(inner.id);
    }
    return all;
  });
  expect(seen).toEqual(["a", "a", "b", "a", "b", "b", "a", "b", "a", "b"]);
});

it("ends a stream that was not read to its end with its transaction", async () => {
  for (const id of ["a", "b"]) await insertAccount(store.writeDb, id);
  await store.read(async (db) => await streamAccounts(db)[Symbol.asyncIterator]().next());
  await insertAccount(store.writeDb, "c");
  const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(store.writeDb);
  expect(rows.map(({ busy }) => busy)).toEqual([0]);
});

it("releases its locks if the store is closed during a read", async () => {
  for (const id of ["a", "b"]) await insertAccount(store.writeDb, id);
  const read = store.read(async (db) => {
    await listAccounts(db);
    await streamAccounts(db)[Symbol.asyncIterator]().next();
    await insertAccount(store.writeDb, "c");
    await store.close();
  });
  await read.catch(() => {});
  // Closing moves the write-ahead log into the file, unless a connection still reads it.
  expect(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
});

it("waits for another process without blocking this one", async () => {
  const other = await openConnection(file, { durability: "NORMAL" });
  other.exec("begin immediate");
  const writes = [store.write((db) => insertAccount(db, "a")), insertAccount(store.writeDb, "b")];
  await nextTurn();
  expect(await listAccounts(store.readDb)).toEqual([]);
  other.exec("commit");
  other.close();
  await Promise.all(writes);
  expect(await listAccounts(store.readDb)).toEqual(["a", "b"]);
  // Otherwise, SQLite would block this process first.
  expect((await sql`pragma busy_timeout`.execute(store.writeDb)).rows).toEqual([{ timeout: 0 }]);
});
