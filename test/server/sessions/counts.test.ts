/** Totals are the number of rows in the complete list, whatever happens to sessions. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { sessionStatuses } from "../../../src/contract/sessions.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { changeSession, createEvents, listAll, sendTelemetry } from "../telemetry-helpers.ts";

const DAY = 86_400_000;

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
  await service.addGame("maze");
  await service.addGame("tower");
});

afterEach(async () => {
  await service.stop();
  expect(service.faults).toEqual([]);
});

const filters = [
  "",
  "game=maze",
  "game=tower",
  "build=1",
  "game=maze&build=1",
  "env=staging",
  "game=maze&env=production",
];

/** Time ranges: open at one end, within days, at the bounds of days, and around the current time. */
const ranges = [
  { from: 0 },
  { to: NOW },
  { from: NOW - 3 * DAY, to: NOW },
  { from: NOW - 2 * DAY + 1, to: NOW - DAY - 1 },
  { from: Math.floor(NOW / DAY) * DAY, to: Math.floor(NOW / DAY) * DAY + DAY - 1 },
  { from: NOW - 5, to: NOW + 5 },
];

/** Compares every total, with and without a time range, with the number of items in the complete list. */
async function expectTotalsMatchLists(): Promise<void> {
  for (const [list, time, ...more] of [
    ["sessions", "recordedAt"],
    ["insights", "createdAt"],
    ["insights", "recordedAt", "time=recordedAt"],
  ] as const) {
    const listFilters =
      list === "sessions" ? sessionStatuses.map((status) => `status=${status}`) : ["type=difficulty-spike"];
    const commonFilters = filters.filter((filter) => list === "sessions" || !filter.includes("env="));
    const inGame = listFilters.map((filter) => `game=maze&${filter}`);
    for (const filter of [...commonFilters, ...listFilters, ...inGame]) {
      const items = await listAll(service, `/api/v1/${list}?${filter}`);
      const answer = await service.get(`/api/v1/${list}?${filter}`);
      expect([list, filter, answer.json.total]).toEqual([list, filter, items.length]);
      for (const range of ranges) {
        const { from = -Infinity, to = Infinity }: { from?: number; to?: number } = range;
        const within = items.filter(
          (item: { recordedAt: number; createdAt: number }) => item[time] >= from && item[time] <= to,
        );
        const bounds = Object.entries(range).map(([name, value]) => `${name}=${value}`);
        const query = [filter, ...bounds, ...more].filter((part) => part !== "").join("&");
        const { json } = await service.get(`/api/v1/${list}?${query}`);
        expect([list, query, json.total]).toEqual([list, query, within.length]);
      }
    }
  }
}

it("totals match the lists after creation, analysis, new events, a failure and a second analysis", async () => {
  const fails = createEvents(["fail", "fail", "fail", "fail", "fail"]);
  const body = { gameId: "maze", sessionMetadata: { gameVersion: "1" }, deviceId: "d1" };
  const id = await sendTelemetry(service, { ...body, events: fails });
  await sendTelemetry(service, {
    gameId: "tower",
    environment: "staging",
    events: fails,
    sessionEnded: true,
  });
  await sendTelemetry(service, { ...body, sessionMetadata: { gameVersion: "2" } });
  for (const days of [1, 2, 2, 3]) {
    await sendTelemetry(service, {
      gameId: "tower",
      startedAt: NOW - days * DAY,
      events: fails,
      sessionEnded: true,
    });
  }
  await expectTotalsMatchLists();
  await service.analysis.drain();
  await expectTotalsMatchLists();
  await sendTelemetry(service, { gameId: "maze", sessionId: id, sessionEnded: true });
  await service.analysis.drain();
  expect(await listAll(service, "/api/v1/insights?game=maze")).not.toEqual([]);
  await expectTotalsMatchLists();
  await changeSession(service, id, { status: "failed" });
  await expectTotalsMatchLists();
  await sendTelemetry(service, {
    gameId: "maze",
    sessionId: id,
    events: createEvents(["fail"]).map((e) => ({ ...e, id: "late" })),
  });
  await service.analysis.drain();
  await expectTotalsMatchLists();
  expect((await service.get("/api/v1/games/maze")).json.counts).toEqual({
    sessionCount: 2,
    buildCount: 2,
    testerCount: 1,
  });
});
