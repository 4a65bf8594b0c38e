/** A database in another: the same rows, whatever they hold, the same answers, and the same keys. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seedDemo } from "../../../src/cli/commands/server/demo.ts";
import { type ArchiveRow, insertRows, readColumns, readRows } from "../../../src/server/archive/queries.ts";
import { checksumTable, writeArchive } from "../../../src/server/archive/writer.ts";
import type { Store } from "../../../src/server/db/open.ts";
import { type TableName, tableNames } from "../../../src/server/db/tables.ts";
import {
  engine,
  freshFolder,
  NOW,
  openTestStore,
  startTestService,
  type TestService,
} from "../../harness.ts";
import fc from "../../property.ts";
import { everything } from "../play.ts";
import { call, eachEndpoint, makeWorld, samples, type World } from "../samples.ts";
import { archiveOf, emptyStore, filled, restoreLines, sqliteStore } from "./worlds.ts";

/** A service on a copy of another's database, made by way of archives, and of a database of SQLite between. */
async function moved(service: TestService): Promise<TestService> {
  const between = await sqliteStore();
  await restoreLines(between, (await archiveOf(service.service.store)).lines);
  const database = join(freshFolder(), "moved.db");
  const store = await openTestStore(database);
  await restoreLines(store, (await archiveOf(between)).lines);
  await between.close();
  await store.close();
  return await startTestService({ database, continues: service });
}

describe("the demo studio", () => {
  let demo: TestService;
  let copy: TestService;
  beforeAll(async () => {
    demo = await startTestService();
    await seedDemo({ ...demo, database: ":memory:" });
    copy = await moved(demo);
  }, 120_000);
  afterAll(async () => {
    await copy.stop();
    await demo.stop();
  });

  test("has the same archive afterwards, line by line", async () => {
    const [before, after] = [await archiveOf(demo.service.store), await archiveOf(copy.service.store)];
    expect(after.lines).toEqual(before.lines);
    expect(after.sum).toEqual(before.sum);
    expect(before.sum.rows).toBe(before.lines.length - 2 - 2 * tableNames.length);
    expect(before.sum.rows).toBeGreaterThan(3000);
    // Most tables are in use, so that this is a test of them.
    expect(before.sum.tables.filter(({ rows }) => rows === 0).length).toBeLessThan(5);
  });

  test("answers the same", async () => {
    expect(await everything(copy)).toEqual(await everything(demo));
  });
});

describe("a world", () => {
  let service: TestService;
  let world: World;
  let copy: TestService;
  beforeAll(async () => {
    service = await startTestService();
    world = await makeWorld(service, service, "moved");
    await service.addAccount("other");
    copy = await moved(service);
  });
  afterAll(async () => {
    await copy.stop();
    await service.stop();
  });

  const reads = eachEndpoint().filter(([, endpoint]) => endpoint.method === "GET");
  test.each(reads)("answers %s with the same keys as before", async (name, endpoint) => {
    const kind = endpoint.keys.includes("management") ? "management" : "ingest";
    const ask = async (one: TestService) => {
      const { status, text } = await call(one, endpoint, samples[name](world), { key: world.keys[kind] });
      return { status, text };
    };
    const answer = await ask(copy);
    expect(answer.status).toBe(200);
    expect(answer).toEqual(await ask(service));
  });

  test("knows the events that it had, and refuses keys that it never gave", async () => {
    const events = [{ id: "e0", name: "fail", timestamp: NOW - 60_000 }];
    const body = { gameId: world.slug, clientSessionId: world.version, events };
    const sent = await copy.post("/api/telemetry", body, { key: world.keys.ingest });
    expect([sent.status, sent.json.accepted, sent.json.duplicates]).toEqual([202, 0, 1]);
    expect((await copy.get("/api/v1/games", { key: `${world.keys.management}0` })).status).toBe(401);
  });
});

describe("any rows", () => {
  const text = fc.string({ unit: "binary", maxLength: 12 }).map((given) => given.replaceAll("\0", ""));
  const hostile = fc.constantFrom(
    "",
    " ",
    "'",
    '"',
    "\\",
    "\n",
    "\u2028",
    "\u{1f600}",
    "\uffff",
    "__proto__",
    "{}",
  );
  const words = fc.oneof(text, hostile);
  const whole = fc.oneof(fc.maxSafeInteger(), fc.constantFrom(0, -1, 2 ** 53 - 1, 1 - 2 ** 53));
  const extremes = [Number.MIN_VALUE, Number.MAX_VALUE, 0.1 + 0.2, 1 - 2 ** -53, 1e21, 2 ** 60, -0];
  const double = fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(...extremes));
  const bytes = fc.uint8Array({ maxLength: 40 });

  /** Rows of a table with keys of their own, each column by what it takes. */
  async function rowsFor(
    store: Store,
    table: TableName,
    column: (name: string) => fc.Arbitrary<ArchiveRow[number]>,
  ) {
    const columns = await readColumns(store.readDb, table);
    const row = fc.tuple(...columns.map(column));
    return { columns, rows: fc.array(row, { maxLength: 30 }) };
  }

  async function contentOf(
    store: Store,
    table: TableName,
    columns: readonly string[],
  ): Promise<ArchiveRow[]> {
    const found: ArchiveRow[] = [];
    for await (const rows of readRows(store.readDb, table, columns)) found.push(...rows);
    return found;
  }

  const cases: readonly [TableName, string, (name: string) => fc.Arbitrary<ArchiveRow[number]>][] = [
    [
      "position_chunks",
      "room",
      (name) =>
        /^[xy]_/.test(name) ? double : name === "xy" ? bytes : /seq|mapped|points/.test(name) ? whole : words,
    ],
    [
      "keys",
      "hash",
      (name) => (name === "game_id" ? fc.option(words) : name === "created_at" ? whole : words),
    ],
  ];

  test.each(cases)("of %s come back as they were, in the same order", async (table, unique, column) => {
    const empty = await emptyStore();
    const { columns, rows } = await rowsFor(empty, table, column);
    await empty.close();
    const at = columns.indexOf(unique);
    await fc.assert(
      fc.asyncProperty(rows, async (given) => {
        const [from, to] = [await emptyStore(), await emptyStore()];
        const own = given.map((row, n) => row.map((value, i) => (i === at ? `${value}${n}` : value)));
        await insertRows(from.writeDb, "accounts", ["id", "name", "created_at"], [["a", "a", 0]]);
        await insertRows(from.writeDb, table, columns, own);
        const sum = await restoreLines(to, (await archiveOf(from)).lines);
        const [before, after] = [await contentOf(from, table, columns), await contentOf(to, table, columns)];
        expect(after).toEqual(before);
        const known = before.map((row) => JSON.stringify(plain(row))).sort();
        expect(known).toEqual(own.map((row) => JSON.stringify(plain(row))).sort());
        expect(sum.tables).toContainEqual(await checksumTable(from.readDb, table));
        await from.close();
        await to.close();
      }),
      // Each run makes two databases, which takes a server long.
      { numRuns: engine === "sqlite" ? 25 : 6 },
    );
  });

  /** A row as JSON tells it apart: zero has no sign in a column, and infinity is no null. */
  function plain(row: ArchiveRow): unknown[] {
    return row.map((value) =>
      value instanceof Uint8Array
        ? [...value]
        : value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY
          ? String(value)
          : value,
    );
  }
});

describe("an archive", () => {
  test("has another hash where one value of one row differs, in that table alone", async () => {
    const service = await startTestService();
    await makeWorld(service, service, "one");
    const { store } = service.service;
    const before = (await archiveOf(store)).sum;
    await store.writeDb
      .updateTable("insights")
      .set({ confidence: 0.123 })
      .where("id", "=", (eb) => eb.selectFrom("insights").select((s) => s.fn.min("id").as("id")))
      .execute();
    const after = (await archiveOf(store)).sum;
    const changed = after.tables.filter(({ sha256 }, at) => sha256 !== before.tables[at]?.sha256);
    expect(changed.map(({ table }) => table)).toEqual(["insights"]);
    expect(after.sha256).not.toBe(before.sha256);
    expect(after.rows).toBe(before.rows);
    await service.stop();
  });

  test("holds one state, whatever is written while it is made", async () => {
    const database = join(freshFolder(), "busy.db");
    const service = await startTestService({ database });
    await service.addGame("ember");
    const seen: string[] = [];
    const onTable = async (table: string) => {
      seen.push(table);
      if (table === "keys") await service.addGame("tidepool");
    };
    const { signal } = new AbortController();
    const sum = await writeArchive(service.service.store, async () => {}, { now: NOW, signal, onTable });
    expect(seen).toEqual(tableNames);
    expect(sum.tables.find(({ table }) => table === "games")?.rows).toBe(1);
    expect((await service.get("/api/v1/games")).json.games).toHaveLength(2);
    await service.stop();
  });

  test("leaves out who is at work on a session, so that another goes on with it", async () => {
    const service = await startTestService();
    await makeWorld(service, service, "held");
    const { store } = service.service;
    await store.writeDb
      .updateTable("sessions")
      .set({ analysis_due: NOW, analysis_lease: NOW + 60_000 })
      .execute();
    const other = await emptyStore();
    await restoreLines(other, (await archiveOf(store)).lines);
    const rows = await other.readDb
      .selectFrom("sessions")
      .select(["analysis_due", "analysis_lease"])
      .execute();
    expect(rows).toEqual([1, 2].map(() => ({ analysis_due: NOW, analysis_lease: null })));
    await other.close();
    await service.stop();
  });

  test("is not brought into a database that holds anything, nor in twice", async () => {
    const service = await startTestService();
    const { lines, sum } = await archiveOf(service.service.store);
    const other = await emptyStore();
    await restoreLines(other, lines);
    await expect(restoreLines(other, lines)).rejects.toThrow(
      `The database ${other.location} is not empty: the table accounts has rows`,
    );
    expect((await archiveOf(other)).sum).toEqual(sum);
    await other.close();
    const half = await emptyStore();
    await insertRows(half.writeDb, "game_counts", ["game_id", "devices"], [["game_1", 1]]);
    await expect(restoreLines(half, lines)).rejects.toThrow("is not empty: the table game_counts has rows");
    expect(await filled(half)).toEqual(["game_counts"]);
    await half.close();
    await service.stop();
  });

  test("that is brought in twice at once is brought in once", async () => {
    const service = await startTestService();
    const { lines, sum } = await archiveOf(service.service.store);
    const other = await emptyStore();
    const both = await Promise.allSettled([restoreLines(other, lines), restoreLines(other, lines)]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const refusal = both.find((one) => one.status === "rejected");
    expect(String(refusal?.reason)).toMatch(/is not empty|Cannot write to the database/);
    expect((await archiveOf(other)).sum).toEqual(sum);
    await other.close();
    await service.stop();
  });

  test("is not made of a database that holds nothing", async () => {
    const store = await emptyStore();
    await expect(archiveOf(store)).rejects.toThrow(
      `Nothing to export: the database ${store.location} has no accounts`,
    );
    await store.close();
  });

  test("ends with what its reader cannot take, and lets go of the database", async () => {
    const service = await startTestService();
    const { signal } = new AbortController();
    const full = Object.assign(new Error("write ENOSPC"), { code: "ENOSPC" });
    const sink = () => Promise.reject(full);
    const options = { now: NOW, signal, onTable: async () => {} };
    await expect(writeArchive(service.service.store, sink, options)).rejects.toBe(full);
    expect(await service.addGame("after")).toBeTruthy();
    await service.stop();
  });
});
