/** Connections that the service must not use, and those of poolers, which drop settings and share connections. */
import { createHash } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { isTransient } from "../../src/server/db/errors.ts";
import { describeDatabaseError, openStore, type Store } from "../../src/server/db/open.ts";
import { defaultRateLimits } from "../../src/server/http/rate-limits.ts";
import { isSharded } from "../engine.ts";
import { startTestService } from "../harness.ts";
import { ownDatabase, runOn } from "./databases.ts";
import { type Forwarder, startForwarder } from "./forwarder.ts";
import { readNodes } from "./nodes.ts";

let database: Awaited<ReturnType<typeof ownDatabase>>;
let pooler: Forwarder;
let name: string;
const [server = ""] = readNodes();

beforeAll(async () => {
  database = await ownDatabase();
  pooler = await startForwarder(database.address, { dropsOptions: true });
  name = new URL(database.address).pathname.slice(1);
});
afterAll(async () => {
  await pooler?.stop();
  await database?.drop();
});

const TIMEOUT = "select current_setting('statement_timeout') as timeout";

/** Queries a connection of a store. */
const query = async (store: Store, statement: string) => (await store.pool?.query(statement))?.rows;

const listTables = async () =>
  (await runOn(database.address, "select tablename from pg_tables where schemaname = 'public'")).rows;

/** The settings that a pooler drops, too: that of durable commits, and those that the service needs on a cluster. */
const otherSettings = [
  "synchronous_commit = on",
  ...(isSharded
    ? ["citus.max_adaptive_executor_pool_size = 1", "citus.multi_shard_modify_mode = 'sequential'"]
    : []),
];

/** Runs `work` while the database has settings, in order. */
async function withSettings(settings: readonly string[], work: () => Promise<unknown>): Promise<void> {
  for (const setting of [...otherSettings, ...settings])
    await runOn(server, `alter database ${name} set ${setting}`);
  try {
    await work();
  } finally {
    await runOn(server, `alter database ${name} reset all`);
  }
}

it("refuses a pooler that drops timeouts before it creates tables, and names the statements that set them", async () => {
  const opened = openStore({ database: pooler.url, statementTimeoutMs: 30_000 });
  await expect(opened).rejects.toMatchObject({
    code: "unusable",
    message: expect.stringMatching(
      /lack settings.*statement_timeout is 0, idle_in_transaction_session_timeout is 0$/,
    ),
    hint: expect.stringMatching(
      new RegExp(`alter role \\w+ in database ${name} set statement_timeout = 30000; .*timeout = 60000;$`),
    ),
  });
  expect(await listTables()).toEqual([]);
});

it("refuses a pooler that drops the setting for durable commits", async () => {
  await withSettings(["synchronous_commit = off"], async () => {
    await expect(openStore({ database: pooler.url })).rejects.toThrow("synchronous_commit is off");
    await (await openStore({ database: pooler.url, durability: "NORMAL" })).close();
  });
});

it("accepts a pooler if the database has the timeouts, or shorter ones", async () => {
  const timeouts = ["statement_timeout = '20s'", "idle_in_transaction_session_timeout = '60s'"];
  await withSettings(timeouts, async () => {
    const store = await openStore({ database: pooler.url, statementTimeoutMs: 30_000 });
    expect(await query(store, TIMEOUT)).toEqual([{ timeout: "20s" }]);
    await store.close();
  });
});

it("commands without a time limit lift the timeouts of the database, only in their transactions", async () => {
  await withSettings(["statement_timeout = '20s'"], async () => {
    const store = await openStore({ database: pooler.url });
    const inside = await store.read(async (db) => await sql.raw(TIMEOUT).execute(db));
    expect(inside.rows).toEqual([{ timeout: "0" }]);
    expect(await query(store, TIMEOUT)).toEqual([{ timeout: "20s" }]);
    await store.close();
  });
});

it("refuses a read-only database, and opens it for exports if its schema is up to date", async () => {
  await (await openStore({ database: database.address })).close();
  await withSettings(["default_transaction_read_only = on"], async () => {
    await expect(openStore({ database: database.address })).rejects.toMatchObject({
      message: expect.stringContaining("are read-only"),
    });
    await (await openStore({ database: database.address, allowsReadOnly: true, mustExist: true })).close();
  });
});

it("refuses a URL with several hosts, whatever is in its password", async () => {
  const refusal = (url: string) => openStore({ database: url }).catch((error: Error) => error.message);
  const message = "The URL of the database has several hosts: one:1,two:2";
  expect(await refusal("postgres://user:p@one:1,two:2/play")).toBe(message);
  expect(await refusal("postgres://one:1,two:2?sslmode=disable")).toBe(message);
  expect(await refusal("postgres://user:a,b@127.0.0.1:1/play")).toContain("ECONNREFUSED");
});

it("names prepared statements by their SQL, because a pooler shares connections", async () => {
  const store = await openStore({ database: database.address });
  const service = await startTestService({ store, limits: defaultRateLimits });
  await service.addGame("maze");
  const events = [{ id: "e1", name: "step", timestamp: 1_772_000_000_000 }];
  await service.post("/api/telemetry", { gameId: "maze", clientSessionId: "s1", events });
  for (let n = 0; n < 3; n += 1) expect((await service.get("/api/v1/sessions")).status).toBe(200);
  const prepared = "select name, statement from pg_prepared_statements";
  const rows = (await Promise.all(Array.from({ length: 10 }, () => query(store, prepared)))).flat();
  expect(rows).not.toEqual([]);
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  for (const { name, statement } of rows) expect(name).toBe(`p_${hash(String(statement)).slice(0, 40)}`);
  expect(await query(store, "select key from rate_limits")).not.toEqual([]);
  await service.stop();
});

it("errors of a pooler count as a lost connection, and protocol errors of Postgres do not", () => {
  const error = Object.assign(new Error("server closed the connection unexpectedly"), { code: "08P01" });
  expect(isTransient(error)).toBe(true);
  expect(isTransient(Object.assign(error, { routine: "exec_bind_message" }))).toBe(false);
});

it("describes a lost connection by what the server did", async () => {
  const store = await openStore({ database: database.address });
  const reading = store.read(async (db) => {
    await sql`select pg_terminate_backend(pg_backend_pid())`.execute(db).catch(() => {});
    await sql`select 1`.execute(db);
  });
  expect(describeDatabaseError(await reading.catch((error: unknown) => error))).toBe(
    "the server ended the connection",
  );
  await store.close();
});
