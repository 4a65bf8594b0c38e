/** Damaged database files: they are refused with their name and a hint, or serve what is still readable, without a crash. */
import { copyFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServiceError } from "../../src/server/core/errors.ts";
import { openConnection } from "../../src/server/db/sqlite.ts";
import { freshFolder, startTestService, type TestService } from "../harness.ts";
import { seed } from "../property.ts";
import { createRandom } from "../random.ts";
import { readEventIds } from "./recount.ts";

const FLIPS = process.env.PLAYTEST_FAULTS === "long" ? 300 : 12;
const SESSIONS = 12;
const PAGE = 4096;

let intact: Buffer;
let first: TestService;

const createBody = (n: number, part = 0) => ({
  gameId: "maze",
  clientSessionId: `s${n}`,
  deviceId: `d${n % 3}`,
  source: "unity-telemetry",
  sessionEnded: true,
  events: Array.from({ length: 200 }, (_, at) => ({
    id: `e${n}-${part}-${at}`,
    name: at % 2 ? "player_pos" : `step-${at % 9}`,
    timestamp: 1_772_000_000_000 + at,
    data: { x: Math.sin(at + n), y: Math.cos(at * n), room: `room-${at % 3}` },
  })),
});

beforeAll(async () => {
  const database = join(freshFolder(), "play.db");
  first = await startTestService({ database });
  await first.addGame("maze");
  for (let n = 0; n < SESSIONS; n += 1) await first.post("/api/telemetry", createBody(n));
  await first.analysis.drain();
  await first.stop();
  intact = readFileSync(database);
});
afterAll(async () => void (await first.stop().catch(() => {})));

/** Starts a service on a file with these bytes. Returns the service, or the error if it refuses the file. */
async function serveBytes(bytes: Buffer): Promise<{ database: string; service: TestService | ServiceError }> {
  const database = join(freshFolder(), "play.db");
  writeFileSync(database, bytes);
  const service = await startTestService({ database, continues: first }).catch((error: unknown) => {
    if (error instanceof ServiceError) return error;
    throw error;
  });
  return { database, service };
}

function expectRefused(error: ServiceError, database: string): void {
  expect([error.code, error.message, error.hint]).toEqual([
    "unusable",
    expect.stringContaining(
      `Cannot open the database ${database}: it is not a playtest database, or it is damaged`,
    ),
    expect.stringContaining("move this file away"),
  ]);
}

describe("a truncated file", () => {
  it.each([99, 100, 511, PAGE, PAGE + 1, 10 * PAGE, -10 * PAGE, -PAGE])(
    "is refused at %i bytes",
    async (at) => {
      const bytes = intact.subarray(0, at < 0 ? intact.length + at : at);
      const { database, service } = await serveBytes(bytes);
      expect(service).toBeInstanceOf(ServiceError);
      expectRefused(service as ServiceError, database);
      expect(readFileSync(database).equals(bytes)).toBe(true);
    },
  );
});

it.each([16, 100, PAGE])("a file with its first %i bytes zeroed is refused", async (length) => {
  const bytes = Buffer.from(intact);
  bytes.fill(0, 0, length);
  const { database, service } = await serveBytes(bytes);
  expect(service).toBeInstanceOf(ServiceError);
  expectRefused(service as ServiceError, database);
});

it(
  `a file with a corrupt page is refused, or stores nothing once the damage is known, and never answers with wrong data (PLAYTEST_SEED=${seed})`,
  async () => {
    const random = createRandom(seed);
    let [refused, faulty] = [0, 0];
    for (let nth = 0; nth < FLIPS; nth += 1) {
      const bytes = Buffer.from(intact);
      const page = 1 + Math.floor(random() * (intact.length / PAGE - 1));
      for (let at = 0; at < PAGE; at += 1) bytes[page * PAGE + at] = Math.floor(random() * 256);
      const { database, service } = await serveBytes(bytes);
      if (service instanceof ServiceError) {
        expectRefused(service, database);
        refused += 1;
        continue;
      }
      for (const path of [
        "games",
        "sessions?limit=100",
        "events/maze",
        "heatmaps/maze",
        "insights",
        "builds/maze/unknown",
      ]) {
        const { status, json } = await service.get(`/api/v1/${path}`);
        expect([200, 500]).toContain(status);
        if (status === 500) expect(json).toEqual({ error: "Internal error" });
        if (status === 500) faulty += 1;
      }
      const { isDamaged } = service.service.integrity;
      const { status } = await service.post("/api/telemetry", createBody(nth % SESSIONS, 1));
      expect(isDamaged ? [500, 503] : [202, 500]).toContain(status);
      if (status === 202) {
        const stored = await readEventIds(service.service.store).catch(() => null);
        if (stored) expect(stored).toContain(`e${nth % SESSIONS}-1-7`);
      }
      await service.analysis.drain();
      await service.stop();
      expect(existsSync(database)).toBe(true);
    }
    expect(refused + faulty).toBeGreaterThan(0);
  },
  60_000 + FLIPS * 1000,
);

describe("a damaged write-ahead log", () => {
  /** Creates a database whose last bodies are only in the log, as after a kill. */
  async function withLog(): Promise<{ database: string; before: string[] }> {
    const database = join(freshFolder(), "play.db");
    writeFileSync(database, intact);
    const service = await startTestService({ database, continues: first });
    const before = await readEventIds(service.service.store);
    for (let n = 0; n < SESSIONS; n += 1) await service.post("/api/telemetry", createBody(n, 2));
    const copy = join(freshFolder(), "play.db");
    for (const part of ["", "-wal"]) copyFileSync(database + part, copy + part);
    await service.stop();
    return { database: copy, before };
  }

  it.each([
    ["truncated", (path: string) => truncateSync(path, 60_000)],
    ["corrupt in the middle", (path: string) => corruptBytes(path, 60_000)],
    ["without its header", (path: string) => corruptBytes(path, 0)],
  ])("%s: keeps complete batches before the damage, and the service continues", async (_, damage) => {
    const { database, before } = await withLog();
    damage(`${database}-wal`);
    const service = await startTestService({ database, continues: first });
    const ids = await readEventIds(service.service.store);
    // Batches are kept completely or not at all, in the order in which they were sent.
    const sent = Array.from({ length: SESSIONS }, (_, n) =>
      createBody(n, 2).events.map(({ id }) => id),
    ).flat();
    expect(ids.sort()).toEqual([...before, ...sent.slice(0, ids.length - before.length)].sort());
    expect((ids.length - before.length) % 200).toBe(0);
    expect(ids.length).toBeLessThan(before.length + sent.length);
    for (let n = 0; n < SESSIONS; n += 1)
      expect((await service.post("/api/telemetry", createBody(n, 2))).status).toBe(202);
    expect((await readEventIds(service.service.store)).sort()).toEqual([...before, ...sent].sort());
    await service.stop();
    const connection = await openConnection(database, { durability: "NORMAL", readOnly: true });
    expect(connection.prepare("pragma integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
    connection.close();
  });
});

function corruptBytes(path: string, at: number): void {
  const bytes = readFileSync(path);
  for (let n = at; n < at + 64; n += 1) bytes[n] = (bytes[n] ?? 0) ^ 0x5a;
  writeFileSync(path, bytes);
}
