/** Pruning removes the events of old sessions. Every answer about them is either the same as before or reports the removal. */
import { describe, expect, it } from "vitest";
import { ANALYSIS_VERSION } from "../../../src/server/analysis/version.ts";
import { createForm } from "../../../src/server/feedback/forms.ts";
import type { PruningPolicy } from "../../../src/server/pruning/policy.ts";
import { prune } from "../../../src/server/pruning/prune.ts";
import { readPruningState } from "../../../src/server/pruning/state-queries.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { createEvents, readSession, readSessionRow, sendTelemetry } from "../telemetry-helpers.ts";

const DAY = 24 * 60 * 60 * 1000;
const policy: PruningPolicy = { keepEventsMs: 90 * DAY, keepSessionsMs: null };
const signal = new AbortController().signal;

/** Sends an ended session that was recorded some days ago. */
async function sendSession(service: TestService, name: string, daysAgo: number, more: object = {}) {
  const start = NOW - daysAgo * DAY;
  return await sendTelemetry(service, {
    gameId: "maze",
    clientSessionId: name,
    deviceId: `device-${name}`,
    startedAt: start,
    sessionMetadata: { gameVersion: "1.0" },
    sessionEnded: true,
    events: createEvents(["death", "death", "death", "player_pos"], start).map((event, at) => ({
      ...event,
      data: { room: "hall", x: at, y: at },
    })),
    ...more,
  });
}

async function startWithSessions() {
  const service = await startTestService();
  const gameId = await service.addGame("maze");
  const [old, recent] = [await sendSession(service, "old", 100), await sendSession(service, "recent", 10)];
  await service.analysis.drain();
  return { service, gameId, old, recent };
}

const runPrune = (service: TestService, runPolicy = policy) => prune(service.service, runPolicy, { signal });

async function countBatches(service: TestService): Promise<number> {
  return (await service.service.store.readDb.selectFrom("event_batches").select("seq").execute()).length;
}

const listEvents = async (service: TestService, id: string, query = "") =>
  (await service.get(`/api/v1/sessions/${id}/events${query}`)).json;

describe("pruning", () => {
  it("removes the events of sessions that ended before the age", async () => {
    const { service, old, recent } = await startWithSessions();
    const removed = await runPrune(service);
    expect(removed).toMatchObject({ sessions: 1, events: 4, deletedSessions: 0 });
    expect(removed?.bytes).toBeGreaterThan(0);
    expect(await countBatches(service)).toBe(1);
    expect((await readSessionRow(service, old)).events_pruned_at).toBe(NOW);
    expect((await readSessionRow(service, recent)).events_pruned_at).toBeNull();
    await service.stop();
  });

  it("counts what it removed, and removes nothing in a second run", async () => {
    const { service } = await startWithSessions();
    await runPrune(service);
    expect(await runPrune(service)).toMatchObject({ sessions: 0, events: 0 });
    expect(await readPruningState(service.service.store.readDb)).toMatchObject({
      holder: null,
      pruned_sessions: 1,
      pruned_events: 4,
      last_pruned_at: NOW,
    });
    const changes = await service.service.store.readDb.selectFrom("audit").selectAll().execute();
    expect(changes).toMatchObject([
      { action: "server.prune", actor: "service", account_id: "", target: null },
    ]);
    const removed = { sessions: 1, events: 4, deletedSessions: 0 };
    expect(JSON.parse(changes[0]?.detail ?? "")).toEqual({ ...policy, ...removed });
    await service.stop();
  });

  it("keeps a session that started before the age but ended after it", async () => {
    const { service } = await startWithSessions();
    const start = NOW - 91 * DAY;
    const events = createEvents(["death"], start).concat(
      createEvents(["quit"], start + 2 * DAY).map((e) => ({ ...e, id: "last" })),
    );
    const id = await sendSession(service, "long", 91, { events });
    await service.analysis.drain();
    await runPrune(service);
    expect((await readSessionRow(service, id)).events_pruned_at).toBeNull();
    await service.stop();
  });

  it("waits for the analysis of a session", async () => {
    const { service } = await startWithSessions();
    const id = await sendSession(service, "fresh", 100, { sessionEnded: false });
    await runPrune(service);
    expect((await readSessionRow(service, id)).events_pruned_at).toBeNull();
    service.clock.now += DAY;
    await service.analysis.drain();
    await runPrune(service);
    expect((await readSessionRow(service, id)).events_pruned_at).toBe(NOW + DAY);
    await service.stop();
  });

  it("waits until the current rules have analyzed a session", async () => {
    const { service, old } = await startWithSessions();
    const update = service.service.store.writeDb.updateTable("sessions").set({ analysis_version: 1 });
    await update.where("id", "=", old).execute();
    expect(await runPrune(service)).toMatchObject({ sessions: 0 });
    await service.analysis.drain({ outdated: true });
    expect(await runPrune(service)).toMatchObject({ sessions: 1 });
    await service.stop();
  });

  it("says when the events of a session were removed, and how many there were", async () => {
    const { service, old, recent } = await startWithSessions();
    service.clock.now += 3 * DAY;
    await runPrune(service);
    const pruned = { at: NOW + 3 * DAY, events: 4 };
    expect(await listEvents(service, old)).toEqual({ items: [], next: null, unreadable: 0, pruned });
    expect(await listEvents(service, old, "?event=death")).toEqual({
      items: [],
      next: null,
      unreadable: 0,
      pruned,
    });
    expect(await listEvents(service, recent)).toMatchObject({ pruned: null });
    expect((await readSession(service, old)).session.eventsPrunedAt).toBe(NOW + 3 * DAY);
    expect((await readSession(service, recent)).session.eventsPrunedAt).toBeNull();
    await service.stop();
  });

  it("rejects further events of the session, so that a repeated event is not counted twice", async () => {
    const { service, old } = await startWithSessions();
    await runPrune(service);
    const before = await readSession(service, old);
    const events = [...createEvents(["death", "quit"]), { id: "", name: "x", timestamp: NOW }];
    for (const ref of [{ sessionId: old }, { clientSessionId: "old" }]) {
      const answer = await service.post("/api/telemetry", {
        gameId: "maze",
        ...ref,
        events,
        sessionEnded: true,
      });
      expect(answer.json).toMatchObject({ sessionId: old, accepted: 0, duplicates: 0 });
      const error =
        "session no longer accepts events, because its events were removed by pruning on 2026-03-01";
      expect(answer.json.rejected).toEqual([
        { index: 0, error },
        { index: 1, error },
        { index: 2, error: expect.stringMatching(/^id /) },
      ]);
    }
    expect(await readSession(service, old)).toEqual(before);
    await service.stop();
  });

  it("stores late feedback, but keeps the findings", async () => {
    const { service, gameId, old } = await startWithSessions();
    const form = await createForm(service.service.store.writeDb, service.service, gameId, {
      name: "end",
      fields: [{ id: "fun", label: "Fun?", kind: "rating-1-5", required: true }],
      triggerHint: "session_end",
      active: true,
    });
    await runPrune(service);
    const before = await readSession(service, old);
    const sent = await service.post("/api/telemetry/feedback", {
      requestId: "r1",
      formId: form.id,
      sessionId: old,
      responses: [{ fieldId: "fun", value: "1" }],
    });
    expect(sent.status).toBe(200);
    await service.analysis.drain();
    const after = await readSession(service, old);
    expect(after.session.feedback).toHaveLength(1);
    expect(after.insights).toEqual(before.insights);
    expect(after.session.status).toBe("analyzed");
    await service.stop();
  });

  it("never analyzes a session without its events again", async () => {
    const { service, old } = await startWithSessions();
    await runPrune(service);
    const { insights } = await readSession(service, old);
    expect(insights.length).toBeGreaterThan(1);
    const update = (columns: object) =>
      service.service.store.writeDb.updateTable("sessions").set(columns).where("id", "=", old).execute();
    for (const columns of [
      { analysis_version: 1 },
      { reanalysis_due: 1 },
      { analysis_due: 1, status: "pending" },
    ]) {
      await update({ reanalysis_due: null, analysis_due: null, ...columns });
      await service.analysis.drain({ outdated: true });
      const after = await readSession(service, old);
      expect([after.session.status, after.insights]).toEqual(["analyzed", insights]);
    }
    expect(service.faults).toEqual([]);
    await service.stop();
  });

  it("keeps the version of the rules of a session, so that a comparison with newer rules can see the difference", async () => {
    const { service, old } = await startWithSessions();
    await sendSession(service, "newer", 5, { sessionMetadata: { gameVersion: "2.0" } });
    await service.analysis.drain();
    await runPrune(service);
    const update = service.service.store.writeDb.updateTable("sessions").set({ analysis_version: 1 });
    await update.where("id", "=", old).execute();
    await service.analysis.drain({ outdated: true });
    const { json } = await service.get("/api/v1/builds/compare?game=maze&a=1.0&b=2.0");
    expect(json.buildA).toMatchObject({ testersInBatch: 2, analysisVersions: [1, ANALYSIS_VERSION] });
    expect(json.buildB).toMatchObject({ testersInBatch: 1, analysisVersions: [ANALYSIS_VERSION] });
    await service.stop();
  });
});
