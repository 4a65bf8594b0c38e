/** Tests of server export and import of a whole database: files, pipes, output, and cleanup after failures. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { fail } from "../../src/cli/errors.ts";
import { openConnection } from "../../src/server/db/sqlite.ts";
import { tableNames } from "../../src/server/db/tables.ts";
import { type CliOptions, freshFolder, runCli, startTestService } from "../harness.ts";
import { body, events, record } from "./telemetry-files.ts";

let home: string;
let cwd: string;
beforeEach(() => {
  [home, cwd] = [freshFolder(), freshFolder()];
});

async function server(argv: readonly string[], options: CliOptions = {}) {
  return await runCli(["server", ...argv], { home, cwd, ...options });
}

/** Creates a database with one game and some sessions. */
async function furnished(database = "studio.db"): Promise<void> {
  record(cwd, "play.ndjson", [body("a", events(3), { sessionEnded: true })]);
  const run = await server(["import", "play.ndjson", "--create-games", "--database", database]);
  expect(run.code).toBe(0);
}

const exportTo = (archive: string, ...more: string[]) =>
  server(["export", archive, "--database", "studio.db", ...more]);

/** Counts the games of a database that may not be complete, or 0 if it has no tables yet. */
async function countGames(database: string): Promise<number> {
  if (!existsSync(`${database}-wal`)) return 0;
  const connection = await openConnection(database, { durability: "NORMAL", readOnly: true });
  try {
    return connection.prepare("select id from games").all().length;
  } catch {
    return 0;
  } finally {
    connection.close();
  }
}

describe("export", () => {
  beforeEach(() => furnished());

  test("prints one row per table, and everything with --json", async () => {
    const shown = await exportTo("a.gz");
    expect([shown.code, shown.err]).toEqual([0, ""]);
    expect(shown.out).toMatch(/^TABLE +ROWS +SHA-256 \(FIRST 12\) *\n/);
    expect(shown.out).toMatch(/^sessions +1 +[0-9a-f]{12} *$/m);
    expect(shown.out).toMatch(/\n\nExported \d+ tables to a\.gz\.\n$/);
    const run = await exportTo("b.gz", "--json");
    const report = JSON.parse(run.out);
    expect(report).toMatchObject({ archive: join(cwd, "b.gz"), database: join(cwd, "studio.db") });
    expect(report.tables.map(({ table }: { table: string }) => table)).toEqual(tableNames);
    expect(report.tables.every(({ sha256 }: { sha256: string }) => /^[0-9a-f]{64}$/.test(sha256))).toBe(true);
    const rows = report.tables.reduce((sum: number, { rows }: { rows: number }) => sum + rows, 0);
    expect([report.rows, rows > 5]).toEqual([rows, true]);
  });

  test("creates a file that only its owner can read, and leaves no other files", async () => {
    await exportTo("new/folder/a.gz");
    expect(statSync(join(cwd, "new/folder/a.gz")).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(cwd, "new/folder"))).toEqual(["a.gz"]);
  });

  test("overwrites an existing file only with --force, whatever its mode", async () => {
    writeFileSync(join(cwd, "a.gz"), "mine", { mode: 0o644 });
    const run = await exportTo("a.gz");
    expect([run.code, run.err]).toEqual([
      3,
      "error: The archive a.gz already exists\nhint: Choose another file name, or add --force to overwrite the file.\n",
    ]);
    expect(readFileSync(join(cwd, "a.gz"), "utf8")).toBe("mine");
    expect((await exportTo("a.gz", "--force")).code).toBe(0);
    expect(statSync(join(cwd, "a.gz")).mode & 0o777).toBe(0o600);
    expect(gunzipSync(readFileSync(join(cwd, "a.gz"))).toString()).toMatch(/^\{"playtest-database":1,/);
  });

  test("leaves no files behind when it is interrupted", async () => {
    const controller = new AbortController();
    controller.abort(fail("interrupted"));
    const run = await server(["export", "a.gz", "--database", "studio.db"], { signal: controller.signal });
    expect([run.code, readdirSync(cwd).filter((name) => name.includes("a.gz"))]).toEqual([130, []]);
  });

  test("rejects a folder before it reads anything", async () => {
    mkdirSync(join(cwd, "folder"));
    const run = await exportTo("folder", "--force");
    expect([run.code, run.err]).toEqual([3, expect.stringContaining("it is a folder")]);
    expect(readdirSync(join(cwd, "folder"))).toEqual([]);
  });
});

describe("import", () => {
  const archived = async () => {
    await furnished();
    expect((await exportTo("a.gz")).code).toBe(0);
  };

  test("refuses 6 million empty lines in an archive of 6 kB, and imports nothing", async () => {
    await archived();
    const [header = ""] = gunzipSync(readFileSync(join(cwd, "a.gz")))
      .toString()
      .split("\n");
    writeFileSync(join(cwd, "bomb.gz"), gzipSync(`${header}\n${"\n".repeat(6_000_000)}`));
    const run = await server(["import", "bomb.gz", "--database", "new.db"]);
    expect([run.code, run.out]).toEqual([3, ""]);
    expect(run.err).toMatch(
      /bomb\.gz has more than 1 MiB of empty lines, up to line 104857\d\nhint: Nothing was imported\./,
    );
    expect((await server(["import", "a.gz", "--database", "new.db"])).code).toBe(0);
  });

  test("prints the same checksums as export, and the imported database exports the same data", async () => {
    await archived();
    const before = JSON.parse((await exportTo("b.gz", "--json")).out);
    const run = await server(["import", "a.gz", "--database", "new.db", "--json"]);
    expect([run.code, run.err]).toEqual([0, `Created the database ${join(cwd, "new.db")}.\n`]);
    const { tables, rows } = before;
    expect(JSON.parse(run.out)).toMatchObject({
      archive: "a.gz",
      database: join(cwd, "new.db"),
      tables,
      rows,
    });
    const again = await server(["export", "c.gz", "--database", "new.db", "--json"]);
    expect(JSON.parse(again.out).tables).toEqual(tables);
  });

  test("imports an archive that export wrote to a pipe", async () => {
    await furnished();
    const piped = await server(["export", "-", "--database", "studio.db", "--json"]);
    expect([piped.code, piped.err]).toEqual([
      0,
      expect.stringMatching(/^Exported \d+ rows from \d+ tables\.\n$/),
    ]);
    const stdin = Buffer.from(piped.out, "latin1");
    const run = await server(["import", "-", "--database", "new.db", "--json"], { stdin });
    const { tables } = JSON.parse((await exportTo("a.gz", "--json")).out);
    expect([run.code, JSON.parse(run.out).tables]).toEqual([0, tables]);
    // An uncompressed archive is also accepted.
    const plain = await server(["import", "-", "--database", "plain.db"], { stdin: gunzipSync(stdin) });
    expect(plain.code).toBe(0);
  });

  test("keeps all keys valid in the new database", async () => {
    const service = await startTestService({ database: join(cwd, "studio.db") });
    await service.addGame("ember");
    // The server keeps running during the export.
    expect((await exportTo("a.gz")).code).toBe(0);
    await service.stop();
    expect((await server(["import", "a.gz", "--database", "new.db"])).code).toBe(0);
    const moved = await startTestService({ database: join(cwd, "new.db"), continues: service });
    expect((await moved.get("/api/v1/games")).json.games).toMatchObject([{ slug: "ember" }]);
    const sent = await moved.post("/api/telemetry", { gameId: "ember", events: [] });
    expect(sent.status).toBe(202);
    await moved.stop();
  });

  test("rejects a second import and suggests a new database", async () => {
    await archived();
    await server(["import", "a.gz", "--database", "new.db"]);
    const again = await server(["import", "a.gz", "--database", "new.db"]);
    expect([again.code, again.err]).toEqual([
      3,
      `error: The database ${join(cwd, "new.db")} is not empty: the table accounts has rows\n` +
        "hint: Archives can only be imported into an empty database. Specify a new one with --database.\n",
    ]);
  });

  test("creates no account from an archive that is truncated at any point", async () => {
    await archived();
    const whole = readFileSync(join(cwd, "a.gz"));
    for (const part of [0.3, 0.6, 0.9, 0.999]) {
      writeFileSync(join(cwd, "cut.gz"), whole.subarray(0, Math.floor(whole.length * part)));
      const run = await server(["import", "cut.gz", "--database", "cut.db"]);
      expect([run.code, run.out]).toEqual([3, ""]);
      expect(run.err).toMatch(
        /^(Created the database .*\nThe import failed\. The new database .* was kept\.\n)?error: cut\.gz is a damaged gzip file: it ends unexpectedly after line \d+\nhint: Nothing was imported\./,
      );
    }
    expect((await server(["import", "a.gz", "--database", "cut.db"])).code).toBe(0);
  });

  test("continues when it is interrupted, and servers refuse the database until then", async () => {
    await archived();
    const database = join(cwd, "new.db");
    const controller = new AbortController();
    const lines = gunzipSync(readFileSync(join(cwd, "a.gz")))
      .toString()
      .split("\n");
    const stdin = (async function* () {
      // A chunk is only read once the next one is there.
      yield Buffer.from(lines.slice(0, -10).join("\n"));
      yield Buffer.from(`\n${lines.slice(-10, -5).join("\n")}`);
      while ((await countGames(database)) === 0) await sleep(10);
      controller.abort(fail("terminated"));
      yield Buffer.from(`\n${lines.slice(-5).join("\n")}`);
    })();
    const interrupted = await server(["import", "-", "--database", "new.db"], {
      stdin,
      signal: controller.signal,
    });
    expect([interrupted.code, interrupted.err]).toEqual([
      143,
      `Created the database ${database}.\nerror: Terminated\nhint: Run the command again. It continues where it stopped.\n`,
    ]);
    const refusal =
      `error: The database ${database} is incomplete: the import of - has not finished\n` +
      `hint: Continue it with \`playtest server import - --database ${database}\`, or discard it with \`playtest server reset --database ${database}\`.\n`;
    for (const command of [["start"], ["export", "b.gz"], ["backup", "--out", "backups"], ["check"]]) {
      const refused = await server([...command, "--database", "new.db"]);
      expect([refused.code, refused.err]).toEqual([3, refusal]);
    }
    const continued = await server(["import", "a.gz", "--database", "new.db"]);
    expect([continued.code, continued.err]).toEqual([
      0,
      expect.stringMatching(
        /^a\.gz: continuing after line \d+ \(use `playtest server reset --database .*new\.db` to start over\)\n$/,
      ),
    ]);
    expect((await server(["check", "--database", "new.db"])).code).toBe(0);
  });

  test("leaves no database behind after rejecting an archive of another version", async () => {
    const header = {
      "playtest-database": 1,
      migrations: ["999-later"],
      createdAt: "2026-01-01T00:00:00.000Z",
    };
    const stdin = `${JSON.stringify(header)}\n`;
    const run = await server(["import", "-", "--database", "new.db"], { stdin });
    expect([run.code, run.err]).toEqual([
      3,
      expect.stringContaining("by a newer version of playtest (unknown migrations: 999-later)"),
    ]);
    expect(existsSync(join(cwd, "new.db"))).toBe(false);
  });

  test("rejects an archive among telemetry files, after importing the files before it", async () => {
    await archived();
    const first = await server(["import", "a.gz", "play.ndjson", "--database", "new.db"]);
    expect([first.code, existsSync(join(cwd, "new.db"))]).toEqual([2, false]);
    const later = await server(["import", "play.ndjson", "a.gz", "--database", "new.db", "--create-games"]);
    expect([later.code, later.err]).toEqual([
      2,
      `Created the database ${join(cwd, "new.db")}.\n` +
        `The import failed. The new database ${join(cwd, "new.db")} was kept.\n${first.err}`,
    ]);
    expect(first.err).toBe(
      "error: a.gz is an archive of a whole database, not telemetry\n" +
        "hint: Import it on its own into a new database: `playtest server import <archive> --database <file>`.\n",
    );
  });

  test.each([["--create-games"], ["--now", "2026-01-01"]])("rejects %s with an archive", async (...flag) => {
    await archived();
    const run = await server(["import", "a.gz", "--database", "new.db", ...flag]);
    expect([run.code, existsSync(join(cwd, "new.db"))]).toEqual([2, false]);
    expect(run.err).toMatch(new RegExp(`^error: ${flag[0]} cannot be used with an archive`));
  });

  test("verifies an archive with an in-memory database", async () => {
    await archived();
    expect((await server(["import", "a.gz", "--database", ":memory:"])).code).toBe(0);
  });
});
