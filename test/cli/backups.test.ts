/** Tests of server backup and server restore: what they check, keep, remove and refuse. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { fail } from "../../src/cli/errors.ts";
import { openStore } from "../../src/server/db/open.ts";
import { loadDriver } from "../../src/server/db/sqlite.ts";
import { releaseDatabases } from "../collect-garbage.ts";
import { archive030, writeFile030 } from "../fixtures/schema-030.ts";
import { type CliOptions, freshFolder, NOW, runCli, startTestService } from "../harness.ts";

let home: string;
let cwd: string;
beforeEach(() => {
  [home, cwd] = [freshFolder(), freshFolder()];
});

async function server(argv: readonly string[], options: CliOptions = {}) {
  return await runCli(["server", ...argv], { home, cwd, ...options });
}

/** Creates a database with some games. */
async function createGames(database: string, ...slugs: string[]): Promise<void> {
  for (const slug of slugs) {
    const run = await runCli(["admin", "games", "create", slug, "--database", database], { home, cwd });
    expect(run.code).toBe(0);
  }
}

async function listGames(database: string): Promise<string[]> {
  const store = await openStore({ database: join(cwd, database) });
  const rows = await store.readDb.selectFrom("games").select("slug").orderBy("slug").execute();
  await store.close();
  return rows.map(({ slug }) => slug);
}

/** Backs up studio.db at a time, and returns the report. */
async function backUp(hours: number, ...argv: string[]) {
  const clock = { now: NOW + hours * 3_600_000 };
  const run = await server(["backup", "--database", "studio.db", "--out", "backups", "--json", ...argv], {
    clock,
  });
  expect([run.code, run.err]).toEqual([0, ""]);
  return JSON.parse(run.out);
}

const inBackups = () => readdirSync(join(cwd, "backups")).sort();

/** Restores a backup. The databases that this process has opened must be closed. */
async function restore(...argv: string[]) {
  await releaseDatabases();
  return await server(["restore", ...argv]);
}

/** The first page of a table in a database file. */
async function findRootPage(database: string, table: string): Promise<number> {
  const { DatabaseSync } = (await loadDriver()).driver;
  const connection = new DatabaseSync(join(cwd, database), { readOnly: true });
  const row = connection.prepare("select rootpage from sqlite_schema where name = ?").get(table);
  connection.close();
  return (row as { rootpage: number }).rootpage;
}

/** Makes the file of a stopped server look used by one. */
function pretendServer(database: string) {
  const folder = join(home, "state", "servers");
  mkdirSync(folder, { recursive: true });
  const entry = { pid: process.pid, url: "http://127.0.0.1:4400", database, startedAt: NOW };
  writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(entry));
}

describe("backup", () => {
  beforeEach(() => createGames("studio.db", "ember"));

  test("writes a database file that only its owner can read, with a manifest", async () => {
    const run = await server(["backup", "--database", "studio.db", "--out", "backups"]);
    const path = join(cwd, "backups", "studio-20260301T120000000Z.db");
    expect([run.code, run.err]).toEqual([0, ""]);
    expect(run.out).toMatch(/^Backed up \S+studio\.db to \S+ \(\d\.\d MiB, \d+ rows, checked\)\.\n$/);
    expect(run.out).toContain(` to ${path} (`);
    expect(inBackups()).toEqual(["studio-20260301T120000000Z.db", "studio-20260301T120000000Z.db.json"]);
    for (const file of [path, `${path}.json`]) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(cwd, "backups")).mode & 0o777).toBe(0o700);
    expect(await listGames("backups/studio-20260301T120000000Z.db")).toEqual(["ember"]);
  });

  test("reports the backup as JSON", async () => {
    const report = await backUp(0);
    expect(report).toEqual({
      backup: join(cwd, "backups", "studio-20260301T120000000Z.db"),
      database: join(cwd, "studio.db"),
      createdAt: "2026-03-01T12:00:00.000Z",
      version: expect.any(String),
      bytes: statSync(report.backup).size,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      rows: expect.any(Number),
      removed: [],
    });
    expect(report.rows).toBeGreaterThan(1);
  });

  test("contains what a running server has committed, without stopping it", async () => {
    const service = await startTestService({ database: join(cwd, "live.db") });
    await service.addGame("tidepool");
    const run = await server(["backup", "--database", "live.db", "--out", "backups", "--json"]);
    expect(run.code).toBe(0);
    await service.addGame("later");
    await service.stop();
    const { backup } = JSON.parse(run.out);
    expect(await listGames(backup.slice(cwd.length + 1))).toEqual(["tidepool"]);
    expect(await listGames("live.db")).toEqual(["later", "tidepool"]);
  });

  test("keeps the newest backups of the database, and nothing else is removed", async () => {
    await createGames("other.db", "mine");
    const other = await server(["backup", "--database", "other.db", "--out", "backups"]);
    expect(other.code).toBe(0);
    writeFileSync(join(cwd, "backups", "studio-notes.txt"), "mine");
    for (const hours of [1, 2, 3]) await backUp(hours, "--keep", "2");
    const last = await backUp(4, "--keep", "2");
    expect(last.removed).toEqual([join(cwd, "backups", "studio-20260301T140000000Z.db")]);
    expect(inBackups().filter((name) => !name.endsWith(".json"))).toEqual([
      "other-20260301T120000000Z.db",
      "studio-20260301T150000000Z.db",
      "studio-20260301T160000000Z.db",
      "studio-notes.txt",
    ]);
  });

  test("does not count a backup that was changed after it was checked, and does not remove it", async () => {
    const damaged = await backUp(1);
    truncateSync(damaged.backup, 4096);
    const older = await backUp(0);
    const last = await backUp(2, "--keep", "2");
    expect([last.removed, existsSync(damaged.backup), existsSync(older.backup)]).toEqual([[], true, true]);
  });

  test("keeps the new backup when the clock was set back", async () => {
    await backUp(5);
    const report = await backUp(0, "--keep", "1");
    expect(existsSync(report.backup)).toBe(true);
    expect(report.removed).toHaveLength(1);
  });

  test("removes what a killed backup has left", async () => {
    const first = await backUp(0);
    const lost = `${first.backup.replace("120000", "110000")}`;
    writeFileSync(`${lost}.tmp`, "half");
    writeFileSync(`${lost}.tmp-wal`, "");
    const manifest = JSON.parse(readFileSync(`${first.backup}.json`, "utf8"));
    writeFileSync(`${lost}.json`, JSON.stringify({ ...manifest, backup: lost.split("/").at(-1) }));
    await backUp(1);
    expect(inBackups()).toEqual([
      "studio-20260301T120000000Z.db",
      "studio-20260301T120000000Z.db.json",
      "studio-20260301T130000000Z.db",
      "studio-20260301T130000000Z.db.json",
    ]);
  });

  test("keeps the unfinished backup of a database whose name begins with the same word", async () => {
    await backUp(0);
    const draft = join(cwd, "backups", "studio-eu-20260301T120000000Z.db.tmp");
    writeFileSync(draft, "half");
    await backUp(1);
    expect(existsSync(draft)).toBe(true);
  });

  test("fails while another backup of the database runs", async () => {
    const held: string[] = [];
    await backUp(0);
    // The lock is written by the running process itself, as by a backup that takes long.
    const { createLockHolder } = await import("../../src/cli/file-lock.ts");
    const { acquireLock } = await import("../../src/export/lock.ts");
    const io = { pid: process.pid, now: () => NOW, isAlive: () => true };
    const release = await acquireLock(join(cwd, "backups", ".studio-backup.lock"), createLockHolder(io));
    const run = await server(["backup", "--database", "studio.db", "--out", "backups"]);
    await release();
    held.push(...inBackups());
    expect([run.code, run.err]).toEqual([13, expect.stringContaining("error: Another backup is running")]);
    expect(held.filter((name) => name.endsWith(".db"))).toHaveLength(1);
    expect((await backUp(1)).removed).toEqual([]);
  });

  test("takes over the lock of a container that was killed, but not of a container that may be running", async () => {
    await backUp(0);
    const lock = join(cwd, "backups", ".studio-backup.lock");
    const holder = { pid: 1, startedAt: NOW, host: "container", boot: "boot", begin: "1", token: "t" };
    writeFileSync(lock, JSON.stringify(holder));
    utimesSync(lock, NOW / 1000, NOW / 1000);
    const run = (minutes: number) =>
      server(["backup", "--database", "studio.db", "--out", "backups"], {
        clock: { now: NOW + minutes * 60_000 },
      });
    const early = await run(59);
    expect([early.code, early.err]).toEqual([13, expect.stringContaining("(host container, process 1)")]);
    expect((await run(61)).code).toBe(0);
    expect(existsSync(lock)).toBe(false);
  });

  test("leaves no files behind when it is interrupted", async () => {
    const controller = new AbortController();
    controller.abort(fail("interrupted"));
    const run = await server(["backup", "--database", "studio.db", "--out", "backups"], {
      signal: controller.signal,
    });
    expect([run.code, inBackups()]).toEqual([130, []]);
  });

  test("warns about a database without games", async () => {
    const run = await runCli(["admin", "accounts", "create", "studio", "--database", "new.db"], {
      home,
      cwd,
    });
    expect(run.code).toBe(0);
    const backup = await server(["backup", "--database", "new.db", "--out", "backups"]);
    expect([backup.code, backup.err]).toEqual([
      0,
      `Warning: the database ${join(cwd, "new.db")} has no games.\n`,
    ]);
    const exported = await server(["export", "--database", "new.db", "new.gz"]);
    expect([exported.code, exported.err]).toEqual([0, backup.err]);
  });

  test("refuses a damaged database, and keeps the older backups", async () => {
    const before = await backUp(0);
    const content = readFileSync(join(cwd, "studio.db"));
    content.fill(7, 4096 * 3, 4096 * 20);
    writeFileSync(join(cwd, "studio.db"), content);
    const run = await server(["backup", "--database", "studio.db", "--out", "backups", "--keep", "1"]);
    expect([run.code, existsSync(before.backup), inBackups().length]).toEqual([3, true, 2]);
  });

  test("does not upgrade the database of an older server", async () => {
    writeFile030(join(cwd, "older.db"));
    const before = readFileSync(join(cwd, "older.db"));
    const run = await server(["backup", "--database", "older.db", "--out", "backups", "--json"]);
    expect([run.code, run.err]).toEqual([0, ""]);
    expect(readFileSync(join(cwd, "older.db")).equals(before)).toBe(true);
    const restored = await restore(JSON.parse(run.out).backup, "--database", "new.db");
    expect([restored.code, await listGames("new.db")]).toEqual([0, ["ember-game"]]);
  });
});

describe("restore", () => {
  beforeEach(() => createGames("studio.db", "ember"));

  test("replaces the database with the newest backup in a folder, and keeps the old one", async () => {
    await backUp(0);
    await createGames("studio.db", "second");
    const { backup } = await backUp(1);
    await createGames("studio.db", "third");
    const run = await restore("backups", "--database", "studio.db", "--yes", "--json");
    const kept = join(cwd, "studio.db.before-restore-20260301T120000000Z");
    expect([run.code, run.err]).toEqual([0, ""]);
    expect(JSON.parse(run.out)).toEqual({ backup, database: join(cwd, "studio.db"), kept });
    expect(await listGames("studio.db")).toEqual(["ember", "second"]);
    expect(await listGames("studio.db.before-restore-20260301T120000000Z")).toEqual([
      "ember",
      "second",
      "third",
    ]);
    expect(readdirSync(cwd).filter((name) => /restore\.(tmp|lock)/.test(name))).toEqual([]);
    expect(statSync(join(cwd, "studio.db")).mode & 0o777).toBe(0o600);
  });

  test("restores to a new file without asking", async () => {
    const { backup } = await backUp(0);
    const run = await restore(backup, "--database", "new/copy.db");
    expect([run.code, run.out]).toEqual([0, `Restored ${backup} to ${join(cwd, "new/copy.db")}.\n`]);
    expect(await listGames("new/copy.db")).toEqual(["ember"]);
  });

  test("replaces nothing without a terminal or --yes", async () => {
    const { backup } = await backUp(0);
    await createGames("studio.db", "second");
    const run = await restore(backup, "--database", "studio.db");
    expect([run.code, run.err]).toEqual([2, expect.stringContaining("--yes")]);
    expect(await listGames("studio.db")).toEqual(["ember", "second"]);
  });

  test("never replaces the database of a registered server", async () => {
    const { backup } = await backUp(0);
    pretendServer(join(cwd, "studio.db"));
    const run = await restore(backup, "--database", "studio.db", "--yes");
    expect([run.code, run.err]).toEqual([13, expect.stringContaining("is in use by a running server")]);
  });

  test("restores an archive of this version and of an older one", async () => {
    await server(["export", "--database", "studio.db", "studio.gz"]);
    for (const [archive, game] of [
      ["studio.gz", "ember"],
      [archive030, "ember-game"],
    ] as const) {
      const run = await restore(archive, "--database", "studio.db", "--yes");
      expect([run.code, await listGames("studio.db")]).toEqual([0, [game]]);
    }
  });

  test("restores over a damaged database, whose files are all kept", async () => {
    const { backup } = await backUp(0);
    const content = readFileSync(join(cwd, "studio.db"));
    content.fill(7, 100, 4096 * 4);
    writeFileSync(join(cwd, "studio.db"), content);
    writeFileSync(join(cwd, "studio.db-wal"), "log");
    const run = await restore(backup, "--database", "studio.db", "--yes", "--without-erasures");
    expect([run.code, await listGames("studio.db")]).toEqual([0, ["ember"]]);
    const kept = join(cwd, "studio.db.before-restore-20260301T120000000Z");
    expect(readFileSync(kept).equals(content)).toBe(true);
  });

  test("replaces the file that a symbolic link leads to, and keeps that file", async () => {
    const { backup } = await backUp(0);
    mkdirSync(join(cwd, "volume"));
    writeFileSync(join(cwd, "volume", "play.db"), readFileSync(join(cwd, "studio.db")));
    symlinkSync(join("volume", "play.db"), join(cwd, "link.db"));
    const run = await restore(backup, "--database", "link.db", "--yes", "--json");
    const kept = join(cwd, "volume", "play.db.before-restore-20260301T120000000Z");
    expect([run.code, JSON.parse(run.out).kept]).toEqual([0, kept]);
    expect([readlinkSync(join(cwd, "link.db")), lstatSync(kept).isFile()]).toEqual(["volume/play.db", true]);
    expect(await listGames("volume/play.db")).toEqual(["ember"]);
  });

  test("refuses a damaged backup, and changes nothing", async () => {
    const { backup } = await backUp(0);
    await createGames("studio.db", "second");
    const content = readFileSync(backup);
    content.writeUInt8(content.readUInt8(9000) ^ 1, 9000);
    writeFileSync(backup, content);
    const run = await restore(backup, "--database", "studio.db", "--yes");
    expect([run.code, run.err]).toEqual([3, expect.stringContaining("its checksum differs")]);
    expect(await listGames("studio.db")).toEqual(["ember", "second"]);
  });

  test.each<[string, string | Uint8Array]>([
    ["a text", "precious text, which is neither a database nor an archive"],
    ["an empty file", ""],
    ["half an archive", gunzipSync(readFileSync(archive030)).subarray(0, 3000)],
  ])("refuses %s as a backup, and changes nothing", async (_what, content) => {
    writeFileSync(join(cwd, "backup.db"), content);
    const run = await restore("backup.db", "--database", "studio.db", "--yes");
    expect(run.code).toBe(3);
    expect(await listGames("studio.db")).toEqual(["ember"]);
    expect(readdirSync(cwd).filter((name) => name.includes("restore"))).toEqual([]);
  });

  test("never replaces a file of another program", async () => {
    const { backup } = await backUp(0);
    writeFileSync(join(cwd, "notes.txt"), "precious text of some length\n".repeat(50));
    const { DatabaseSync } = (await loadDriver()).driver;
    const other = new DatabaseSync(join(cwd, "songs.db"));
    other.exec("create table songs (name text)");
    other.close();
    for (const name of ["notes.txt", "songs.db"]) {
      const before = readFileSync(join(cwd, name));
      const run = await restore(backup, "--database", name, "--yes");
      expect([run.code, run.err]).toEqual([3, expect.stringContaining("it is not a playtest database")]);
      expect(readFileSync(join(cwd, name)).equals(before)).toBe(true);
    }
  });

  test("replaces a database that a newer version has upgraded", async () => {
    const { backup } = await backUp(0);
    const store = await openStore({ database: join(cwd, "studio.db") });
    await store.writeDb
      .withTables<{ kysely_migration: { name: string; timestamp: string } }>()
      .insertInto("kysely_migration")
      .values({ name: "999-future", timestamp: "2030-01-01" })
      .execute();
    await store.close();
    const run = await restore(backup, "--database", "studio.db", "--yes", "--without-erasures");
    expect([run.code, await listGames("studio.db")]).toEqual([0, ["ember"]]);
  });

  test("names the databases of a folder with backups of several databases", async () => {
    await backUp(0);
    await createGames("other.db", "mine");
    await server(["backup", "--database", "other.db", "--out", "backups"]);
    const run = await restore("backups", "--database", "new.db");
    expect([run.code, run.err]).toEqual([3, expect.stringContaining("backups of several databases")]);
    const own = await restore("backups", "--database", "other.db", "--yes");
    expect([own.code, await listGames("other.db")]).toEqual([0, ["mine"]]);
  });

  test("reports a folder without backups", async () => {
    mkdirSync(join(cwd, "none"));
    const run = await restore("none", "--database", "new.db");
    expect([run.code, run.err]).toEqual([3, expect.stringContaining("has no backups")]);
    expect(existsSync(join(cwd, "new.db"))).toBe(false);
  });
});

describe("what was erased after a backup", () => {
  const device = "device-of-wren-7f";

  /** Imports a session of the device, backs up, and erases the device. Returns the backup. */
  async function backUpAndErase(): Promise<string> {
    await createGames("studio.db", "ember");
    const events = [{ id: "e1", name: "jump", timestamp: NOW - 60_000 }];
    const line = { gameId: "ember", clientSessionId: "one", deviceId: device, events };
    writeFileSync(join(cwd, "play.ndjson"), `${JSON.stringify(line)}\n`);
    expect((await server(["import", "play.ndjson", "--database", "studio.db"])).code).toBe(0);
    const { backup } = await backUp(1);
    const argv = ["admin", "testers", "erase", device, "--game", "ember", "--yes", "--database", "studio.db"];
    const erased = await runCli(argv, { home, cwd, clock: { now: NOW + 2 * 3_600_000 } });
    expect([erased.code, readFileSync(backup).includes(device)]).toEqual([0, true]);
    return backup;
  }

  const hasDevice = (file: string) => readFileSync(join(cwd, file)).includes(device);

  test("stays erased in the database that is replaced", async () => {
    const backup = await backUpAndErase();
    const run = await restore(backup, "--database", "studio.db", "--yes");
    expect([run.code, run.err, hasDevice("studio.db")]).toEqual([0, "", false]);
  });

  test("comes back in the database that is replaced if that is accepted", async () => {
    const backup = await backUpAndErase();
    const run = await restore(backup, "--database", "studio.db", "--yes", "--without-erasures");
    expect([run.code, run.err, hasDevice("studio.db")]).toEqual([0, "", true]);
  });

  test("is refused if the replaced database cannot be read, unless a newer backup is passed", async () => {
    const backup = await backUpAndErase();
    const { backup: newer } = await backUp(3);
    await damageTable("studio.db", "tombstones");
    const damaged = readFileSync(join(cwd, "studio.db"));
    const run = await restore(backup, "--database", "studio.db", "--yes");
    expect([run.code, run.err]).toEqual([2, expect.stringMatching(/would come back: .*\n.*--erasures-from/)]);
    // The header has another journal mode, because the file was locked.
    expect(readFileSync(join(cwd, "studio.db")).subarray(100).equals(damaged.subarray(100))).toBe(true);
    const again = await restore(backup, "--database", "studio.db", "--yes", "--erasures-from", newer);
    expect([again.code, again.err, hasDevice("studio.db")]).toEqual([0, "", false]);
  });

  test("stays erased in a new file beside the database", async () => {
    const backup = await backUpAndErase();
    const run = await restore(backup, "--database", "new.db");
    expect([run.code, run.err, hasDevice("new.db")]).toEqual([0, "", false]);
  });

  test("comes back in a new file only if that is accepted, where the database is lost", async () => {
    const backup = await backUpAndErase();
    await releaseDatabases();
    rmSync(join(cwd, "studio.db"));
    const run = await restore(backup, "--database", "new.db");
    expect([run.code, run.err]).toEqual([
      2,
      expect.stringContaining("would come back: there is no newer database"),
    ]);
    expect(existsSync(join(cwd, "new.db"))).toBe(false);
    const accepted = await restore(backup, "--database", "new.db", "--without-erasures");
    expect([accepted.code, accepted.err, hasDevice("new.db")]).toEqual([0, "", true]);
    const both = await restore(backup, "--database", "b.db", "--without-erasures", "--erasures-from", backup);
    expect(both.code).toBe(2);
  });

  test("is erased from a new file with another database file", async () => {
    const backup = await backUpAndErase();
    await releaseDatabases();
    renameSync(join(cwd, "studio.db"), join(cwd, "moved.db"));
    const run = await restore(backup, "--database", "new.db", "--erasures-from", "moved.db");
    expect([run.code, run.err, hasDevice("new.db")]).toEqual([0, "", false]);
  });

  test("is erased from a new file with a newer backup or archive", async () => {
    const backup = await backUpAndErase();
    await server(["export", "--database", "studio.db", "newer.gz"]);
    const { backup: newer } = await backUp(3);
    for (const [file, erasures] of [
      ["a.db", newer],
      ["b.db", "newer.gz"],
    ] as const) {
      const run = await restore(backup, "--database", file, "--erasures-from", erasures);
      expect([run.code, run.err, hasDevice(file)]).toEqual([0, "", false]);
    }
  });

  /** Overwrites the page of a table. */
  async function damageTable(file: string, table: string): Promise<void> {
    const rootPage = await findRootPage(file, table);
    await releaseDatabases();
    const content = readFileSync(join(cwd, file));
    const pageSize = content.readUInt16BE(16);
    content.fill(7, (rootPage - 1) * pageSize, rootPage * pageSize);
    writeFileSync(join(cwd, file), content);
  }
});
