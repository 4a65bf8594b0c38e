/** Crashes that are reported at the next start: they belong to the session that crashed, if it is of the same device. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { MAX_CRASH_REPORTS } from "../../../src/server/analysis/crash-reports.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { type Body, readSession, readSessionRow, sendTelemetry } from "../telemetry-helpers.ts";

const MINUTE = 60_000;

let service: TestService;

beforeEach(async () => {
  service = await startTestService({ sharesDatabase: true });
  await service.addGame("maze");
});

afterEach(async () => {
  await service.stop();
  expect(service.faults).toEqual([]);
});

const walk = { id: "walk", name: "walk", timestamp: NOW, data: { room: "cave" } };

/** An event of a session that starts after `walk`. */
const later = { ...walk, timestamp: NOW + 2 * MINUTE };

/** Sends an ended session of a device, by default of `phone`. */
async function play(events: readonly object[], more: Body = {}): Promise<string> {
  return await sendTelemetry(service, {
    ...{ gameId: "maze", deviceId: "phone", sessionEnded: true, events },
    ...more,
  });
}

const report = (crashedSessionId: unknown, id = "crash", more: object = {}) => ({
  ...{ id, name: "crash_reported", timestamp: NOW + MINUTE },
  data: { crashedSessionId, room: "cave", message: "Out of memory", ...more },
});

async function read(sessionId: string) {
  const { session, insights } = await readSession(service, sessionId);
  const [summary] = insights.filter(({ type }: { type: string }) => type === "session-summary");
  const bugs = insights.filter(({ type }: { type: string }) => type === "bug-report");
  return { session, summary, bugs };
}

/** Whether no insight of a session shows a crash. */
async function expectNoCrash(sessionId: string): Promise<void> {
  const { summary, bugs } = await read(sessionId);
  expect([bugs, summary.sentiment]).toEqual([[], "neutral"]);
  expect(summary.title).not.toContain("crash");
}

async function expectCrash(sessionId: string, carrierId: string, crashes = 1): Promise<void> {
  const { session, summary, bugs } = await read(sessionId);
  expect([session.status, bugs.length]).toEqual(["analyzed", 1]);
  const count = crashes === 1 ? "1 crash" : `${crashes} crashes`;
  expect(bugs[0]).toMatchObject({
    ...{ tag: "bug-report:cave", title: `${count} in cave: Out of memory` },
    evidence: expect.stringContaining(`reported by a later session of the same device (${carrierId})`),
  });
  expect(summary).toMatchObject({ sentiment: "negative", title: expect.stringContaining("crash") });
}

it.each(["our id", "the client session id"])("adds a crash to the session named by %s", async (name) => {
  const crashed = await play([walk], { clientSessionId: "first" });
  await service.analysis.drain();
  await expectNoCrash(crashed);
  const carrier = await play([report(name === "our id" ? crashed : "first"), later]);
  await service.analysis.drain();
  await expectCrash(crashed, carrier);
  await expectNoCrash(carrier);
  expect((await read(carrier)).summary.evidence).toContain(
    `reported a crash of the earlier session ${crashed}`,
  );
});

it("keeps event counts with the session that contains the report", async () => {
  const crashed = await play([walk]);
  const carrier = await play([report(crashed), later]);
  await service.analysis.drain();
  expect((await read(crashed)).session.event_counts).toEqual({ walk: 1 });
  expect((await read(carrier)).session.event_counts).toEqual({ crash_reported: 1, walk: 1 });
});

it("adds a crash that was reported before the data of the crashed session arrived", async () => {
  const carrier = await play([report("first"), later]);
  await service.analysis.drain();
  await expectNoCrash(carrier);
  expect((await read(carrier)).summary.evidence).toContain("reported a crash of another session");
  const crashed = await play([walk], { clientSessionId: "first" });
  await service.analysis.drain();
  await expectCrash(crashed, carrier);
  expect((await read(carrier)).summary.evidence).toContain(
    `reported a crash of the earlier session ${crashed}`,
  );
});

it("treats a crash that names its own session, or none, as a crash of the session", async () => {
  const ids = [];
  for (const ref of ["own", undefined, 7, null, ""]) {
    ids.push(
      await play([walk, report(ref)], { clientSessionId: `own${ids.length === 0 ? "" : ids.length}` }),
    );
  }
  await service.analysis.drain();
  for (const id of ids) expect((await read(id)).bugs).toMatchObject([{ tag: "bug-report:cave" }]);
});

it("adds nothing to sessions of other devices, games and accounts, or without a device", async () => {
  await service.addGame("tower");
  const other = await service.addAccount("other");
  const foreign = { ...service, keys: other.keys };
  const targets = [
    await play([walk], { deviceId: "tablet", clientSessionId: "tablet" }),
    await play([walk], { gameId: "tower", clientSessionId: "tower" }),
    await play([walk], { deviceId: undefined, clientSessionId: "nobody" }),
  ];
  const refs = [...targets, "tablet", "tower", "nobody", "\0", "\ud800", "x".repeat(5000), "__proto__"];
  const carrier = await play([...refs.map((ref, at) => report(ref, `crash-${at}`)), walk]);
  const anonymous = await play([report(targets[2]), walk], { deviceId: undefined });
  await service.analysis.drain();
  for (const id of [...targets, carrier, anonymous]) await expectNoCrash(id);
  expect((await foreign.get("/api/v1/sessions", { key: other.keys.management })).json.total).toBe(0);
});

it("adds nothing to a session that starts after the report, or at the same time", async () => {
  const carrier = await play([report("after"), report("same", "crash-2"), later], { clientSessionId: "own" });
  const after = await play([later], { clientSessionId: "after" });
  const same = await play([{ ...walk, timestamp: NOW + MINUTE }], { clientSessionId: "same" });
  await service.analysis.drain();
  for (const id of [carrier, after, same]) await expectNoCrash(id);
  expect((await read(carrier)).summary.evidence).toContain("reported 2 crashes of other sessions");
});

it.each([
  ["at the same time", MINUTE, false],
  ["one after the other", 2 * MINUTE, true],
])("ends when two sessions that start %s report each other's crash", async (_, startsAfter, isLater) => {
  const first = await play([report("b"), later], { clientSessionId: "a" });
  const second = await play([{ ...report("a"), timestamp: NOW + startsAfter }], { clientSessionId: "b" });
  await service.analysis.drain();
  if (isLater) await expectCrash(first, second);
  else await expectNoCrash(first);
  await expectNoCrash(second);
  expect((await readSessionRow(service, first)).reanalysis_due).toBeNull();
});

it("gives the same result when either session is analyzed again", async () => {
  const crashed = await play([walk], { clientSessionId: "first" });
  const carrier = await play([report("first"), later], { clientSessionId: "second" });
  await service.analysis.drain();
  const more = [{ id: "more", name: "walk", timestamp: NOW + 2 * MINUTE }];
  await play(more, { clientSessionId: "first" });
  await play([report("first"), ...more], { clientSessionId: "second" });
  await service.analysis.drain();
  await expectCrash(crashed, carrier);
  await expectNoCrash(carrier);
});

it("considers a limited number of reports", async () => {
  const crashed = await play([walk], { clientSessionId: "first" });
  const reports = Array.from({ length: 3 * MAX_CRASH_REPORTS }, (_, at) => report("first", `crash-${at}`));
  const carrier = await play([...reports, later]);
  await service.analysis.drain();
  await expectCrash(crashed, carrier, MAX_CRASH_REPORTS);
  await expectNoCrash(carrier);
  const rows = await service.service.store.readDb.selectFrom("crash_reports").selectAll().execute();
  expect(rows).toHaveLength(MAX_CRASH_REPORTS);
});

it("stores only the short fields of a report", async () => {
  const crashed = await play([walk]);
  await play([report(crashed, "crash", { stack: "x".repeat(9000), nested: { deep: [1] } }), walk]);
  await service.analysis.drain();
  const [row] = await service.service.store.readDb.selectFrom("crash_reports").selectAll().execute();
  const stored = JSON.parse(row?.data ?? "{}") as Record<string, unknown>;
  expect(stored).toEqual({
    ...{ crashedSessionId: crashed, room: "cave", message: "Out of memory" },
    stack: "x".repeat(1000),
  });
});
