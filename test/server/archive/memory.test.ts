/** The memory of an export and an import does not depend on the size of the archive. */
import { appendFileSync, copyFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, it } from "vitest";
import type { Io } from "../../../src/cli/io.ts";
import { readLines } from "../../../src/cli/telemetry-files/lines.ts";
import { readColumns } from "../../../src/server/archive/archive-queries.ts";
import { restoreArchive } from "../../../src/server/archive/restore.ts";
import { writeArchive } from "../../../src/server/archive/writer.ts";
import { openStore, type Store } from "../../../src/server/db/open.ts";
import { engine, freshFolder, NOW, startTestService } from "../../harness.ts";
import { measureMemory } from "../../measure-memory.ts";

const SESSIONS = 20;
const never = new AbortController().signal;

/** Creates a database with some sessions and no other data of testers. */
async function createSessions(database: string): Promise<void> {
  const service = await startTestService({ database });
  await service.analysis.stop();
  await service.addGame("maze");
  const events = Array.from({ length: 50 }, (_, at) => ({
    ...{ id: `e${at}`, name: "note", timestamp: NOW - 60_000 + at },
  }));
  for (let session = 0; session < SESSIONS; session += 1) {
    const body = { gameId: "maze", clientSessionId: `s${session}`, events };
    expect((await service.post("/api/telemetry", body)).status).toBe(202);
  }
  await service.stop();
}

/** Copies all sessions with their events, and adds vectors of 40 kB. */
async function grow({ readDb, writeDb }: Store, copies: number): Promise<void> {
  const copy = sql`with recursive copy(n) as (select 2 union all select n + 1 from copy where n < ${copies})`;
  for (const table of ["sessions", "event_batches"] as const) {
    const columns = await readColumns(readDb, table);
    const values = columns.map((name) =>
      ["id", "session_id", "client_session_id"].includes(name)
        ? sql`${sql.ref(name)} || '-' || copy.n`
        : sql.ref(name),
    );
    await sql`
      insert into ${sql.table(table)} (${sql.join(columns.map((name) => sql.ref(name)))})
      ${copy} select ${sql.join(values)} from ${sql.table(table)}, copy
    `.execute(writeDb);
  }
  await sql`
    insert into embeddings (account_id, hash, vector, created_at)
    ${copy} select accounts.id, '-' || (copy.n * 20 + part.value), randomblob(40000), 0
    from accounts, copy, json_each('[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19]') as part
  `.execute(writeDb);
}

/** The most memory in use while an archive of a database is exported and imported. Measures it a few times. */
async function measureMove(sessions: string, copies: number): Promise<{ megabytes: number; peak: number }> {
  const folder = freshFolder();
  const archive = join(folder, "a.gz");
  let [peak, megabytes, next] = [0, 0, 0];
  const measureAt = async (bytes: number) => {
    if (bytes < next) return;
    peak = Math.max(peak, await measureMemory());
    next += copies * 200_000;
  };
  copyFileSync(sessions, join(folder, "from.db"));
  const from = await openStore({ database: join(folder, "from.db"), durability: "OFF" });
  await grow(from, copies);
  const sink = async (chunk: Uint8Array) => {
    appendFileSync(archive, chunk);
    await measureAt(statSync(archive).size);
  };
  await writeArchive(from, sink, { now: NOW, signal: never, onTable: async () => {} });
  await from.close();
  next = 0;
  const lines = async function* () {
    for await (const line of readLines("a.gz", { cwd: folder } as Io)) {
      megabytes += line.text.length / 1e6;
      await measureAt(megabytes * 1e6);
      yield line;
    }
  };
  const to = await openStore({ database: join(folder, "to.db"), durability: "OFF" });
  const onStep = async (step: string) => {
    if (step === "Checking events") await measureAt(next);
  };
  const source = { source: "a.gz", path: archive, header: "a", lines: lines() };
  await restoreArchive(to, source, { signal: never, now: NOW, onStep });
  await to.close();
  return { megabytes, peak };
}

/** The archive is read and written by the same code on every engine. */
it.runIf(engine === "sqlite")("uses no more memory for an archive that is six times as large", async () => {
  const sessions = join(freshFolder(), "sessions.db");
  await createSessions(sessions);
  await measureMove(sessions, 2);
  const [small, large] = [await measureMove(sessions, 10), await measureMove(sessions, 60)];
  expect(small.megabytes).toBeGreaterThan(9);
  expect(large.megabytes).toBeGreaterThan(5.5 * small.megabytes);
  expect(large.peak).toBeLessThan(small.peak + 8 * 2 ** 20);
});
