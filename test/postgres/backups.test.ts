/** Backups of Postgres databases: archives that are read back, and that are restored to empty databases only. */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, expect, it } from "vitest";
import { openStore } from "../../src/server/db/open.ts";
import { version } from "../../src/shared/version.prepared.ts";
import { archive030, createPostgres030 } from "../fixtures/schema-030.ts";
import { freshFolder, NOW, runCli, startTestService } from "../harness.ts";
import { ownDatabase, runOn } from "./databases.ts";

const drops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const drop of drops.splice(0)) await drop();
});

async function createDatabase(): Promise<string> {
  const { address, drop } = await ownDatabase();
  drops.push(drop);
  return address;
}

const listGames = async (address: string) =>
  (await runOn(address, "select slug from games order by slug")).rows.map(({ slug }) => slug);

it("backs up while a server is running, keeps the newest backups, and restores to an empty database", async () => {
  const home = freshFolder();
  const database = await createDatabase();
  const service = await startTestService({ store: await openStore({ database }) });
  await service.addGame("ember");
  const backUp = async (hours: number) => {
    const argv = ["server", "backup", "--database", database, "--out", "backups", "--keep", "2", "--json"];
    const run = await runCli(argv, { home, clock: { now: NOW + hours * 3_600_000 } });
    expect([run.code, run.err]).toEqual([0, ""]);
    return JSON.parse(run.out);
  };
  for (const hours of [0, 1]) await backUp(hours);
  await service.addGame("tidepool");
  const { backup, removed, database: location } = await backUp(2);
  await service.stop();
  expect([removed.length, location.includes("password")]).toEqual([1, false]);
  expect(statSync(backup).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(home, "backups")).filter((name) => name.endsWith(".ndjson.gz"))).toHaveLength(2);
  const [header = ""] = gunzipSync(readFileSync(backup)).toString().split("\n");
  expect(JSON.parse(header)).toMatchObject({ version });

  const target = await createDatabase();
  const restore = () =>
    runCli(["server", "restore", "backups", "--database", target, "--without-erasures", "--yes"], { home });
  expect((await restore()).code).toBe(0);
  expect(await listGames(target)).toEqual(["ember", "tidepool"]);
  const { rows } = await runOn(target, "select action from audit order by at desc limit 1");
  expect(rows).toEqual([{ action: "server.restore" }]);
  const again = await restore();
  expect([again.code, again.err]).toEqual([3, expect.stringContaining("is not empty")]);
});

it("erases again from a restored database what a newer export of the old one says was erased", async () => {
  const home = freshFolder();
  const database = await createDatabase();
  const device = "device-of-wren-7f";
  const events = [{ id: "e1", name: "jump", timestamp: NOW - 60_000 }];
  const line = { gameId: "ember", clientSessionId: "one", deviceId: device, events };
  writeFileSync(join(home, "play.ndjson"), `${JSON.stringify(line)}\n`);
  const run = async (...argv: string[]) =>
    expect(await runCli([...argv, "--database", database], { home })).toMatchObject({ code: 0 });
  await run("server", "import", "play.ndjson", "--create-games");
  await run("server", "backup", "--out", "backups");
  await run("admin", "testers", "erase", device, "--game", "ember", "--yes");
  await run("server", "export", "newer.gz");
  const countSessions = async (...flags: string[]) => {
    const target = await createDatabase();
    const argv = ["server", "restore", "backups", "--database", target, ...flags];
    expect(await runCli(argv, { home })).toMatchObject({ code: 0 });
    return (await runOn(target, "select from sessions")).rowCount;
  };
  expect([
    await countSessions("--without-erasures"),
    await countSessions("--erasures-from", "newer.gz"),
  ]).toEqual([1, 0]);
});

it("restores an archive of an older version", async () => {
  const target = await createDatabase();
  const run = await runCli(["server", "restore", archive030, "--database", target, "--without-erasures"]);
  expect([run.code, await listGames(target)]).toEqual([0, ["ember-game"]]);
});

it("commands that read do not set up an empty database", async () => {
  const database = await createDatabase();
  const argvs = [
    ["admin", "games", "list"],
    ["server", "export", "a.gz"],
    ["server", "backup", "--out", "backups"],
  ];
  for (const argv of argvs) {
    const run = await runCli([...argv, "--database", database]);
    expect([run.code, run.err]).toEqual([3, expect.stringContaining("is empty")]);
  }
  const { rows } = await runOn(database, "select tablename from pg_tables where schemaname = 'public'");
  expect(rows).toEqual([]);
});

it("a backup never updates the schema", async () => {
  const database = await createDatabase();
  await createPostgres030(database);
  const countMigrations = async () => (await runOn(database, "select from kysely_migration")).rowCount;
  const before = await countMigrations();
  const home = freshFolder();
  const run = await runCli(["server", "backup", "--database", database, "--out", "backups"], { home });
  expect([run.code, run.err]).toEqual([3, expect.stringContaining("has the schema of an older version")]);
  expect([await countMigrations(), readdirSync(join(home, "backups"))]).toEqual([before, []]);
});

it("names the version that a database needs", async () => {
  const database = await createDatabase();
  await (await openStore({ database })).close();
  await runOn(database, "insert into kysely_migration values ('999-newer', '2030-01-01')");
  await runOn(database, "update program_versions set version = '9.2.0'");
  await expect(openStore({ database })).rejects.toThrow(
    `needs playtest 9.2.0 or newer, but this is playtest ${version}`,
  );
});
