/** Totals are summed from kept counts: they stay what counting the rows would give, whatever becomes of sessions. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { sessionStatuses } from "../../src/contract/sessions.ts";
import { startTestService, type TestService } from "../harness.ts";
import { change, eventsOf, listAll, play } from "./play.ts";

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

/** Compares every total with the same list narrowed by a time that excludes nothing: that one counts rows. */
async function expectTrue(): Promise<void> {
  for (const list of ["sessions", "insights"]) {
    const of =
      list === "sessions" ? sessionStatuses.map((status) => `status=${status}`) : ["type=difficulty-spike"];
    const asked = filters.filter((filter) => list === "sessions" || !filter.includes("env="));
    for (const filter of [...asked, ...of, ...of.map((one) => `game=maze&${one}`)]) {
      const summed = await service.get(`/api/v1/${list}?${filter}`);
      const counted = await service.get(`/api/v1/${list}?${filter === "" ? "" : `${filter}&`}from=0`);
      expect([list, filter, summed.json.total]).toEqual([list, filter, counted.json.total]);
    }
  }
}

it("holds through creation, analysis, new events, a failure and a second analysis", async () => {
  const fails = eventsOf(["fail", "fail", "fail", "fail", "fail"]);
  const body = { gameId: "maze", sessionMetadata: { gameVersion: "1" }, deviceId: "d1" };
  const id = await play(service, { ...body, events: fails });
  await play(service, { gameId: "tower", environment: "staging", events: fails, sessionEnded: true });
  await play(service, { ...body, sessionMetadata: { gameVersion: "2" } });
  await expectTrue();
  await service.analysis.settle();
  await expectTrue();
  await play(service, { gameId: "maze", sessionId: id, sessionEnded: true });
  await service.analysis.settle();
  expect(await listAll(service, "/api/v1/insights?game=maze")).not.toEqual([]);
  await expectTrue();
  await change(service, id, { status: "failed" });
  await expectTrue();
  await play(service, {
    gameId: "maze",
    sessionId: id,
    events: eventsOf(["fail"]).map((e) => ({ ...e, id: "late" })),
  });
  await service.analysis.settle();
  await expectTrue();
  expect((await service.get("/api/v1/games/maze")).json.counts).toEqual({
    sessionCount: 2,
    buildCount: 2,
    testerCount: 1,
  });
});
