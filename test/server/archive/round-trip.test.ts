/** Moving a database through an archive keeps all rows, responses and keys. */

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordWork } from "../../../src/cli/commands/server/audited.ts";
import {
  type ArchiveRow,
  insertRows,
  readColumns,
  readRows,
} from "../../../src/server/archive/archive-queries.ts";
import { formatRow, parseRow } from "../../../src/server/archive/format.ts";
import { checksumTable, writeArchive } from "../../../src/server/archive/writer.ts";
import { registerBuild } from "../../../src/server/builds/registration-queries.ts";
import { setLimit, toGameSubject } from "../../../src/server/db/budgets/budget-queries.ts";
import { keyedHash } from "../../../src/server/db/keyed-hash.ts";
import type { Store } from "../../../src/server/db/open.ts";
import { type TableName, tableNames } from "../../../src/server/db/tables.ts";
import { createWebhook } from "../../../src/server/notifications/webhooks.ts";
import { putRoomSettings } from "../../../src/server/positions/room-settings-queries.ts";
import { startDemo } from "../../cli/demo.ts";
import {
  engine,
  freshFolder,
  NOW,
  openTestStore,
  startTestService,
  type TestService,
} from "../../harness.ts";
import fc, { times } from "../../property.ts";
import { call, eachEndpoint, makeWorld, samples, type World } from "../sample-requests.ts";
import { readAllResponses } from "../telemetry-helpers.ts";
import { emptyStore, exportArchive, filledTables, restoreLines, sqliteStore } from "./archives.ts";

/** Starts a service on a copy of a database that was moved through archives, with a SQLite database in between. */
async function moveService(service: TestService): Promise<TestService> {
  const between = await sqliteStore();
  await restoreLines(between, (await exportArchive(service.service.store)).lines);
  const database = join(freshFolder(), "moved.db");
  const store = await openTestStore(database);
  await restoreLines(store, (await exportArchive(between)).lines);
  await between.close();
  await store.close();
  return await startTestService({ database, continues: service });
}

describe("the demo studio", () => {
  let demo: TestService;
  let copy: TestService;
  beforeAll(async () => {
    demo = await startDemo("studio");
    await demo.eventCompaction.drain();
    await recordWork({ command: "server seed" }, demo, { demo: true });
    await demo.service.store.write((db) => keyedHash(db, "dev_1"));
    const [game] = await demo.service.store.readDb.selectFrom("games").select("id").execute();
    const build = { gameId: game?.id ?? "", version: "0.9.0" };
    await demo.service.store.write((db) => registerBuild(db, build, demo.clock.now));
    await demo.service.store.write((db) => setLimit(db, toGameSubject(build.gameId), "events", 1_000_000));
    await createWebhook(demo.service.store.writeDb, demo.service, demo.accountId, {
      ...{
        url: "https://api.github.com/repos/studio/ember",
        format: "github-status",
        events: ["gate.decided"],
      },
      ...{ gameId: null, name: "github", token: { token: "secret", key: Buffer.alloc(32) } },
    });
    // Nothing is sent for an open gate whose receiver shows no statuses.
    await createWebhook(demo.service.store.writeDb, demo.service, demo.accountId, {
      ...{
        url: "https://ci.example.com/",
        format: "json",
        events: ["gate.decided"],
        gameId: null,
        name: "ci",
      },
    });
    const gate = { gameId: "ember", b: "0.9.0", to: "ci", commit: "0".repeat(40) };
    expect((await demo.post("/api/ci/gates", gate, { key: demo.keys.ci })).status).toBe(200);
    const plane = { room: "furnace", plane: "xz" as const, floors: [], sentPlane: null };
    await demo.service.store.write((db) => putRoomSettings(db, build.gameId, plane));
    copy = await moveService(demo);
  });
  afterAll(async () => {
    await copy.stop();
    await demo.stop();
  });

  test("exports to the same archive after the move, line by line", async () => {
    const [before, after] = [
      await exportArchive(demo.service.store),
      await exportArchive(copy.service.store),
    ];
    expect(after.lines).toEqual(before.lines);
    expect(after.sum).toEqual(before.sum);
    expect(before.sum.rows).toBe(before.lines.length - 2 - 2 * tableNames.length);
    expect(before.sum.rows).toBeGreaterThan(3000);
    // Make sure that most tables have rows.
    expect(before.sum.tables.filter(({ rows }) => rows === 0).length).toBeLessThan(11);
  });

  test("has the same responses", async () => {
    expect(await readAllResponses(copy)).toEqual(await readAllResponses(demo));
  });
});

describe("a database with every kind of object", () => {
  let service: TestService;
  let world: World;
  let copy: TestService;
  beforeAll(async () => {
    service = await startTestService();
    world = await makeWorld(service, service, "moved");
    await service.addAccount("other");
    copy = await moveService(service);
  });
  afterAll(async () => {
    await copy.stop();
    await service.stop();
  });

  // The arrivals of the last minutes are not moved, so the live tail starts empty.
  const reads = eachEndpoint().filter(
    ([name, endpoint]) => endpoint.method === "GET" && name !== "tailTelemetry",
  );
  test.each(reads)("has the same response to %s with the same keys", async (name, endpoint) => {
    const kind = endpoint.keys.includes("management") ? "management" : "ingest";
    const request = async (target: TestService) => {
      const { status, text } = await call(target, endpoint, samples[name](world), { key: world.keys[kind] });
      return { status, text };
    };
    const answer = await request(copy);
    expect(answer.status).toBe(200);
    expect(answer).toEqual(await request(service));
  });

  test("recognizes stored events, and refuses unknown keys", async () => {
    const data = { room: "cellar", x: 0, y: 0 };
    const events = [{ id: "e0", name: "death", timestamp: NOW - 60_000, data }];
    const body = { gameId: world.slug, clientSessionId: world.version, events };
    const sent = await copy.post("/api/telemetry", body, { key: world.keys.ingest });
    expect([sent.status, sent.json.accepted, sent.json.duplicates]).toEqual([202, 0, 1]);
    expect((await copy.get("/api/v1/games", { key: `${world.keys.management}0` })).status).toBe(401);
  });
});

describe("generated rows", () => {
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
  const double = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(...extremes));
  const points = fc
    .array(double, { minLength: 2, maxLength: 8 })
    .map((numbers) => new Uint8Array(Float64Array.from([...numbers, ...numbers]).buffer));

  /** Generates rows of a table, column by column. */
  async function generateRows(
    store: Store,
    table: TableName,
    column: (name: string) => fc.Arbitrary<ArchiveRow[number]>,
  ) {
    const columns = await readColumns(store.readDb, table);
    const row = fc.tuple(...columns.map(column));
    return { columns, rows: fc.array(row, { maxLength: 30 }) };
  }

  async function readAllRows(
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
        /^[xyz]_/.test(name)
          ? double
          : name === "xy"
            ? points
            : name === "z"
              ? fc.constant(null)
              : /seq|mapped|points/.test(name)
                ? whole
                : words,
    ],
    [
      "keys",
      "hash",
      (name) =>
        name.endsWith("_at") ? whole : /^(game_id|name|environment)$/.test(name) ? fc.option(words) : words,
    ],
  ];

  test.each(cases)("of %s are unchanged and in the same order", async (table, unique, column) => {
    const empty = await emptyStore();
    const { columns, rows } = await generateRows(empty, table, column);
    await empty.close();
    const at = columns.indexOf(unique);
    await fc.assert(
      fc.asyncProperty(rows, async (given) => {
        const [from, to] = [await emptyStore(), await emptyStore()];
        const own = given.map((row, n) =>
          row.map((value, i) =>
            i === at
              ? `${value}${n}`
              : columns[i] === "points"
                ? countPoints(row, columns)
                : columns[i] === "z" && n % 2 === 0
                  ? new Uint8Array(8 * countPoints(row, columns))
                  : value,
          ),
        );
        await insertRows(from.writeDb, "accounts", ["id", "name", "created_at"], [["a", "a", 0]]);
        await insertRows(from.writeDb, table, columns, own);
        const sum = await restoreLines(to, (await exportArchive(from)).lines);
        const [before, after] = [
          await readAllRows(from, table, columns),
          await readAllRows(to, table, columns),
        ];
        expect(after).toEqual(before);
        const known = before.map((row) => JSON.stringify(plain(row))).sort();
        expect(known).toEqual(own.map((row) => JSON.stringify(plain(row))).sort());
        expect(sum.tables).toContainEqual(await checksumTable(from.readDb, table));
        await from.close();
        await to.close();
      }),
      // Each run creates two databases, which is slow on Postgres.
      { numRuns: times(engine === "sqlite" ? 10 : 3) },
    );
  });

  /** The number of points that the bytes of a row contain. */
  function countPoints(row: ArchiveRow, columns: readonly string[]): number {
    return (row[columns.indexOf("xy")] as Uint8Array).length / 16;
  }

  /** Converts a row so that JSON text compares it exactly: bytes as lists. */
  function plain(row: ArchiveRow): unknown[] {
    return row.map((value) => (value instanceof Uint8Array ? [...value] : value));
  }

  test("are formatted with any numbers and bytes", () => {
    const value = fc.oneof(fc.double(), fc.uint8Array({ maxLength: 40 }), words, fc.constant(null));
    fc.assert(
      fc.property(fc.array(value), (row) => {
        const parsed = parseRow(formatRow(row), row.length) ?? [];
        const toText = (one: ArchiveRow[number]) =>
          one instanceof Uint8Array ? String([...one]) : String(one === 0 ? 0 : one);
        expect(parsed.map(toText)).toEqual(row.map(toText));
      }),
    );
  });
});

describe("an archive", () => {
  test("has another checksum, only for the changed table, if one value changes", async () => {
    const service = await startTestService();
    await makeWorld(service, service, "one");
    const { store } = service.service;
    // It changes keys in the background.
    await service.service.keyUse.drain();
    const before = (await exportArchive(store)).sum;
    await store.writeDb
      .updateTable("insights")
      .set({ confidence: 0.123 })
      .where("id", "=", (eb) => eb.selectFrom("insights").select((s) => s.fn.min("id").as("id")))
      .execute();
    const after = (await exportArchive(store)).sum;
    const changed = after.tables.filter(({ sha256 }, at) => sha256 !== before.tables[at]?.sha256);
    expect(changed.map(({ table }) => table)).toEqual(["insights"]);
    expect(after.sha256).not.toBe(before.sha256);
    expect(after.rows).toBe(before.rows);
    await service.stop();
  });

  test("contains a consistent snapshot, even if data is written during the export", async () => {
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

  test("leaves out analysis leases, so that another server can analyze the session", async () => {
    const service = await startTestService();
    await makeWorld(service, service, "held");
    const { store } = service.service;
    await store.writeDb
      .updateTable("sessions")
      .set({ analysis_due: NOW, analysis_lease: NOW + 60_000 })
      .execute();
    const other = await emptyStore();
    await restoreLines(other, (await exportArchive(store)).lines);
    const rows = await other.readDb
      .selectFrom("sessions")
      .select(["analysis_due", "analysis_lease"])
      .execute();
    expect(rows).toEqual([1, 2].map(() => ({ analysis_due: NOW, analysis_lease: null })));
    await other.close();
    await service.stop();
  });

  test("is not imported into a database with data, nor imported twice", async () => {
    const service = await startTestService();
    const { lines, sum } = await exportArchive(service.service.store);
    const other = await emptyStore();
    await restoreLines(other, lines);
    await expect(restoreLines(other, lines)).rejects.toThrow(
      `The database ${other.location} is not empty: the table accounts has rows`,
    );
    expect((await exportArchive(other)).sum).toEqual(sum);
    await other.close();
    const half = await emptyStore();
    await insertRows(half.writeDb, "secrets", ["name", "value"], [["one", "two"]]);
    await expect(restoreLines(half, lines)).rejects.toThrow("is not empty: the table secrets has rows");
    expect(await filledTables(half)).toEqual(["secrets"]);
    await half.close();
    await service.stop();
  });

  test("is imported once by two concurrent imports", async () => {
    const service = await startTestService();
    const { lines, sum } = await exportArchive(service.service.store);
    const other = await emptyStore();
    const both = await Promise.allSettled([restoreLines(other, lines), restoreLines(other, lines)]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const refusal = both.find((one) => one.status === "rejected");
    expect(String(refusal?.reason)).toMatch(
      /is not empty|Cannot write to the database|Another process is importing/,
    );
    expect((await exportArchive(other)).sum).toEqual(sum);
    await other.close();
    await service.stop();
  });

  test("is not created from an empty database", async () => {
    const store = await emptyStore();
    await expect(exportArchive(store)).rejects.toThrow(
      `Nothing to export: the database ${store.location} has no accounts`,
    );
    await store.close();
  });

  test("fails with the error of its sink, and releases the database", async () => {
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
