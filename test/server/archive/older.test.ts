/** Archives of older versions: they are upgraded while they are imported, to either engine. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { parseHeader } from "../../../src/server/archive/format.ts";
import { withCurrentArchive } from "../../../src/server/archive/older.ts";
import { type Archive, restoreArchive } from "../../../src/server/archive/restore.ts";
import { migrations } from "../../../src/server/db/migrations/index.ts";
import { openStore, type Store } from "../../../src/server/db/open.ts";
import { startService } from "../../../src/server/start.ts";
import { openTestStore } from "../../engine.ts";
import { archive030, SCHEMA_030_KEY, writeFile030 } from "../../fixtures/schema-030.ts";
import { freshFolder, NOW, send } from "../../harness.ts";
import { nextMigrations } from "../db/second-migration.ts";
import { emptyStore, exportArchive, filledTables, reseal, toArchive } from "./archives.ts";

const lines = gunzipSync(readFileSync(archive030)).toString("utf8").trimEnd().split("\n");

/** Imports an archive of an older version. */
async function importOlder(store: Store, content: readonly string[], known = migrations) {
  const header = parseHeader(content[0] ?? "", "older.gz");
  if (!header) throw new Error("The archive has no header");
  const options = { signal: new AbortController().signal, now: NOW, onStep: async () => {} };
  const restore = (current: Archive) => restoreArchive(store, current, options);
  return await withCurrentArchive(header, toArchive(content, "older.gz"), options, restore, known);
}

test("an archive of the last development version is imported, and serves its data with its own keys", async () => {
  const store = await emptyStore();
  const { rows } = await importOlder(store, lines);
  expect(rows).toBe(48);
  const { app, stop } = await startService({ store, dependencies: { now: () => NOW } });
  const get = async (path: string) =>
    (await send(app, path, { headers: { authorization: `Bearer ${SCHEMA_030_KEY}` } })).json;
  expect((await get("/api/v1/games")).games).toMatchObject([{ slug: "ember-game" }]);
  expect((await get("/api/v1/sessions?game=ember-game")).total).toBe(2);
  expect((await get("/api/v1/heatmaps/ember-game?source=unity-telemetry")).rooms).toHaveLength(1);
  await stop();
});

test("an archive gives the same database as the converted database file of the same data", async () => {
  const file = `${freshFolder()}/studio.db`;
  writeFile030(file);
  const converted = await openStore({ database: file });
  const store = await emptyStore();
  await importOlder(store, lines);
  expect((await exportArchive(store)).lines).toEqual((await exportArchive(converted)).lines);
  for (const opened of [store, converted]) await opened.close();
});

test("an archive of the version before is upgraded by the next migration", async () => {
  const current = await emptyStore();
  await importOlder(current, lines);
  const exported = (await exportArchive(current)).lines;
  for (const older of [lines, exported]) {
    const store = await openTestStore(`${freshFolder()}/next.db`, { migrations: nextMigrations });
    await importOlder(store, older, nextMigrations);
    const { rows } = await sql<object>`select slug, mood from games`.execute(store.readDb);
    expect(rows).toEqual([{ slug: "ember-game", mood: null }]);
    const [header] = (await exportArchive(store)).lines;
    expect(JSON.parse(header ?? "").migrations).toEqual(Object.keys(nextMigrations));
    await store.close();
  }
  await current.close();
});

test("a damaged archive of an older version is refused with its line, and nothing is imported", async () => {
  const store = await emptyStore();
  const at = lines.findIndex((line) => line.startsWith('{"table":"games"')) + 1;
  const changed = lines.map((line, index) => (index === at ? line.replace("ember", "amber") : line));
  await expect(importOlder(store, changed)).rejects.toThrow(/older\.gz is damaged at line \d+/);
  await expect(importOlder(store, lines.slice(0, -1))).rejects.toThrow(/damaged at its end/);
  const gap = reseal([
    (lines[0] ?? "").replace(/"migrations":\[.*?\]/, '"migrations":["999-mood"]'),
    ...lines.slice(1),
  ]);
  await expect(importOlder(store, gap, nextMigrations)).rejects.toThrow(
    "the list of migrations is incomplete",
  );
  expect(await filledTables(store)).toEqual([]);
  await store.close();
});

test("an archive of an early development version is refused with the way out", async () => {
  const store = await emptyStore();
  const early = [(lines[0] ?? "").replace(/,"013-[^\]]*/, ""), ...lines.slice(1)];
  await expect(importOlder(store, early)).rejects.toMatchObject({
    code: "unusable",
    message: "older.gz is of an early development version of playtest (migration 012-event-totals)",
    hint: expect.stringContaining("Check out commit 3613cebd of playtest, and import and export the archive"),
  });
  await store.close();
});
