/** What ingest keeps in memory: bounded by what was sent, not by how long it took. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, expect, it } from "vitest";
import { startTestService, type TestService } from "../harness.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

let service: TestService;
afterEach(() => service.stop());

/** The bytes in use after everything that can go is gone. */
async function inUse(): Promise<number> {
  // Buffers that are let go are given back a while after.
  for (let n = 0; n < 4; n += 1) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const EVENTS = 1000;

async function send(session: string, part: number): Promise<void> {
  const events = Array.from({ length: EVENTS }, (_, at) => ({
    id: `00000000-0000-4000-8000-${String(part * EVENTS + at).padStart(12, "0")}`,
    name: `deed_${at % 20}`,
    timestamp: 1_772_000_000_000 + part * EVENTS + at,
  }));
  const { status } = await service.post("/api/telemetry", {
    gameId: "maze",
    clientSessionId: session,
    events,
  });
  expect(status).toBe(202);
}

it("an event that was stored leaves 40 bytes at most in memory", async () => {
  service = await startTestService({ database: ":memory:" });
  await service.analysis.stop();
  await service.addGame("maze");
  for (let part = 0; part < 20; part += 1) await send("warm", part);
  const before = await inUse();
  for (let part = 0; part < 200; part += 1) await send("long", part);
  expect(((await inUse()) - before) / (200 * EVENTS)).toBeLessThan(40);
});

it("batches that were stored before leave nothing", async () => {
  service = await startTestService();
  await service.analysis.stop();
  await service.addGame("maze");
  for (let part = 0; part < 20; part += 1) await send("one", part);
  const before = await inUse();
  for (let n = 0; n < 200; n += 1) await send("one", n % 20);
  expect(((await inUse()) - before) / (200 * EVENTS)).toBeLessThan(5);
});
