/** server import, seed, reset and status: what they do to the database on this machine. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../../src/server/db/open.ts";
import { freshFolder, NOW, runCli } from "../harness.ts";
import { body, events, record } from "./recordings.ts";

let home: string;
let cwd: string;
beforeEach(() => {
  [home, cwd] = [freshFolder(), freshFolder()];
});

async function server(...argv: string[]) {
  const run = await runCli(["server", ...argv, "--json"], { home, cwd });
  return { ...run, report: run.out === "" ? null : JSON.parse(run.out) };
}

/** How many rows the tables of a database have. */
async function counts(file = join(home, "state", "playtest.db")) {
  const store = await openStore({ database: file });
  const count = async (table: "accounts" | "games" | "keys" | "sessions") => {
    const { n } = await store.readDb
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as("n"))
      .executeTakeFirstOrThrow();
    return n;
  };
  const found = {
    accounts: await count("accounts"),
    games: await count("games"),
    keys: await count("keys"),
    sessions: await count("sessions"),
  };
  await store.close();
  return found;
}

/** Tells the registry of a server of this very process, which is alive. */
function pretendServer(database: string, pid = process.pid) {
  const folder = join(home, "state", "servers");
  mkdirSync(folder, { recursive: true });
  const entry = { pid, url: "http://127.0.0.1:4400", database, startedAt: NOW - 3_600_000 };
  writeFileSync(join(folder, `${pid}.json`), JSON.stringify(entry));
}

describe("import", () => {
  test("takes files in as ingest telemetry does, and says what it refused", async () => {
    record(cwd, "a.ndjson.gz", [body("a", events(3)), "{", body("b", [...events(1), { id: "x" }])]);
    const run = await server("import", "a.ndjson.gz", "--create-games");
    expect(run.code).toBe(12);
    expect(run.report).toMatchObject({ accepted: 4, rejected: 1, badLines: 1 });
    expect(run.err).toMatch(/^a\.ndjson\.gz:2: is not JSON\na\.ndjson\.gz:3: event 1: .*\nIncomplete: /);
    expect(await counts()).toMatchObject({ accounts: 1, games: 1, sessions: 2 });
  });

  test("twice stores once", async () => {
    record(cwd, "a.ndjson", [body("a", events(3)), { gameId: "ember", events: events(2) }]);
    expect((await server("import", "a.ndjson", "--create-games")).report).toMatchObject({
      accepted: 5,
      duplicates: 0,
    });
    const second = await server("import", "a.ndjson");
    expect([second.code, second.report]).toEqual([
      0,
      expect.objectContaining({ accepted: 0, duplicates: 5 }),
    ]);
    expect(await counts()).toMatchObject({ sessions: 2 });
  });

  test("analyses what it took in", async () => {
    record(cwd, "a.ndjson", [body("a", events(3), { sessionEnded: true })]);
    await server("import", "a.ndjson", "--create-games", "--database", "x.db");
    const store = await openStore({ database: join(cwd, "x.db") });
    const rows = await store.readDb.selectFrom("sessions").select("status").execute();
    await store.close();
    expect(rows).toEqual([{ status: "analyzed" }]);
  });

  test("of a game that does not exist ends the run, and tells how to make it", async () => {
    record(cwd, "a.ndjson", [body("a", events(3)), body("b", events(3))]);
    const run = await server("import", "a.ndjson");
    expect([run.code, run.out]).toEqual([44, ""]);
    expect(run.err).toContain(
      `error: There is no game "ember" in ${join(home, "state", "playtest.db")}\nhint: Make it with --create-games.`,
    );
    expect(await counts()).toMatchObject({ sessions: 0, games: 0 });
  });

  test("makes no game of what cannot be one", async () => {
    record(cwd, "a.ndjson", [
      body("a", events(1), { gameId: "Not A Slug" }),
      body("b", events(1)),
      { events: events(1) },
    ]);
    const run = await server("import", "a.ndjson", "--create-games");
    expect([run.code, run.report.accepted]).toEqual([12, 1]);
    expect(run.err).toMatch(/^a\.ndjson:1: "Not A Slug" cannot be a game's slug\na\.ndjson:3: .*gameId/);
    expect(await counts()).toMatchObject({ games: 1 });
  });

  test("of a file that is not there is a matter of configuration", async () => {
    expect(await server("import", "nosuch")).toMatchObject({ code: 3 });
  });
});

describe("seed", () => {
  test("twice within the hour changes nothing", async () => {
    const flags = ["--now", "2026-03-01T12:00"];
    const first = await server("seed", ...flags);
    expect(first.report).toEqual({
      database: join(home, "state", "playtest.db"),
      sessions: 69,
      events: expect.any(Number),
    });
    expect(first.report.events).toBeGreaterThan(30_000);
    const before = await counts();
    expect(before).toMatchObject({ accounts: 1, games: 2, sessions: 373 });
    expect((await server("seed", ...flags)).report).toMatchObject({ sessions: 69, events: 0 });
    expect(await counts()).toEqual(before);
  });

  test("makes no keys, for nobody would see them", async () => {
    await server("seed", "--database", "x.db");
    expect(await counts(join(cwd, "x.db"))).toMatchObject({ keys: 0 });
  });
});

describe("reset", () => {
  const make = async (name: string) => {
    await server("import", "-", "--database", name);
    return join(cwd, name);
  };

  test("removes the database, with what stands beside it, and tells so", async () => {
    const file = await make("x.db");
    writeFileSync(`${file}-wal`, "");
    const run = await runCli(["server", "reset", "--yes", "--database", "x.db"], { home, cwd });
    expect([run.code, run.out]).toEqual([0, `Removed ${file}.\n`]);
    expect(readdirSync(cwd)).toEqual([]);
    expect((await server("reset", "--yes", "--database", "x.db")).report).toEqual({
      database: file,
      removed: false,
    });
  });

  test("asks before, and where nobody can be asked removes nothing", async () => {
    const file = await make("x.db");
    const run = await server("reset", "--database", "x.db");
    expect([run.code, existsSync(file)]).toEqual([2, true]);
    expect(run.err).toMatch(
      /^error: Remove .*x\.db and all play in it\? There is no terminal to ask at\nhint: Add --yes\.\n/,
    );
  });

  test.each<[what: string, content: string]>([
    ["a text", "precious"],
    ["an empty file", ""],
    ["what begins as a database", "SQLite format 3\0 but no more"],
  ])("refuses %s", async (_what, content) => {
    writeFileSync(join(cwd, "x.db"), content);
    const run = await server("reset", "--yes", "--database", "x.db");
    expect([run.code, existsSync(join(cwd, "x.db"))]).toEqual([3, true]);
    expect(run.err).toMatch(/^error: .*x\.db is not removed: .*\nhint: Remove it by hand if you mean it\.\n/);
  });

  test("refuses the database of another program, and a folder", async () => {
    const { openConnection } = await import("../../src/server/db/sqlite.ts");
    const other = await openConnection(join(cwd, "x.db"), { durability: "FULL" });
    other.exec("create table songs (name text)");
    other.close();
    mkdirSync(join(cwd, "folder"));
    for (const name of ["x.db", "folder"]) {
      expect(await server("reset", "--yes", "--database", name)).toMatchObject({ code: 3 });
      expect(existsSync(join(cwd, name))).toBe(true);
    }
  });

  test.each(["x.db", "./x.db", "../CWD/x.db"])(
    "refuses the database of a running server, named as %s",
    async (name) => {
      const file = await make("x.db");
      pretendServer(file);
      const path = name.replace("CWD", cwd.split("/").at(-1) ?? "");
      const run = await server("reset", "--yes", "--database", path);
      expect([run.code, existsSync(file)]).toEqual([13, true]);
      expect(run.err).toContain(
        `error: A server (process ${process.pid}) is running on ${file}\nhint: Stop it first.`,
      );
    },
  );
});

describe("status", () => {
  test("lists the servers that are alive, and forgets those that are not", async () => {
    pretendServer("/data/play.db");
    pretendServer("/data/dead.db", 999_999_999);
    writeFileSync(join(home, "state", "servers", "broken.json"), "{");
    const run = await server("status");
    expect(run.report).toEqual({
      servers: [
        {
          pid: process.pid,
          url: "http://127.0.0.1:4400",
          database: "/data/play.db",
          startedAt: NOW - 3_600_000,
        },
      ],
    });
    expect(readdirSync(join(home, "state", "servers")).includes("999999999.json")).toBe(false);
    const table = await runCli(["server", "status"], { home, tty: true });
    expect(table.out.replace(String(process.pid), "12345")).toContain("http://127.0.0.1:4400  /data/play.db");
    expect(table.out).toMatch(/1h ago\n$/);
  });

  test("of none says how to start one", async () => {
    const run = await runCli(["server", "status"], { home });
    expect([run.code, run.out, run.err]).toEqual([
      0,
      "",
      "No server runs; `playtest server start` starts one.\n",
    ]);
  });
});

test("a database that is none, or is newer, is refused by its name", async () => {
  writeFileSync(
    join(cwd, "x.db"),
    "precious text that is no database at all, and long enough to be read as one",
  );
  const none = await server("import", "-", "--database", "x.db");
  expect([none.code, none.err]).toEqual([
    3,
    expect.stringContaining(`Cannot open the database ${join(cwd, "x.db")}: it is not`),
  ]);
  await server("import", "-", "--database", "y.db");
  const store = await openStore({ database: join(cwd, "y.db") });
  const migrations = store.writeDb.withTables<{ kysely_migration: { name: string; timestamp: string } }>();
  await migrations.insertInto("kysely_migration").values({ name: "999-later", timestamp: "2027" }).execute();
  await store.close();
  const newer = await server("import", "-", "--database", "y.db");
  expect([newer.code, newer.err]).toEqual([
    3,
    expect.stringContaining("newer version of playtest (unknown migrations: 999-later)"),
  ]);
});

test("an address that is no database's is refused, and its password is not told", async () => {
  for (const command of [
    ["import", "-"],
    ["reset", "--yes"],
  ]) {
    const run = await server(...command, "--database", "mysql://me:secret@db.test/play");
    expect([run.code, run.err]).toEqual([2, expect.stringContaining("is no address of a database")]);
    expect(run.err).not.toContain("secret");
  }
});

test("a database on a server is not removed as a file would be, and its password is not told", async () => {
  const run = await server("reset", "--yes", "--database", "postgres://me:secret@db.test/play");
  expect([run.code, run.err]).toEqual([2, expect.stringContaining("only files are removed")]);
  expect(run.err).not.toContain("secret");
});
