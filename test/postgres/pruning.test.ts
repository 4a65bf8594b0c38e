/** Two servers on one database that prune at the same time remove each session once. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { prune } from "../../src/server/pruning/prune.ts";
import { freshFolder, NOW, startTestService } from "../harness.ts";
import { createEvents, sendTelemetry } from "../server/telemetry-helpers.ts";

const DAY = 24 * 60 * 60 * 1000;
const SESSIONS = 70;

it("two servers prune each session once", async () => {
  const database = join(freshFolder(), "shared.db");
  const first = await startTestService({ database });
  const second = await startTestService({ database, continues: first });
  await first.addGame("maze");
  for (let n = 0; n < SESSIONS; n += 1) {
    const start = NOW - (100 + n) * DAY;
    const events = createEvents(["death", "player_pos"], start);
    const session = { clientSessionId: `s${n}`, deviceId: `device-${n}`, startedAt: start };
    await sendTelemetry(first, { gameId: "maze", sessionEnded: true, events, ...session });
  }
  await first.analysis.drain();
  const policy = { keepEventsMs: 90 * DAY, keepSessionsMs: null };
  const { signal } = new AbortController();
  const runs = await Promise.all(
    [first, second, first, second].map(({ service }) => prune(service, policy, { signal })),
  );
  const finished = runs.filter((run) => run !== null);
  expect(finished.length).toBeGreaterThan(0);
  expect(finished.reduce((sum, { sessions }) => sum + sessions, 0)).toBe(SESSIONS);
  expect(finished.reduce((sum, { events }) => sum + events, 0)).toBe(2 * SESSIONS);
  expect(await first.service.store.readDb.selectFrom("event_batches").select("seq").execute()).toEqual([]);
  expect([first.faults, second.faults]).toEqual([[], []]);
  await second.stop();
  await first.stop();
});
