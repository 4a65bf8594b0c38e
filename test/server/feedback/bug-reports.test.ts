/** Bug reports: stored once, listed, and part of the insights of their session. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { issueKey } from "../../../src/server/accounts/keys.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { readSession, sendTelemetry } from "../telemetry-helpers.ts";

let service: TestService;
let gameId: string;
let key: string;
beforeEach(async () => {
  service = await startTestService();
  gameId = await service.addGame("ember");
  key = await issueKey(service.service.store.writeDb, service.accountId, "ingest", NOW, gameId);
});
afterEach(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

const report = {
  title: "The door does not open",
  description: "I have both keys.",
  severity: "high",
  idempotencyKey: "k1",
};

const submit = (more: object = {}, headers: Record<string, string> = {}) =>
  service.post("/api/telemetry/bug-report", { ...report, ...more }, { key, headers });
const list = async (search = "") => (await service.get(`/api/v1/bug-reports/ember${search}`)).json;

describe("a bug report", () => {
  it("is stored with its context, and listed", async () => {
    const context = {
      buildVersion: "0.9",
      environment: "dev",
      platform: "windows",
      device: { ram: 16, vr: false },
    };
    const answer = await submit({ playerId: "p1", context });
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        ok: true,
        bugReportId: expect.stringMatching(/^bug_/),
        routingStatus: "stored_only",
        idempotent: false,
      },
    ]);
    expect(await list()).toEqual({
      items: [
        {
          id: answer.json.bugReportId,
          sessionId: null,
          title: report.title,
          description: report.description,
          severity: "high",
          playerId: "p1",
          build: "0.9",
          environment: "dev",
          platform: "windows",
          device: { ram: 16, vr: false },
          createdAt: NOW,
        },
      ],
      hasMore: false,
      total: 1,
    });
  });

  it("is stored once for each idempotency key, also if requests are concurrent", async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => submit()));
    expect(new Set(answers.map(({ json }) => json.bugReportId)).size).toBe(1);
    expect(answers.filter(({ json }) => json.idempotent)).toHaveLength(4);
    expect((await list()).total).toBe(1);
    const other = await submit({ title: "Another bug" });
    expect([other.status, other.json.reason]).toEqual([409, "idempotency_conflict"]);
    expect((await submit({ idempotencyKey: "k2" })).json.idempotent).toBe(false);
  });

  it("has defaults for everything that is not sent, with null for unset fields", async () => {
    await submit({
      severity: null,
      sessionId: "",
      playerId: null,
      context: { buildVersion: "", device: null },
    });
    expect((await list()).items[0]).toMatchObject({
      severity: "medium",
      sessionId: null,
      playerId: null,
      build: "unknown",
      environment: "production",
      platform: "unknown",
      device: {},
    });
  });

  it("is stored without invalid context, and the response lists what was ignored", async () => {
    const context = { buildVersion: "x".repeat(121), environment: "No slug", device: "pc" };
    const answer = await submit({ context }, { "X-Studio-Environment": "beta" });
    expect(answer.status).toBe(200);
    expect(answer.json.warnings.map((warning: string) => warning.split(" ")[0])).toEqual([
      "context.buildVersion",
      "context.environment",
      "context.device",
    ]);
    expect((await list()).items[0]).toMatchObject({ build: "unknown", environment: "beta" });
  });

  it.each([
    ["title", ""],
    ["title", "x".repeat(201)],
    ["description", "x".repeat(8001)],
    ["severity", "fatal"],
    ["idempotencyKey", null],
  ])("is rejected with an invalid %s", async (field, value) => {
    const answer = await submit({ [field]: value });
    expect([answer.status, answer.json.issues[0].path]).toEqual([400, [field]]);
  });

  it("is rejected for an unknown session, and without a game", async () => {
    const unknown = await submit({ sessionId: "sess_none" });
    expect([unknown.status, unknown.json.reason]).toEqual([404, "unknown_session"]);
    const unbound = await service.post("/api/telemetry/bug-report", report);
    expect([unbound.status, unbound.json.reason]).toEqual([400, "game_required"]);
    expect((await service.post("/api/telemetry/bug-report", { ...report, gameId })).status).toBe(200);
  });
});

it("bug reports are filtered and paged, newest first", async () => {
  for (const [n, severity] of ["low", "high", "critical", "high"].entries()) {
    service.clock.now = NOW + n;
    const context = { buildVersion: n < 2 ? "1" : "2", environment: n === 3 ? "dev" : "production" };
    await submit({ idempotencyKey: `k${n}`, title: `Bug ${n}`, severity, context });
  }
  const titles = async (search: string) =>
    (await list(search)).items.map(({ title }: { title: string }) => title);
  expect(await titles("")).toEqual(["Bug 3", "Bug 2", "Bug 1", "Bug 0"]);
  expect(await titles("?severity=high")).toEqual(["Bug 3", "Bug 1"]);
  expect(await titles("?build=2")).toEqual(["Bug 3", "Bug 2"]);
  expect(await titles("?env=dev")).toEqual(["Bug 3"]);
  expect(await titles(`?from=${NOW + 1}&to=${NOW + 2}`)).toEqual(["Bug 2", "Bug 1"]);
  expect(await list("?limit=1&offset=1")).toMatchObject({
    items: [{ title: "Bug 2" }],
    hasMore: true,
    total: 4,
  });
});

describe("the session of a bug report", () => {
  const events = [{ id: "e1", name: "jump", timestamp: NOW }];
  const create = () =>
    sendTelemetry(service, {
      gameId,
      environment: "dev",
      sessionMetadata: { gameVersion: "1.2", platform: "linux" },
      sessionEnded: true,
      events,
    });
  const insights = async (id: string) =>
    (await readSession(service, id)).insights
      .filter(({ type }: { type: string }) => type === "bug-report")
      .map(({ id: insight, title, tag, sentiment, evidence }: Record<string, string>) => ({
        ...{ insight, title, tag, sentiment, evidence },
      }));

  it("has an insight for each report, which further analyses keep", async () => {
    const sessionId = await create();
    await service.analysis.drain();
    expect(await insights(sessionId)).toEqual([]);
    const { bugReportId } = (await submit({ sessionId })).json;
    await submit({ sessionId, idempotencyKey: "k2", title: "Music\nstops", severity: "low" });
    await service.analysis.drain();
    const found = await insights(sessionId);
    expect(found).toMatchObject([
      {
        title: "A player reported: “The door does not open”",
        tag: "bug-report:reported-the-door-does-not-open",
        sentiment: "negative",
        evidence: `“The door does not open”, severity high: report ${bugReportId}`,
      },
      { title: "A player reported: “Music stops”", tag: "bug-report:reported-music-stops" },
    ]);
    await sendTelemetry(service, { gameId, sessionId, events: [{ ...events[0], id: "e2" }] });
    await service.analysis.drain();
    expect(await insights(sessionId)).toEqual(found);
    expect((await list()).items[0]).toMatchObject({
      sessionId,
      build: "1.2",
      environment: "dev",
      platform: "linux",
    });
  });
});
