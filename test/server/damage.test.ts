/** A database file with damage in its middle: what the server reports, refuses and still answers. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { startMetrics } from "../../src/server/observability/metrics.ts";
import { findRootPage, overwritePages } from "../damage-file.ts";
import {
  engine,
  freshFolder,
  startTestService,
  type TestService,
  type TestServiceOptions,
} from "../harness.ts";
import { createEvents } from "./telemetry-helpers.ts";

const DAY_MS = 24 * 3_600_000;

let intact: Buffer;
let first: TestService;
let service: TestService | null = null;

beforeAll(async () => {
  const database = join(freshFolder(), "play.db");
  first = await startTestService({ database });
  await first.addGame("maze");
  for (let n = 0; n < 20; n += 1) await first.post("/api/telemetry", createBody(n));
  await first.analysis.drain();
  await first.stop();
  intact = engine === "sqlite" ? readFileSync(database) : Buffer.alloc(0);
});

afterEach(async () => {
  await service?.stop();
  service = null;
});

const createBody = (n: number) => ({
  gameId: "maze",
  clientSessionId: `session-${n}`,
  deviceId: `device-${n}`,
  sessionEnded: true,
  events: createEvents(["begin", "end"]),
});

/** Writes the intact database to a new file, in which the first page of a table or index may be damaged. */
async function writeCopy(damaged?: string): Promise<string> {
  const database = join(freshFolder(), "play.db");
  writeFileSync(database, intact);
  if (damaged !== undefined) await damage(database, damaged);
  return database;
}

async function damage(database: string, name: string): Promise<void> {
  overwritePages(database, await findRootPage(database, name));
}

async function start(database: string, options: TestServiceOptions = {}): Promise<TestService> {
  const clock = { now: first.clock.now, elapsed: 0 };
  service = await startTestService({ database, continues: first, clock, ...options });
  return service;
}

const probe = async (running: TestService) => {
  const { status, json } = await running.get("/readyz", { key: null });
  return [status, json.reason];
};

const REFUSED = {
  error: "The database is damaged, so nothing is stored until its operator has restored it",
  reason: "database_damaged",
  retryAfterMs: 60_000,
};

describe.skipIf(engine !== "sqlite")("a damaged database file", () => {
  it("is reported at start: readiness fails, telemetry gets 503, and reads of other tables go on", async () => {
    const running = await start(await writeCopy("insights"));
    expect(await probe(running)).toEqual([503, "database-damaged"]);
    const { status, json, headers } = await running.post("/api/telemetry", createBody(50));
    expect([status, json, headers.get("retry-after")]).toEqual([503, REFUSED, "60"]);
    expect((await running.get("/api/v1/games")).status).toBe(200);
    expect((await running.get("/healthz", { key: null })).status).toBe(200);
  });

  it("is logged once, without personal data", async () => {
    const running = await start(await writeCopy("insights"));
    for (let n = 0; n < 3; n += 1) {
      await running.post("/api/telemetry", createBody(n));
      await running.get("/api/v1/insights");
    }
    await running.service.keyUse.drain();
    await running.analysis.drain();
    await running.compaction.drain();
    const messages = running.faults.filter((fault) => typeof fault === "string");
    expect(messages.filter((message) => message.includes("database check"))).toHaveLength(1);
    expect(running.faults.map(String).join("\n")).toMatch(/damaged.*insights/);
    expect(running.faults.map(String).join("\n")).not.toContain("device-");
  });

  it("writes nothing more", async () => {
    const database = await writeCopy("insights");
    const before = readFileSync(database);
    const running = await start(database);
    await running.post("/api/telemetry", createBody(1));
    await running.analysis.drain();
    await running.stop();
    service = null;
    // The header counts transactions, also empty ones.
    expect(readFileSync(database).subarray(100).equals(before.subarray(100))).toBe(true);
  });

  it("is found by the daily check if the damage comes later", async () => {
    const database = await writeCopy();
    const running = await start(database);
    expect(await probe(running)).toEqual([200, undefined]);
    await running.databaseCheck.drain();
    const { integrity } = running.service;
    expect([integrity.checkedAt, integrity.isDamaged]).toEqual([running.clock.now, false]);
    await damage(database, "sessions_due");
    running.clock.elapsed = DAY_MS - 1;
    await running.databaseCheck.drain();
    expect(integrity.isDamaged).toBe(false);
    running.clock.elapsed = DAY_MS;
    await running.databaseCheck.drain();
    expect(integrity.isDamaged).toBe(true);
    expect(await probe(running)).toEqual([503, "database-damaged"]);
  });

  it("is found by any query that fails because of it", async () => {
    const database = await writeCopy();
    const running = await start(database);
    await damage(database, "insights");
    const { status } = await running.get("/api/v1/insights");
    expect(status).toBe(500);
    expect(await probe(running)).toEqual([503, "database-damaged"]);
    expect((await running.post("/api/telemetry", createBody(50))).status).toBe(503);
  });

  it("shows in the metrics", async () => {
    const metrics = startMetrics();
    const running = await start(await writeCopy(), { metrics: (scraped) => metrics.scrape(scraped) });
    const scrape = async () => (await running.get("/metrics", { key: null })).text;
    expect(await scrape()).toMatch(/^playtest_database_damaged 0$/m);
    expect(await scrape()).toMatch(/^playtest_database_check_timestamp_seconds 0$/m);
    await running.databaseCheck.drain();
    const seconds = running.clock.now / 1000;
    expect(await scrape()).toContain(`playtest_database_check_timestamp_seconds ${seconds}\n`);
    await running.stop();
    await start(await writeCopy("insights"), { metrics: (scraped) => metrics.scrape(scraped) });
    expect((await service?.get("/metrics", { key: null }))?.text).toMatch(/^playtest_database_damaged 1$/m);
    metrics.stop();
  });
});
