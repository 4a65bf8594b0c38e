/** Metrics: what is counted, with labels that clients cannot choose. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { type MetricsObserver, startMetrics } from "../../../src/server/observability/metrics.ts";
import { prune } from "../../../src/server/pruning/prune.ts";
import { storePolicy } from "../../../src/server/pruning/state-queries.ts";
import { signIn, visit } from "../../console/harness.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { createEvents } from "../telemetry-helpers.ts";

let metrics: MetricsObserver;
let service: TestService;

const rate = { points: 3, seconds: 60 };

beforeEach(async () => {
  metrics = startMetrics();
  service = await startTestService({
    metrics: metrics.scrape,
    limits: { key: rate, ip: { points: 1000, seconds: 60 }, telemetry: { points: 1000, seconds: 60 } },
    dependencies: { now: () => NOW, observer: metrics },
  });
  await service.addGame("maze");
});

afterEach(async () => {
  await service.stop();
  metrics.stop();
});

async function scrape(): Promise<string> {
  const { status, text, headers } = await service.get("/metrics", { key: null });
  expect([status, headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
  return text;
}

/** The samples of a metric, as `{labels} value`. */
const samples = (text: string, name: string) =>
  text
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .map((line) => line.slice(name.length).trim());

it("counts requests by endpoint, method and status, and measures their duration", async () => {
  await service.get("/api/v1/games");
  await service.get("/api/v1/games/maze", { method: "HEAD" });
  await service.get("/api/v1/games/none");
  const text = await scrape();
  const counts = samples(text, "playtest_http_requests_total");
  expect(counts).toContain('{endpoint="listGames",method="GET",status="200"} 1');
  expect(counts).toContain('{endpoint="getGame",method="HEAD",status="200"} 1');
  expect(counts).toContain('{endpoint="getGame",method="GET",status="404"} 1');
  const times = samples(text, "playtest_http_request_duration_seconds_count");
  expect(times).toContain('{endpoint="listGames",method="GET"} 1');
});

it("counts pages and files of the console by one name, and the endpoints that they read", async () => {
  const observed = await startTestService({
    console: { identity: null },
    dependencies: { now: () => NOW, observer: metrics },
  });
  const cookie = await signIn(observed);
  for (const path of ["/", "/Zebra", "/games/Zebra/builds"]) await visit(observed, path, { cookie });
  await observed.stop();
  const counts = samples(await scrape(), "playtest_http_requests_total");
  expect(counts).toContain('{endpoint="console",method="POST",status="303"} 1');
  expect(counts).toContain('{endpoint="console",method="GET",status="200"} 1');
  expect(counts).toContain('{endpoint="console",method="GET",status="404"} 2');
  expect(counts).toContain('{endpoint="listGames",method="GET",status="200"} 1');
});

it("uses no text of a request as a label", async () => {
  const sent = ["games/Zebra", "Zebra", "games/%5a", `games/${service.keys.management}`, "sessions/Zebra"];
  for (const path of sent) {
    await service.get(`/api/v1/${path}?Zebra=Zebra`, { key: null });
    await service.get(`/${path}`, { method: "ZEBRA", headers: { "x-request-id": "Zebra" } });
  }
  await service.post("/api/telemetry", {
    gameId: "maze",
    events: createEvents(["Zebra"]),
    testerHandle: "Zebra",
  });
  const text = await scrape();
  expect(text).not.toMatch(/zebra/i);
  expect(text).not.toContain(service.keys.management);
  const known = samples(text, "playtest_http_requests_total").map(
    (line) => /endpoint="(\w+)"/.exec(line)?.[1],
  );
  expect([...new Set(known)].sort()).toEqual(["getGame", "getSession", "sendTelemetry", "unknown"]);
  expect(text).toContain('method="other"');
});

it("counts events by result", async () => {
  const body = { gameId: "maze", clientSessionId: "c", events: [...createEvents(["a", "b"]), { id: 1 }] };
  await service.post("/api/telemetry", body);
  await service.post("/api/telemetry", body);
  await service.post("/api/telemetry", { ...body, gameId: "none" });
  expect(samples(await scrape(), "playtest_events_total")).toEqual([
    '{result="accepted"} 2',
    '{result="duplicate"} 2',
    '{result="rejected"} 2',
  ]);
});

it("counts rate-limited requests by the scope of the limit", async () => {
  expect(samples(await scrape(), "playtest_limited_requests_total")).toEqual([
    '{scope="ip"} 0',
    '{scope="key"} 0',
  ]);
  for (let n = 0; n < 5; n += 1) await service.get("/api/v1/games");
  expect(samples(await scrape(), "playtest_limited_requests_total")).toEqual([
    '{scope="ip"} 0',
    '{scope="key"} 2',
  ]);
});

it("counts sessions due for analysis at the scrape", async () => {
  expect(samples(await scrape(), "playtest_sessions_due")).toEqual(["0"]);
  const other = await startTestService({
    sharesDatabase: true,
    metrics: metrics.scrape,
    dependencies: { now: () => NOW },
  });
  await other.addGame("maze");
  for (const clientSessionId of ["a", "b"])
    await other.post("/api/telemetry", { gameId: "maze", clientSessionId, sessionEnded: true, events: [] });
  await other.post("/api/telemetry", { gameId: "maze", clientSessionId: "c", events: createEvents(["x"]) });
  expect(samples((await other.get("/metrics")).text, "playtest_sessions_due")).toEqual(["2"]);
  await other.stop();
});

it("counts analyses by result, measures their duration, and passes errors on", async () => {
  await metrics.analysis("sess_1", async () => {});
  await expect(metrics.analysis("sess_2", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  metrics.transactionRetried();
  const text = await scrape();
  const ended = samples(text, "playtest_analyses_total");
  expect(ended).toContain('{result="failed"} 1');
  expect(ended.find((line) => line.startsWith('{result="analyzed"}'))).toMatch(/ [1-9]/);
  expect(Number(samples(text, "playtest_analysis_duration_seconds_count")[0])).toBeGreaterThanOrEqual(2);
  expect(samples(text, "playtest_database_retries_total")).toEqual(["1"]);
});

it("counts attempts to send to webhooks by result, and the events that wait", async () => {
  const facts = { webhookId: "whk_1", deliveryId: "evt_1", type: "bug-report", attempt: 1, ms: 5 };
  metrics.delivery({ ...facts, result: "retry", status: 500, error: "no" });
  metrics.delivery({ ...facts, result: "delivered", status: 204, error: null });
  const text = await scrape();
  expect(samples(text, "playtest_webhook_deliveries_total").sort()).toEqual([
    '{result="delivered"} 1',
    '{result="dropped"} 0',
    '{result="retry"} 1',
  ]);
  expect(samples(text, "playtest_webhook_outbox")).toEqual(["0"]);
});

it("counts failed requests to AI models by reason and status", async () => {
  const failure = { accountId: service.accountId, error: "no" };
  metrics.modelFailed({ ...failure, reason: "unavailable", status: 401 });
  metrics.modelFailed({ ...failure, reason: "unavailable", status: 799 });
  metrics.modelFailed({ ...failure, reason: "timeout", status: null });
  const counts = samples(await scrape(), "playtest_model_failures_total");
  expect(counts.filter((line) => line.endsWith(" 1")).sort()).toEqual([
    '{reason="timeout",status="none"} 1',
    '{reason="unavailable",status="401"} 1',
    '{reason="unavailable",status="other"} 1',
  ]);
  expect(counts).toContain('{reason="declined",status="none"} 0');
});

it("shows the retention policy, when it was last applied, and what was removed", async () => {
  const before = await scrape();
  expect(samples(before, "playtest_retention_seconds")).toEqual(['{kind="events"} 0', '{kind="sessions"} 0']);
  expect(samples(before, "playtest_last_pruned_timestamp_seconds")).toEqual(["0"]);
  const policy = { keepEventsMs: 0, keepSessionsMs: 86_400_000 };
  await storePolicy(service.service.store, policy);
  const body = { gameId: "maze", events: createEvents(["jump", "quit"]), sessionEnded: true };
  expect((await service.post("/api/telemetry", body)).status).toBe(202);
  await service.analysis.drain();
  await prune({ ...service.service, now: () => NOW + 1000 }, policy, {
    signal: new AbortController().signal,
  });
  const after = await scrape();
  expect(samples(after, "playtest_retention_seconds")).toEqual([
    '{kind="events"} 0',
    '{kind="sessions"} 86400',
  ]);
  expect(samples(after, "playtest_last_pruned_timestamp_seconds")).toEqual([String((NOW + 1000) / 1000)]);
  expect(samples(after, "playtest_pruned_total")).toEqual([
    '{kind="events"} 2',
    '{kind="event_sessions"} 1',
    '{kind="sessions"} 0',
  ]);
});

it("includes the metrics of the process", async () => {
  expect(samples(await scrape(), "process_cpu_seconds_total")).toHaveLength(1);
});

it("a scrape needs no key, checks the Host header, and only allows GET and HEAD", async () => {
  expect((await service.get("/metrics", { key: null, headers: { host: "evil.example" } })).status).toBe(421);
  const refused = await service.get("/metrics", { key: null, method: "POST" });
  expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

it("returns 404 if metrics are not enabled", async () => {
  const plain = await startTestService();
  expect((await plain.get("/metrics", { key: null })).status).toBe(404);
  await plain.stop();
});

it("reports NaN if the database does not respond", async () => {
  const other = await startTestService({ metrics: metrics.scrape });
  await other.service.store.close();
  const { status, text } = await other.get("/metrics", { key: null });
  expect(status).toBe(200);
  expect(samples(text, "playtest_sessions_due")).toEqual(["Nan"]);
});
