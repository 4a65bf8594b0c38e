/** Interrupted imports into a SQLite file continue, and no other command opens the part that is stored. */
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { insertRows } from "../../../src/server/archive/archive-queries.ts";
import { restoreArchive } from "../../../src/server/archive/restore.ts";
import { openStore, readDatabase, type Store } from "../../../src/server/db/open.ts";
import type { Erasures } from "../../../src/server/erasure/erase-again-queries.ts";
import { startService } from "../../../src/server/start.ts";
import { freshFolder, NOW, startTestService } from "../../harness.ts";
import fc, { times } from "../../property.ts";
import { makeWorld } from "../sample-requests.ts";
import { exportArchive, filledTables, restoreLines, toArchive } from "./archives.ts";

let lines: string[];
let newer: string[];
beforeAll(async () => {
  const service = await startTestService();
  await makeWorld(service, service, "moved");
  // Several parts of one table.
  const { writeDb } = service.service.store;
  const columns = ["account_id", "hash", "vector", "created_at"];
  const row = (at: number) => [service.accountId, `hash-${at}`, new Uint8Array(8), at];
  for (let first = 0; first < 4000; first += 500)
    await insertRows(
      writeDb,
      "embeddings",
      columns,
      Array.from({ length: 500 }, (_, at) => row(first + at)),
    );
  ({ lines } = await exportArchive(service.service.store));
  newer = lines.map((line, at) => (at === 0 ? line.replace(/"createdAt":"2/, '"createdAt":"3') : line));
  await service.stop();
});

const open = (database: string): Promise<Store> => openStore({ database, continuesImport: true });

/** Imports until a line is read. Returns the line after which it continued, or 0. */
async function importUntil(
  database: string,
  last: number,
  erasures: Erasures | null = null,
): Promise<number> {
  const controller = new AbortController();
  const store = await open(database);
  let continued = 0;
  const archive = toArchive(lines, "studio.gz");
  const read = async function* () {
    for await (const line of archive.lines) {
      if (line.number > last) controller.abort(new Error("interrupted"));
      yield line;
    }
  };
  const run = restoreArchive(
    store,
    { ...archive, lines: read() },
    {
      ...{ signal: controller.signal, now: NOW, erasures, onStep: async () => {} },
      onContinue: async (line) => {
        continued = line;
      },
    },
  );
  await (last < lines.length ? expect(run).rejects.toThrow("interrupted") : run);
  await store.close();
  return continued;
}

test("an import that is interrupted at any lines ends with the same database", async () => {
  const whole = join(freshFolder(), "whole.db");
  await importUntil(whole, lines.length);
  const store = await openStore({ database: whole });
  const { sum } = await exportArchive(store);
  await store.close();
  expect(sum.rows).toBeGreaterThan(4000);
  const moments = fc.array(fc.nat(lines.length - 1), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(moments, async (interruptions) => {
      const database = join(freshFolder(), "parts.db");
      let stored = 0;
      for (const last of [...interruptions.toSorted((a, b) => a - b), lines.length]) {
        const continued = await importUntil(database, last);
        expect(continued).toBeGreaterThanOrEqual(stored);
        stored = continued;
      }
      // Everything is stored except the last parts before an interruption.
      expect(stored).toBeGreaterThanOrEqual(Math.max(...interruptions) - 1600);
      const finished = await openStore({ database });
      expect((await exportArchive(finished)).sum).toEqual(sum);
      await finished.close();
    }),
    { numRuns: times(6) },
  );
});

test("no command opens a part of a database, and its error shows how to continue or discard it", async () => {
  const database = join(freshFolder(), "part.db");
  await importUntil(database, lines.length - 10);
  const refusal = {
    code: "unusable",
    message: `The database ${database} is incomplete: the import of /archives/studio.gz has not finished`,
    hint: `Continue it with \`playtest server import /archives/studio.gz --database ${database}\`, or discard it with \`playtest server reset --database ${database}\`.`,
  };
  await expect(openStore({ database })).rejects.toMatchObject(refusal);
  await expect(readDatabase(database, async () => {})).rejects.toMatchObject(refusal);
  // Its schema must not be updated either.
  const migrations = { ...(await import("../../../src/server/db/migrations/index.ts")).migrations };
  const later = { ...migrations, "999-later": { up: async () => {} } };
  const updated = openStore({ database, continuesImport: true, migrations: later });
  await expect(updated).rejects.toMatchObject({
    ...refusal,
    hint: expect.stringContaining(" and the version of playtest that began it, or discard it"),
  });
  const store = await open(database);
  await expect(restoreLines(store, newer)).rejects.toMatchObject(refusal);
  await store.close();
  expect(await importUntil(database, lines.length)).toBeGreaterThan(4000);
});

test("a server that has opened an empty file writes nothing once an import has begun", async () => {
  // Before its first row, after the first tables, and near its end.
  for (const last of [1, 20, lines.length - 10]) {
    const database = join(freshFolder(), "both.db");
    const store = await openStore({ database });
    await importUntil(database, last);
    await expect(startService({ store })).rejects.toMatchObject({
      message: `The database ${database} is incomplete: the import of /archives/studio.gz has not finished`,
    });
    await importUntil(database, lines.length);
  }
});

test("an import writes nothing into the file of a server that has begun", async () => {
  const database = join(freshFolder(), "both.db");
  const importing = await open(database);
  const { service, stop } = await startService({ store: await openStore({ database }) });
  await expect(restoreLines(importing, lines)).rejects.toMatchObject({
    message: expect.stringContaining(`The database ${database} is not empty`),
  });
  expect(await filledTables(service.store)).toEqual(["secrets"]);
  await importing.close();
  await stop();
});

test("an import that erases again cannot continue without --erasures-from", async () => {
  const database = join(freshFolder(), "it's a part.db");
  const nobody: Erasures = { secrets: [], tombstones: [] };
  await importUntil(database, lines.length - 10, nobody);
  const store = await open(database);
  const quoted = `'${database.replaceAll("'", "'\\''")}'`;
  await expect(restoreLines(store, lines)).rejects.toMatchObject({
    hint: expect.stringContaining(`/archives/studio.gz --erasures-from <archive> --database ${quoted}\``),
  });
  await store.close();
  expect(await importUntil(database, lines.length, nobody)).toBeGreaterThan(4000);
});

test("a damaged archive leaves an empty database, whatever was stored before", async () => {
  const database = join(freshFolder(), "damaged.db");
  await importUntil(database, lines.length - 10);
  const store = await open(database);
  await expect(restoreLines(store, lines.slice(0, -1))).rejects.toThrow("studio.gz is damaged at its end");
  expect(await filledTables(store)).toEqual([]);
  await store.close();
  expect(await importUntil(database, lines.length)).toBe(0);
});

test("rows that cannot be written are imported by the next run", async () => {
  const database = join(freshFolder(), "full.db");
  const store = await open(database);
  let writes = 0;
  const failing: Store = {
    ...store,
    write: (work) => {
      writes += 1;
      return writes === 5 ? Promise.reject(new Error("database or disk is full")) : store.write(work);
    },
  };
  await expect(restoreLines(failing, lines)).rejects.toMatchObject({
    message: `Cannot write to the database ${database}: the disk is full`,
    hint: "Fix the problem and run the command again.",
  });
  await store.close();
  expect(await importUntil(database, lines.length)).toBeGreaterThan(1);
});

test("of two imports that continue at the same time, one ends with an error", async () => {
  const database = join(freshFolder(), "both.db");
  await importUntil(database, lines.length - 2000);
  const stores = [await open(database), await open(database)];
  const both = await Promise.allSettled(stores.map((store) => restoreLines(store, lines)));
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  for (const store of stores) await store.close();
  const store = await openStore({ database });
  expect((await filledTables(store)).includes("embeddings")).toBe(true);
  await store.close();
});
