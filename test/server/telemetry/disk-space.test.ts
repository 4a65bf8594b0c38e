/** The space that stored batches take with their indexes, compared with what zlib makes of their JSON. Positions are left out. */
import { deflateSync } from "node:zlib";
import { sql } from "kysely";
import { afterEach, expect, it } from "vitest";
import { createBody, GAME } from "../../../bench/telemetry.ts";
import { engine, freshFolder, startTestService, type TestService } from "../../harness.ts";

/** The most bytes for one byte that zlib makes of the JSON at level 6. */
const MAX_RATIO = 1.3;
const HOUR = 3600_000;

let service: TestService;
afterEach(() => service.stop());

async function measureBatches(): Promise<number> {
  const { readDb } = service.service.store;
  const { rows } = await sql<{ bytes: number }>`
    select sum(pgsize) as bytes from dbstat where name in
      (select name from sqlite_schema where tbl_name = 'event_batches')`.execute(readDb);
  return Number(rows[0]?.bytes);
}

/** Plays sessions, and analyzes them as soon as they are over, while others play. */
async function play(sessions: number, bodies: number, events: number): Promise<number> {
  let bytes = 0;
  for (let session = 0; session < sessions; session += 1) {
    for (let part = 0; part < bodies; part += 1) {
      const body = createBody(`session-${session}`, part, 0, events);
      bytes += deflateSync(JSON.stringify(body.events)).length;
      expect((await service.post("/api/telemetry", body)).status).toBe(202);
    }
    if (session % 10 === 9) {
      service.clock.now += HOUR;
      await service.analysis.drain();
    }
  }
  return bytes;
}

it.runIf(engine === "sqlite").each([
  [500, 4, 20],
  [100, 10, 20],
  [50, 20, 20],
])("is at most 1.3 times as much for batches of %d events", async (events, bodies, sessions) => {
  service = await startTestService({ database: `${freshFolder()}/play.db` });
  await service.addGame(GAME);
  const bytes = await play(sessions, bodies, events);
  expect(await measureBatches()).toBeLessThanOrEqual(MAX_RATIO * bytes);
  expect(service.faults).toEqual([]);
});
