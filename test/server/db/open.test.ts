/** Opening databases: unusable files are refused and not changed, and no key is stored in plain text. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { issueKey } from "../../../src/server/accounts/keys.ts";
import { openStore, redactPassword } from "../../../src/server/db/open.ts";
import { driverError, loadDriver, openConnection } from "../../../src/server/db/sqlite.ts";
import { sleep } from "../../../src/shared/sleep.ts";
import { openTestStore, readStoredText } from "../../engine.ts";
import { freshFolder, startTestService } from "../../harness.ts";
import { createEvents, readAllResponses, sendTelemetry } from "../telemetry-helpers.ts";

const fileIn = (folder: string) => join(folder, "play.db");

describe("a database", () => {
  it("is created with its folder, and keeps its data when it is opened again", async () => {
    const database = join(freshFolder(), "some", "where", "play.db");
    const first = await startTestService({ database });
    await first.addGame("maze");
    await sendTelemetry(first, {
      gameId: "maze",
      deviceId: "d",
      events: createEvents(["a", "b", "player_pos"]),
      sessionEnded: true,
    });
    await first.analysis.drain();
    const before = await readAllResponses(first);
    await first.stop();
    for (let n = 0; n < 2; n += 1) {
      const again = await startTestService({ database, continues: first });
      expect(await readAllResponses(again)).toEqual(before);
      await again.stop();
    }
  });

  it("waits for the disk at each commit, except while work is done that can be repeated", async () => {
    const store = await openStore({ database: fileIn(freshFolder()) });
    const readLevel = async () => (await sql`pragma synchronous`.execute(store.writeDb)).rows;
    const [normal, full] = [[{ synchronous: 1 }], [{ synchronous: 2 }]];
    expect(await readLevel()).toEqual(full);
    expect(await store.syncLater(readLevel)).toEqual(normal);
    expect(await readLevel()).toEqual(full);
    await expect(store.syncLater(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await readLevel()).toEqual(full);
    await store.close();
  });

  it("of a newer version is refused and not changed", async () => {
    const database = fileIn(freshFolder());
    await (await openStore({ database })).close();
    const connection = await openConnection(database, { durability: "NORMAL" });
    connection.exec("insert into kysely_migration (name, timestamp) values ('999-future', '2030-01-01')");
    connection.close();
    const before = readFileSync(database);
    await expect(openStore({ database })).rejects.toMatchObject({
      code: "unusable",
      message: expect.stringMatching(/newer version.*999-future/),
      hint: expect.stringMatching(/Update/),
    });
    expect(readFileSync(database).equals(before)).toBe(true);
  });

  it.each([
    ["text", Buffer.from("this is no database, but a text of some length\n".repeat(200))],
    ["noise", Buffer.from(Array.from({ length: 8192 }, (_, n) => (n * 7919) % 251))],
  ])("that contains %s is refused and not changed", async (_, content) => {
    const database = fileIn(freshFolder());
    writeFileSync(database, content);
    await expect(openStore({ database })).rejects.toMatchObject({
      code: "unusable",
      message: expect.stringContaining(`Cannot open the database ${database}: it is not a playtest database`),
    });
    expect(readFileSync(database).equals(content)).toBe(true);
  });

  it("of another program is refused and not changed", async () => {
    const database = fileIn(freshFolder());
    const connection = await openConnection(database, { durability: "NORMAL" });
    connection.exec("create table notes (text text); insert into notes values ('mine')");
    connection.close();
    const before = readFileSync(database);
    await expect(openStore({ database })).rejects.toMatchObject({
      code: "unusable",
      message: expect.stringMatching(/not a playtest database/),
    });
    expect(readFileSync(database).equals(before)).toBe(true);
  });

  it.each([
    ["in its own journal mode", "create table notes (text text); insert into notes values ('mine')"],
    ["with its application id", "pragma application_id = 1196444487; create table notes (text text)"],
    ["with its application id and no tables", "pragma application_id = 1196444487; vacuum"],
    [
      "that also uses Kysely and has migrations",
      "create table kysely_migration (name text, timestamp text); insert into kysely_migration values ('001-init', '')",
    ],
    [
      "that also uses Kysely",
      "create table kysely_migration (name text primary key, timestamp text); create table notes (text text)",
    ],
  ])("of another program %s is refused, and no byte of it is changed", async (_, statements) => {
    const folder = freshFolder();
    const database = fileIn(folder);
    const { DatabaseSync } = (await loadDriver()).driver;
    const connection = new DatabaseSync(database);
    connection.exec(statements);
    connection.close();
    const before = readFileSync(database);
    for (let attempt = 0; attempt < 2; attempt += 1)
      await expect(openStore({ database })).rejects.toMatchObject({
        code: "unusable",
        message: `Cannot open the database ${database}: it is not a playtest database`,
      });
    expect(readFileSync(database).equals(before)).toBe(true);
    expect(readdirSync(folder)).toEqual(["play.db"]);
  });

  it("is opened if its journal mode was changed, such as by VACUUM INTO", async () => {
    const database = fileIn(freshFolder());
    await (await openStore({ database })).close();
    const { DatabaseSync } = (await loadDriver()).driver;
    const connection = new DatabaseSync(database);
    connection.exec(`vacuum into '${database}.copy'`);
    connection.close();
    const store = await openStore({ database: `${database}.copy` });
    expect(await store.readDb.selectFrom("accounts").selectAll().execute()).toEqual([]);
    await store.close();
  });

  it("is refused if it is a folder, or below a file", async () => {
    const folder = freshFolder();
    mkdirSync(fileIn(folder));
    await expect(openStore({ database: fileIn(folder) })).rejects.toMatchObject({
      code: "unusable",
      message: `Cannot open the database ${fileIn(folder)}: it is a folder, not a file`,
    });
    writeFileSync(join(folder, "file"), "");
    await expect(openStore({ database: join(folder, "file", "play.db") })).rejects.toMatchObject({
      code: "unusable",
    });
  });

  it("is created in an empty file", async () => {
    const database = fileIn(freshFolder());
    writeFileSync(database, "");
    const store = await openStore({ database });
    expect(await store.readDb.selectFrom("accounts").selectAll().execute()).toEqual([]);
    await store.close();
  });
});

describe("keys", () => {
  it("are not stored in plain text, neither while the database is open nor after", async () => {
    const database = fileIn(freshFolder());
    const service = await startTestService({ database });
    const gameId = await service.addGame("maze");
    const { writeDb: write } = service.service.store;
    const bound = await issueKey(write, service.accountId, "ingest", 0, gameId);
    const other = await service.addAccount("others");
    const keys = [...Object.values(service.keys), ...Object.values(other.keys), bound];
    for (const key of keys) expect((await service.get("/api/v1/games", { key })).status).toBeLessThan(404);
    await sendTelemetry(service, { gameId, events: createEvents(["begin"]), sessionEnded: true });
    await service.analysis.drain();
    const look = async () => {
      const stored = await readStoredText(database);
      expect(stored).toContain(hashes[0] ?? "none");
      for (const key of keys) {
        for (const part of [key, key.slice(-40), key.slice(-40, -20)])
          expect(stored.includes(part)).toBe(false);
        expect(stored.includes(Buffer.from(key.slice(-40), "hex").toString("latin1"))).toBe(false);
      }
    };
    const hashes = (await service.service.store.readDb.selectFrom("keys").select("hash").execute()).map(
      ({ hash }) => hash,
    );
    expect(hashes.every((hash) => /^[0-9a-f]{64}$/.test(hash))).toBe(true);
    await look();
    await service.stop();
    await look();
  });

  it("have their prefix and 40 hex digits, and are unique", async () => {
    const service = await startTestService();
    const created = new Set<string>();
    for (let n = 0; n < 20; n += 1) {
      const { keys } = await service.addAccount(`account ${n}`);
      expect(keys.management).toMatch(/^pt_mgmt_[0-9a-f]{40}$/);
      expect(keys.ingest).toMatch(/^pt_ik_[0-9a-f]{40}$/);
      expect(keys.ci).toMatch(/^pt_ci_[0-9a-f]{40}$/);
      for (const key of Object.values(keys)) created.add(key);
    }
    expect(created.size).toBe(60);
    await service.stop();
  });
});

it("stores and reads numbers without any loss of precision", async () => {
  const store = await openTestStore();
  const row = {
    game_id: "g",
    session_id: "s",
    seq: 0,
    event: "player_pos",
    source: "unity-telemetry" as const,
    build: "1",
    environment: "e",
    player: "",
    points: 1,
    xy: new Uint8Array(16),
  };
  const numbers = [
    0.9999999999999999,
    -0.9999999999999999,
    1.0000000000000002,
    5e-324,
    -5e-324,
    2.2250738585072014e-308,
    1e-17,
    0.1,
    1 / 3,
    4.35,
    1e300,
    -1.7976931348623157e308,
    2 ** 53 + 2,
    123456789.12345679,
  ];
  for (const [n, number] of numbers.entries()) {
    const room = `room-${n}`;
    await store.writeDb
      .insertInto("position_chunks")
      .values({ ...row, room, x_min: number, x_max: -number, y_min: number / 3, y_max: 0 })
      .execute();
    const back = await store.readDb
      .selectFrom("position_chunks")
      .selectAll()
      .where("room", "=", room)
      .executeTakeFirstOrThrow();
    expect([back.x_min, back.x_max, back.y_min + 0]).toStrictEqual([number, -number, number / 3 + 0]);
  }
  await store.close();
});

describe("the URL of a database in messages", () => {
  it.each([
    ["postgres://me:hush@host:5432/db?sslmode=require", "postgres://me@host:5432/db"],
    ["postgres://me:hu%2Fsh@host/db", "postgres://me@host/db"],
    ["postgres://me@host/db?password=hush", "postgres://me@host/db"],
    ["play.db", "play.db"],
  ])("%s is shown as %s", (database, shown) => {
    expect(redactPassword(database)).toBe(shown);
  });

  it("never contains a part of a password with unescaped characters", async () => {
    for (const start of ["", "7", "77777", "hu"]) {
      for (const character of ["/", "?", "#", "\\", "/#", "?/", "[", "%"]) {
        const database = `postgres://me:${start}${character}sh@127.0.0.1:1/db`;
        expect(redactPassword(database)).not.toContain("sh");
        const error = await openStore({ database }).catch((cause: unknown) => cause);
        expect(String(error)).not.toContain("sh@");
        if (/[/?#]/.test(character)) expect(redactPassword(database)).toBe("postgres://…");
      }
    }
  });

  it("explains how to escape the password", async () => {
    await expect(openStore({ database: "postgres://me:7/hush@host/db" })).rejects.toMatchObject({
      message:
        "Cannot open the database postgres://…: in the password, write / as %2F, ? as %3F, # as %23 and @ as %40",
    });
  });
});

it("moves its log into the file more rarely during an import, and as usual after it", async () => {
  const store = await openStore({ database: fileIn(freshFolder()) });
  const readPages = async () =>
    (await sql<{ wal_autocheckpoint: number }>`pragma wal_autocheckpoint`.execute(store.writeDb)).rows;
  expect(await store.syncLater(readPages)).toEqual([{ wal_autocheckpoint: 16_000 }]);
  expect(await readPages()).toEqual([{ wal_autocheckpoint: 1000 }]);
  await store.close();
});

it("lets others write between the transactions of an import", async () => {
  const database = fileIn(freshFolder());
  const [importing, serving] = [await openStore({ database }), await openStore({ database })];
  let transactions = 0;
  let isDone = false;
  const imported = importing.syncLater(async () => {
    while (!isDone) {
      await importing.write(async () => {
        transactions += 1;
        await sleep(5);
      });
    }
  });
  const waits: number[] = [];
  for (let n = 0; n < 10; n += 1) {
    await sleep(10);
    const before = transactions;
    await serving.write(async (db) => {
      await db
        .insertInto("tombstones")
        .values({ kind: "game", hash: `h${n}`, erased_at: 0 })
        .execute();
    });
    waits.push(transactions - before);
  }
  isDone = true;
  await imported;
  // The import only knows of the other process after its first commit.
  expect(waits.slice(1).every((passed) => passed <= 2)).toBe(true);
  await Promise.all([importing.close(), serving.close()]);
});

describe("a driver that cannot be loaded", () => {
  it("from a file names its folder, and another folder as the way out", () => {
    const file = join(freshFolder(), "driver.node");
    writeFileSync(file, "no binary");
    let cause: unknown;
    try {
      createRequire(file)(file);
    } catch (error) {
      cause = error;
    }
    const { message, hint } = driverError(cause as Error);
    expect(message).toContain(`cannot be loaded: ${file}: `);
    expect(hint).toBe(
      `If ${join(file, "..")} is mounted with noexec, set XDG_CACHE_HOME to a folder that is not, or use Node.js 22.16 or later, ` +
        "which has a driver. Only the `server` and `admin` commands need one.",
    );
  });

  it("for another reason names a version of Node that has one", () => {
    expect(driverError(new Error("It has no binary for sunos-x64")).hint).toMatch(/^Use Node.js 22.16/);
  });
});
