/** Totals are summed from kept counts: they stay what counting the rows would give, whatever becomes of sessions. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { sessionStatuses } from "../../../src/contract/sessions.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { change, eventsOf, listAll, play } from "../telemetry-helpers.ts";

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

/** Ranges that begin and end within days, at their bounds, in one day, and on neither side. */
const ranges = [
  { from: 0 },
  { to: NOW },
  { from: NOW - 3 * DAY, to: NOW },
  { from: NOW - 2 * DAY + 1, to: NOW - DAY - 1 },
  { from: Math.floor(NOW / DAY) * DAY, to: Math.floor(NOW / DAY) * DAY + DAY - 1 },
  { from: NOW - 5, to: NOW + 5 },
];

/** Compares every total, and those of ranges, with the items of the whole list. */
async function expectTrue(): Promise<void> {
  for (const list of ["sessions", "insights"]) {
    const of =
      list === "sessions" ? sessionStatuses.map((status) => `status=${status}`) : ["type=difficulty-spike"];
    const asked = filters.filter((filter) => list === "sessions" || !filter.includes("env="));
    for (const filter of [...asked, ...of, ...of.map((one) => `game=maze&${one}`)]) {
      const items = await listAll(service, `/api/v1/${list}?${filter}`);
      const summed = await service.get(`/api/v1/${list}?${filter}`);
      expect([list, filter, summed.json.total]).toEqual([list, filter, items.length]);
      for (const range of ranges) {
        const { from = -Infinity, to = Infinity }: { from?: number; to?: number } = range;
        const within = items.filter((item: { recordedAt?: number; createdAt?: number }) => {
          const at = item.recordedAt ?? item.createdAt ?? Number.NaN;
          return at >= from && at <= to;
        });
        const bounds = Object.entries(range).map(([name, value]) => `${name}=${value}`);
        const asked = [filter, ...bounds].filter((part) => part !== "").join("&");
        const { json } = await service.get(`/api/v1/${list}?${asked}`);
        expect([list, asked, json.total]).toEqual([list, asked, within.length]);
      }
    }
  }
}

it("holds through creation, analysis, new events, a failure and a second analysis", async () => {
  const fails = eventsOf(["fail", "fail", "fail", "fail", "fail"]);
  const body = { gameId: "maze", sessionMetadata: { gameVersion: "1" }, deviceId: "d1" };
  const id = await play(service, { ...body, events: fails });
  await play(service, { gameId: "tower", environment: "staging", events: fails, sessionEnded: true });
  await play(service, { ...body, sessionMetadata: { gameVersion: "2" } });
  for (const days of [1, 2, 2, 3]) {
    await play(service, { gameId: "tower", startedAt: NOW - days * DAY, events: fails, sessionEnded: true });
  }
  await expectTrue();
  await service.analysis.drain();
  await expectTrue();
  await play(service, { gameId: "maze", sessionId: id, sessionEnded: true });
  await service.analysis.drain();
  expect(await listAll(service, "/api/v1/insights?game=maze")).not.toEqual([]);
  await expectTrue();
  await change(service, id, { status: "failed" });
  await expectTrue();
  await play(service, {
    gameId: "maze",
    sessionId: id,
    events: eventsOf(["fail"]).map((e) => ({ ...e, id: "late" })),
  });
  await service.analysis.drain();
  await expectTrue();
  expect((await service.get("/api/v1/games/maze")).json.counts).toEqual({
    sessionCount: 2,
    buildCount: 2,
    testerCount: 1,
  });
});
