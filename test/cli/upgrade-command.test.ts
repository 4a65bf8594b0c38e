/** Tests of server upgrade: what it shows before an upgrade, and what it changes. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { ANALYSIS_VERSION } from "../../src/server/analysis/version.ts";
import { readSchemaVersion } from "../../src/server/db/migrate.ts";
import { migrations } from "../../src/server/db/migrations/index.ts";
import { readDatabase } from "../../src/server/db/open.ts";
import { createDatabase030 } from "../fixtures/schema-030.ts";
import { engine, freshFolder, NOW, openTestStore, runCli } from "../harness.ts";
import { body, events, record } from "./telemetry-files.ts";

let home: string;
let cwd: string;
beforeEach(() => {
  [home, cwd] = [freshFolder(), freshFolder()];
});

const server = (...argv: readonly string[]) => runCli(["server", ...argv], { home, cwd, columns: 200 });

async function upgrade(database: string, ...more: readonly string[]) {
  const run = await server("upgrade", "--database", database, "--json", ...more);
  expect([run.code, run.err === "" || run.err.startsWith("Updating the database")]).toEqual([0, true]);
  return JSON.parse(run.out);
}

test("shows the migrations of an older database without applying them, and then applies them", async () => {
  const database = await createDatabase030(join(cwd, "old.db"));
  const readMigrations = () => readDatabase(database, (db) => readSchemaVersion(db, database));
  const before = await readMigrations();
  const planned = await upgrade(database, "--dry-run");
  expect(planned).toMatchObject({ dryRun: true, migrations: Object.keys(migrations) });
  expect(planned.outdated).toMatchObject([{ kind: "sessions", recomputed: 2, kept: 0 }, {}, {}, {}, {}]);
  expect(await readMigrations()).toEqual(before);
  expect(await upgrade(database)).toMatchObject({ dryRun: false, migrations: planned.migrations });
  expect(await readMigrations()).toEqual(Object.keys(migrations));
  if (engine === "sqlite") expect(readdirSync(cwd)).toContain("old.db.schema-030.bak");
  expect(await upgrade(database)).toMatchObject({ migrations: [], outdated: planned.outdated });
});

test("counts the values of older rules, and those that are kept", async () => {
  const bodies = ["a", "b", "c"].map((id) =>
    body(id, events(3), { startedAt: NOW - 3_600_000, sessionEnded: true }),
  );
  record(cwd, "play.ndjson", bodies);
  const path = join(cwd, "studio.db");
  await server("import", "play.ndjson", "--create-games", "--database", path);
  const store = await openTestStore(path);
  const [first] = await store.readDb.selectFrom("sessions").select(["id"]).orderBy("id").execute();
  const counts = async (...argv: readonly string[]) => (await upgrade(path, ...argv)).outdated[0];
  expect(await counts("--dry-run")).toEqual({ kind: "sessions", recomputed: 0, kept: 0 });
  await store.writeDb
    .updateTable("sessions")
    .set({ analysis_version: ANALYSIS_VERSION - 1 })
    .execute();
  await store.writeDb
    .updateTable("sessions")
    .set({ events_pruned_at: NOW })
    .where("id", "=", first?.id ?? "")
    .execute();
  expect(await counts("--dry-run")).toEqual({ kind: "sessions", recomputed: 2, kept: 1 });
  const { out } = await server("upgrade", "--database", path, "--dry-run");
  expect(out).toContain("has the current schema. Values of older rules:");
  expect(out).toMatch(/sessions +2 +1/);
  await store.close();
});

test("refuses a database that does not exist", async () => {
  const run = await server("upgrade", "--database", join(cwd, "none.db"));
  expect([run.code, run.err]).toEqual([3, expect.stringContaining("not found")]);
});
