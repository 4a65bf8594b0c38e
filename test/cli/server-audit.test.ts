/** What server backup, restore and import add to the audit. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { releaseDatabases } from "../collect-garbage.ts";
import { freshFolder, NOW, runCli } from "../harness.ts";

let home: string;
let clock: { now: number };
beforeEach(async () => {
  home = freshFolder();
  clock = { now: NOW };
  await run("admin", "games", "create", "ember", "--database", "studio.db");
});

async function run(...argv: string[]): Promise<string> {
  await releaseDatabases();
  // Rows of the same millisecond have no order.
  clock.now += 1;
  const { code, out, err } = await runCli([...argv, "--json"], { home, clock });
  expect([code, err.replace(/^Created the database .*\n/, "")]).toEqual([0, ""]);
  return out;
}

/** The audit of a database without the creation of the game, oldest first. */
async function readAudit(database: string) {
  const { items } = JSON.parse(await run("admin", "audit", "list", "--database", database));
  const [created, ...rows] = items.reverse();
  expect(created.action).toBe("games.create");
  return rows.map(({ action, actor, target, detail }: Record<string, unknown>) => ({
    ...{ action, actor, target, detail },
  }));
}

const operator = { actor: "operator", target: null };

test("an import of telemetry adds a row, unless it stores nothing new", async () => {
  const events = [{ id: "e1", name: "jump", timestamp: NOW - 60_000 }];
  const line = { gameId: "ember", clientSessionId: "one", deviceId: "dev_1", events };
  writeFileSync(join(home, "play.ndjson"), `${JSON.stringify(line)}\n`);
  for (let time = 0; time < 2; time += 1)
    await run("server", "import", "play.ndjson", "--database", "studio.db");
  expect(await readAudit("studio.db")).toEqual([
    { ...operator, action: "server.import", detail: { files: 1, events: 1 } },
  ]);
});

test("an imported archive keeps the audit of the exported database, and adds no row", async () => {
  await run("server", "export", "studio.gz", "--database", "studio.db");
  await run("server", "import", "studio.gz", "--database", "copy.db");
  expect(await readAudit("copy.db")).toEqual([]);
});

test("a backup only reads, and adds no row", async () => {
  await run("server", "backup", "--out", "backups", "--database", "studio.db");
  expect(await readAudit("studio.db")).toEqual([]);
});

test("a restore adds a row to the audit of the backup", async () => {
  const { backup } = JSON.parse(await run("server", "backup", "--out", "backups", "--database", "studio.db"));
  await run("server", "export", "studio.gz", "--database", "studio.db");
  for (const file of [backup, "studio.gz"]) {
    await run("server", "restore", file, "--database", "studio.db", "--yes");
    const detail = { backup: file.split("/").at(-1), erasedRows: 0 };
    expect(await readAudit("studio.db")).toEqual([{ ...operator, action: "server.restore", detail }]);
  }
});
