/** Backups, restores and upgrades with real processes: a server that takes telemetry meanwhile, and processes at once. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "../../src/server/db/open.ts";
import { openConnection } from "../../src/server/db/sqlite.ts";
import { writeFile030 } from "../fixtures/schema-030.ts";
import { freshFolder } from "../harness.ts";
import { playtest, send, startServer } from "./program.ts";

async function countSessions(database: string): Promise<number> {
  const store = await openStore({ database });
  const rows = await store.readDb.selectFrom("sessions").select("id").execute();
  await store.close();
  return rows.length;
}

test("a backup contains all telemetry that a running server acknowledged before it", async () => {
  const folder = freshFolder();
  const database = join(folder, "play.db");
  const { ready, child } = await startServer([
    ...["--port", "0", "--database", database, "--create-game", "ember", "--limits", "off"],
  ]);
  let sent = 0;
  let stopped = false;
  const load = (async () => {
    while (!stopped) if ((await send(ready, `session-${sent}`)) === 202) sent += 1;
  })();
  const reports: { backup: string; before: number; after: number }[] = [];
  for (let nth = 0; nth < 3; nth += 1) {
    const before = sent;
    const run = await playtest([
      ...["server", "backup", "--database", database, "--out", join(folder, "backups"), "--json"],
    ]);
    expect([run.exitCode, run.stderr]).toEqual([0, ""]);
    reports.push({ backup: JSON.parse(String(run.stdout)).backup, before, after: sent });
  }
  stopped = true;
  await load;
  const inUse = await playtest([
    "server",
    "restore",
    join(folder, "backups"),
    "--database",
    database,
    "--yes",
  ]);
  expect([inUse.exitCode, inUse.stderr]).toEqual([
    13,
    expect.stringContaining("is in use by another process"),
  ]);
  child.kill("SIGTERM");
  await child;
  expect(await countSessions(database)).toBe(sent);
  for (const { backup, before, after } of reports) {
    const sessions = await countSessions(backup);
    expect(sessions).toBeGreaterThanOrEqual(before);
    // One request may be stored and not yet acknowledged.
    expect(sessions).toBeLessThanOrEqual(after + 1);
  }
});

test("two servers that upgrade a database at once keep one copy of the old schema", async () => {
  const folder = freshFolder();
  const database = join(folder, "play.db");
  writeFile030(database);
  const servers = await Promise.all([1, 2].map(() => startServer(["--port", "0", "--database", database])));
  for (const { child } of servers) {
    child.kill("SIGTERM");
    await child;
  }
  const copy = `${database}.schema-030.bak`;
  const connection = await openConnection(copy, { durability: "NORMAL", readOnly: true });
  expect(connection.prepare("select count(*) as rows from kysely_migration").get()).toMatchObject({
    rows: 30,
  });
  connection.close();
  expect(readdirSync(folder).filter((name) => name.includes(".tmp"))).toEqual([]);
  expect(await countSessions(database)).toBe(2);
});

test("a server says what the demo prepares before it is ready", async () => {
  const child = playtest(["server", "start", "--demo", "--port", "0", "--json"]);
  const first = await new Promise<string>((resolve, reject) => {
    child.stderr?.once("data", (chunk) => resolve(String(chunk)));
    child.stdout?.once("data", () => reject(new Error("The server was ready first")));
  });
  expect(first).toBe("Preparing the demo games ember and tidepool, and analyzing their sessions.\n");
  child.kill("SIGKILL");
  await child;
  expect(existsSync("play.db")).toBe(false);
});
