/** Tests of server import, seed, reset and status. */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { openStore } from "../../src/server/db/open.ts";
import { SqliteDriver } from "../../src/server/db/sqlite-connection.ts";
import { freshFolder, NOW, runCli } from "../harness.ts";
import { body, events, record } from "./telemetry-files.ts";

let home: string;
let cwd: string;
beforeEach(() => {
  [home, cwd] = [freshFolder(), freshFolder()];
});

async function server(...argv: string[]) {
  const run = await runCli(["server", ...argv, "--json"], { home, cwd });
  return { ...run, report: run.out === "" ? null : JSON.parse(run.out) };
}

/** The number of rows in the tables of a database. */
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

/** Adds this process to the registry as a running server. */
function pretendServer(database: string, pid = process.pid) {
  const folder = join(home, "state", "servers");
  mkdirSync(folder, { recursive: true });
  const entry = { pid, url: "http://127.0.0.1:4400", database, startedAt: NOW - 3_600_000 };
  writeFileSync(join(folder, `${pid}.json`), JSON.stringify(entry));
}

describe("import", () => {
  test("imports files like ingest telemetry, and reports rejected lines", async () => {
    record(cwd, "a.ndjson.gz", [body("a", events(3)), "{", body("b", [...events(1), { id: "x" }])]);
    const run = await server("import", "a.ndjson.gz", "--create-games");
    expect(run.code).toBe(12);
    expect(run.report).toMatchObject({ accepted: 4, rejected: 1, badLines: 1 });
    expect(run.err).toMatch(
      /^Created the database .*\na\.ndjson\.gz, line 2: not valid JSON\na\.ndjson\.gz, line 3: events\[1\]: .*\nIncomplete\. /,
    );
    expect(await counts()).toMatchObject({ accounts: 1, games: 1, sessions: 2 });
  });

  test("stores a file once that is imported twice", async () => {
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

  test("stores several small sessions in one transaction, and reports their lines in order", async () => {
    const lines = Array.from({ length: 64 }, (_, at) =>
      body(`s${at}`, [...events(2), ...(at % 20 ? [] : [{}])]),
    );
    record(cwd, "a.ndjson", [...lines, "{", body("last", events(1))]);
    const command = vi.spyOn(SqliteDriver.prototype, "command");
    onTestFinished(() => command.mockRestore());
    const run = await server("import", "a.ndjson", "--create-games");
    expect(run.report.files[0].refusals.map(({ line }: { line: number }) => line)).toEqual([
      1, 21, 41, 61, 65,
    ]);
    expect(run.report).toMatchObject({ accepted: 129, rejected: 4, badLines: 1 });
    const transactions = command.mock.calls.filter(([text]) => text === "begin").length;
    expect(transactions).toBeLessThan(30);
  });

  test("analyzes the imported sessions", async () => {
    record(cwd, "a.ndjson", [body("a", events(3), { sessionEnded: true })]);
    await server("import", "a.ndjson", "--create-games", "--database", "x.db");
    const store = await openStore({ database: join(cwd, "x.db") });
    const rows = await store.readDb.selectFrom("sessions").select("status").execute();
    await store.close();
    expect(rows).toEqual([{ status: "analyzed" }]);
  });

  test.each([["--create-games"], []])("names a session that does not exist (%s)", async (...flags) => {
    record(cwd, "a.ndjson", [body("a", events(1))]);
    await server("import", "a.ndjson", "--create-games");
    record(cwd, "b.ndjson", [{ gameId: "ember", sessionId: "s-2", events: events(1) }]);
    const run = await server("import", "b.ndjson", ...flags);
    expect(run.code).toBe(44);
    expect(run.err).toContain("error: b.ndjson, line 1: No session s-2 in ember\nhint: Use client");
  });

  test("ends the run at a game that does not exist, with a hint about --create-games", async () => {
    record(cwd, "a.ndjson", [body("a", events(3)), body("b", events(3))]);
    const run = await server("import", "a.ndjson");
    expect([run.code, run.out]).toEqual([44, ""]);
    expect(run.err).toContain(
      `error: a.ndjson, line 1: No game ember in ${join(home, "state", "playtest.db")}\nhint: Add --create-games to create it.`,
    );
    expect(await counts()).toMatchObject({ sessions: 0, games: 0 });
  });

  test("creates no game with an invalid slug", async () => {
    record(cwd, "a.ndjson", [
      body("a", events(1), { gameId: "Not A Slug" }),
      body("b", events(1)),
      { events: events(1) },
    ]);
    const run = await server("import", "a.ndjson", "--create-games");
    expect([run.code, run.report.accepted]).toEqual([12, 1]);
    expect(run.err).toMatch(
      /^Created the database .*\na\.ndjson, line 1: "Not A Slug" is not a valid slug for a game\na\.ndjson, line 3: .*gameId/,
    );
    expect(await counts()).toMatchObject({ games: 1 });
  });

  test.each([[["nosuch"]], [["a.ndjson", "nosuch"]]])(
    "creates no database if a file does not exist: %j",
    async (files) => {
      record(cwd, "a.ndjson", [body("a", events(3))]);
      const { code, err } = await server("import", ...files, "--create-games", "--database", "new.db");
      expect([code, err]).toEqual([3, expect.stringMatching(/^error: Cannot read nosuch: /)]);
      expect(readdirSync(cwd)).toEqual(["a.ndjson"]);
    },
  );

  test.skipIf(process.platform === "win32")("imports from a named pipe that can be read once", async () => {
    record(cwd, "a.ndjson", [body("a", events(3))]);
    execFileSync("mkfifo", ["pipe"], { cwd });
    const writer = spawn("sh", ["-c", "cat a.ndjson > pipe"], { cwd });
    onTestFinished(() => void writer.kill());
    const run = await server("import", "pipe", "--create-games");
    expect(run).toMatchObject({ code: 0, report: { accepted: 3 } });
  });

  test("creates no database if a file is a folder", async () => {
    mkdirSync(join(cwd, "folder"));
    const { code, err } = await server("import", "folder", "--database", "new.db");
    expect([code, err]).toEqual([3, expect.stringMatching(/^error: Cannot read folder: it is a folder\n/)]);
    expect(readdirSync(cwd)).toEqual(["folder"]);
  });

  test("creates no database for seed files that do not exist", async () => {
    const flags = ["--seed", "nosuch", "--database", "new.db"];
    expect(await server("start", ...flags)).toMatchObject({ code: 3 });
    expect(await server("exec", ...flags, "--", process.execPath, "--version")).toMatchObject({ code: 3 });
    expect(readdirSync(cwd)).toEqual([]);
  });

  test.each([
    ["that is a damaged archive", (file: Uint8Array) => file.subarray(0, file.length - 20)],
    ["that is a damaged gzip file", (file: Uint8Array) => file.subarray(0, 12)],
    ["without any valid line", () => Buffer.from("no JSON\n")],
  ])(
    "keeps a new database if nothing was imported from a file %s, because others may use it",
    async (_what, damage) => {
      record(cwd, "a.ndjson", [body("a", events(3))]);
      await server("import", "a.ndjson", "--create-games");
      await server("export", "good.gz");
      writeFileSync(join(cwd, "bad.gz"), damage(readFileSync(join(cwd, "good.gz"))));
      const { code, err } = await server("import", "bad.gz", "--database", "new.db");
      expect(code).toBeGreaterThan(0);
      const database = join(cwd, "new.db");
      expect(err).toContain(`Created the database ${database}.\n`);
      const notice = `The import failed. The new database ${database} was kept.\n`;
      // An incomplete import is not an error, and reports that it has added no events.
      if (code === 12) expect(err).not.toContain(notice);
      else expect(err).toContain(notice);
      expect(existsSync(database)).toBe(true);
    },
  );

  test("keeps what another process stores in a new database while an import fails", async () => {
    const admin = ["admin", "games", "create", "ember", "--database", "new.db"];
    const damaged = async function* () {
      // The import opens the database after the first line, and reads one chunk ahead.
      yield Buffer.from("no JSON\n");
      yield Buffer.from("no JSON\n");
      expect(existsSync(join(cwd, "new.db"))).toBe(true);
      expect((await runCli(admin, { home, cwd })).code).toBe(0);
      yield Buffer.from("no JSON\n");
    };
    const argv = ["server", "import", "-", "--database", "new.db"];
    expect((await runCli(argv, { home, cwd, stdin: damaged() })).code).toBe(12);
    expect(await counts(join(cwd, "new.db"))).toMatchObject({ games: 1 });
  });

  test("mentions no new database if the database existed before", async () => {
    const database = join(home, "state", "playtest.db");
    await runCli(["admin", "accounts", "create", "studio"], { home, cwd });
    record(cwd, "a.ndjson", [body("a", events(3))]);
    const { code, err } = await server("import", "a.ndjson");
    expect([code, err]).toEqual([44, expect.not.stringContaining(`The new database ${database}`)]);
  });
});

describe("seed", () => {
  test("creates no keys, keeps the configured model provider, and changes nothing when it is run again, even hours later", async () => {
    const provider = "admin providers set --kind embedding --url https://api.test/v1 --model mine";
    await runCli(provider.split(" "), { home, cwd, stdin: "secret" });
    const first = await server("seed", "--now", "2026-03-01T12:00");
    expect([first.code, first.report]).toEqual([
      0,
      {
        database: join(home, "state", "playtest.db"),
        sessions: 74,
        events: expect.any(Number),
      },
    ]);
    expect(first.report.events).toBeGreaterThan(30_000);
    const { out } = await runCli(["admin", "providers", "list", "--json"], { home, cwd });
    expect(JSON.parse(out).providers).toMatchObject([
      { kind: "chat", model: "builtin:words" },
      { kind: "embedding", model: "mine", baseUrl: "https://api.test/v1" },
    ]);
    const before = await counts();
    // It would not show them.
    expect(before).toMatchObject({ accounts: 1, games: 2, sessions: 378, keys: 0 });
    for (const now of ["2026-03-01T12:00", "2026-03-01T17:30"]) {
      const run = await runCli(["server", "seed", "--now", now], { home, cwd });
      expect(run.out).toBe(
        `The demo data is already in ${join(home, "state", "playtest.db")}. Nothing was added.\n`,
      );
      expect(await counts()).toEqual(before);
    }
  });

  test.each([["seed"], ["start", "--demo", "--port", "0"], ["exec", "--demo", "--", "true"]])(
    "%s refuses a database with another game that has the slug of a demo game, and adds nothing",
    async (...argv) => {
      const database = join(home, "state", "playtest.db");
      await runCli(["admin", "games", "create", "tidepool"], { home, cwd });
      const before = await counts();
      // The database comes first, because everything after `--` is the command that exec runs.
      const [verb = "", ...rest] = argv;
      const run = await runCli(["server", verb, "--database", database, ...rest], { home, cwd });
      expect([run.code, run.err]).toEqual([
        45,
        `${verb === "start" ? "Preparing the demo games ember and tidepool, and analyzing their sessions.\n" : ""}` +
          `error: ${database} already has a game "tidepool" that is not the demo game\n` +
          "hint: Add the demo data to another database, for example with --database demo.db.\n",
      ]);
      expect(await counts()).toEqual(before);
    },
  );
});

describe("reset", () => {
  const make = async (name: string) => {
    await server("import", "-", "--database", name);
    return join(cwd, name);
  };

  test("deletes the database and its companion files", async () => {
    const file = await make("x.db");
    writeFileSync(`${file}-wal`, "");
    const run = await runCli(["server", "reset", "--yes", "--database", "x.db"], { home, cwd });
    expect([run.code, run.out]).toEqual([0, `Deleted ${file}.\n`]);
    expect(readdirSync(cwd)).toEqual([]);
    expect((await server("reset", "--yes", "--database", "x.db")).report).toEqual({
      database: file,
      removed: false,
    });
  });

  test("asks for confirmation, and deletes nothing without a terminal", async () => {
    const file = await make("x.db");
    const run = await server("reset", "--database", "x.db");
    expect([run.code, existsSync(file)]).toEqual([2, true]);
    expect(run.err).toMatch(/^error: Cannot ask for confirmation without a terminal\nhint: Add --yes\.\n/);
  });

  test("rejects an in-memory database", async () => {
    const run = await server("reset", "--yes", "--database", ":memory:");
    expect([run.code, run.err]).toEqual([
      2,
      expect.stringMatching(/^error: An in-memory database cannot be reset\n/),
    ]);
  });

  test.each<[what: string, content: string]>([
    ["a text", "precious"],
    ["an empty file", ""],
    ["a file that starts like a database", "SQLite format 3\0 but no more"],
  ])("rejects %s", async (_what, content) => {
    writeFileSync(join(cwd, "x.db"), content);
    const run = await server("reset", "--yes", "--database", "x.db");
    expect([run.code, existsSync(join(cwd, "x.db"))]).toEqual([3, true]);
    expect(run.err).toMatch(/^error: Cannot delete .*x\.db: .*\nhint: Check the path\. .*\n/);
  });

  test("rejects the database of another program, and a folder", async () => {
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
    "rejects the database of a running server, given as %s",
    async (name) => {
      const file = await make("x.db");
      pretendServer(file);
      const path = name.replace("CWD", cwd.split("/").at(-1) ?? "");
      const run = await server("reset", "--yes", "--database", path);
      expect([run.code, existsSync(file)]).toEqual([13, true]);
      expect(run.err).toContain(
        `error: ${file} is in use by a running server (process ${process.pid})\nhint: Stop the server first.`,
      );
    },
  );
});

describe("status", () => {
  test("lists running servers and removes stale entries", async () => {
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

  test("suggests how to start a server if none is running", async () => {
    const run = await runCli(["server", "status"], { home });
    expect([run.code, run.out, run.err]).toEqual([
      0,
      "",
      "No servers are running. Run `playtest server start` to start one.\n",
    ]);
  });
});

test("names a database that is invalid or newer in the error", async () => {
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

test("rejects an unsupported database URL without showing its password", async () => {
  for (const command of [
    ["import", "-"],
    ["reset", "--yes"],
  ]) {
    const run = await server(...command, "--database", "mysql://me:secret@db.test/play");
    expect([run.code, run.err]).toEqual([2, expect.stringContaining("is not a supported database URL")]);
    expect(run.err).not.toContain("secret");
  }
});

test("does not delete a Postgres database, and does not show its password", async () => {
  const run = await server("reset", "--yes", "--database", "postgres://me:secret@db.test/play");
  expect([run.code, run.err]).toEqual([2, expect.stringContaining("only database files can be deleted")]);
  expect(run.err).not.toContain("secret");
});
