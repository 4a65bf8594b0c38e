/** Archives of older versions: they are upgraded while they are imported, to either engine. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { parseHeader } from "../../../src/server/archive/format.ts";
import { withCurrentArchive } from "../../../src/server/archive/older.ts";
import { restoreArchive } from "../../../src/server/archive/restore.ts";
import { openStore, type Store } from "../../../src/server/db/open.ts";
import { startService } from "../../../src/server/start.ts";
import { isSharded } from "../../engine.ts";
import { FIRST_RELEASE_KEY, firstArchive, writeFirstDatabase } from "../../fixtures/first-release.ts";
import { freshFolder, NOW, send } from "../../harness.ts";
import { emptyStore, exportArchive, filledTables, reseal, restoreLines } from "./archives.ts";

const lines = gunzipSync(readFileSync(firstArchive)).toString("utf8").trimEnd().split("\n");

/** Imports an archive of an older version. */
async function importOlder(store: Store, content: readonly string[]) {
  const header = parseHeader(content[0] ?? "", "first.gz");
  if (!header) throw new Error("The archive has no header");
  const numbered = async function* () {
    for (const [index, text] of content.entries()) yield { number: index + 1, text };
  };
  const options = { signal: new AbortController().signal, now: NOW, onStep: async () => {} };
  const archive = { source: "first.gz", lines: numbered() };
  return await withCurrentArchive(header, archive, options, (current) =>
    restoreArchive(store, current, options),
  );
}

test("an archive of the first release is imported, and serves its data with its own keys", async () => {
  const store = await emptyStore();
  const { rows } = await importOlder(store, lines);
  expect(rows).toBeGreaterThan(70);
  const { app, stop } = await startService({ store, dependencies: { now: () => NOW } });
  const get = async (path: string) =>
    (await send(app, path, { headers: { authorization: `Bearer ${FIRST_RELEASE_KEY}` } })).json;
  expect((await get("/api/v1/games")).games).toMatchObject([{ slug: "ember" }]);
  expect((await get("/api/v1/sessions?game=ember")).total).toBe(4);
  expect((await get("/api/v1/heatmaps/ember?source=typescript-telemetry")).rooms).toHaveLength(2);
  await stop();
});

test("an archive gives the same database as the upgraded database file of the same data", async () => {
  const file = `${freshFolder()}/studio.db`;
  writeFirstDatabase(file);
  const upgraded = await openStore({ database: file });
  const store = await emptyStore();
  await importOlder(store, lines);
  // On a cluster, the counters of accounts have a row per game, so the upgraded file is compared after a move to it.
  const moved = isSharded ? await emptyStore() : upgraded;
  if (isSharded) await restoreLines(moved, (await exportArchive(upgraded)).lines);
  expect((await exportArchive(store)).lines).toEqual((await exportArchive(moved)).lines);
  for (const opened of new Set([store, upgraded, moved])) await opened.close();
});

test("a damaged archive of an older version is refused with its line, and nothing is imported", async () => {
  const store = await emptyStore();
  const at = lines.findIndex((line) => line.startsWith('{"table":"games"')) + 1;
  const changed = lines.map((line, index) => (index === at ? line.replace("ember", "amber") : line));
  await expect(importOlder(store, changed)).rejects.toThrow(/first\.gz is damaged at line \d+/);
  await expect(importOlder(store, lines.slice(0, -1))).rejects.toThrow(/damaged at its end/);
  const gap = reseal([(lines[0] ?? "").replace('"005-providers",', ""), ...lines.slice(1)]);
  await expect(importOlder(store, gap)).rejects.toThrow("the list of migrations is incomplete");
  expect(await filledTables(store)).toEqual([]);
  await store.close();
});
