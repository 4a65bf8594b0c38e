/** Memory use of ingest. It is limited by the stored events and does not grow over time. */
import { afterEach, expect, it } from "vitest";
import { startTestService, type TestService } from "../harness.ts";
import { measureMemory } from "../measure-memory.ts";

let service: TestService;
afterEach(() => service.stop());

const EVENTS = 1000;

async function send(session: string, part: number): Promise<void> {
  const events = Array.from({ length: EVENTS }, (_, at) => ({
    id: `00000000-0000-4000-8000-${String(part * EVENTS + at).padStart(12, "0")}`,
    name: `action_${at % 20}`,
    timestamp: 1_772_000_000_000 + part * EVENTS + at,
  }));
  const { status } = await service.post("/api/telemetry", {
    gameId: "maze",
    clientSessionId: session,
    events,
  });
  expect(status).toBe(202);
}

it("uses at most 40 bytes of memory for each stored event", async () => {
  service = await startTestService({ database: ":memory:" });
  await service.analysis.stop();
  await service.addGame("maze");
  for (let part = 0; part < 20; part += 1) await send("warm", part);
  const before = await measureMemory();
  for (let part = 0; part < 200; part += 1) await send("long", part);
  expect(((await measureMemory()) - before) / (200 * EVENTS)).toBeLessThan(40);
});

it("uses no additional memory for batches that are already stored", async () => {
  service = await startTestService();
  await service.analysis.stop();
  await service.addGame("maze");
  for (let part = 0; part < 20; part += 1) await send("one", part);
  const before = await measureMemory();
  for (let n = 0; n < 200; n += 1) await send("one", n % 20);
  expect(((await measureMemory()) - before) / (200 * EVENTS)).toBeLessThan(5);
});
