/** Metrics: what is counted, with labels that clients cannot choose. */
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createKey } from "../../../src/server/accounts/keys.ts";
import { type MetricsObserver, startMetrics } from "../../../src/server/observability/metrics.ts";
import { prune } from "../../../src/server/pruning/prune.ts";
import { storePolicy } from "../../../src/server/pruning/state-queries.ts";
import { signIn, visit } from "../../console/harness.ts";
import { engine } from "../../engine.ts";
import { freshFolder, NOW, startTestService, type TestService } from "../../harness.ts";
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
  metrics.delivery({ ...facts, result: "retry", status: 500, failure: "server_error", error: "no" });
  metrics.delivery({ ...facts, result: "delivered", status: 204, failure: null, error: null });
  const text = await scrape();
  expect(samples(text, "playtest_webhook_deliveries_total").sort()).toEqual([
    '{result="delivered"} 1',
    '{result="dropped"} 0',
    '{result="retry"} 1',
  ]);
  const failures = samples(text, "playtest_webhook_failures_total");
  expect(failures).toContain('{failure="server_error"} 1');
  expect(failures).toContain('{failure="timeout"} 0');
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

it("shows the version, and the commit if the build named one", async () => {
  const [build = ""] = samples(await scrape(), "playtest_build_info");
  expect(build).toMatch(/^\{version="\d+\.\d+\.\d+[^"]*",commit="([0-9a-f]{40})?"\} 1$/);
});

it("shows when the first active key expires, without naming it", async () => {
  const { writeDb } = service.service.store;
  const shown = async () => samples(await scrape(), "playtest_key_expiry_timestamp_seconds");
  expect(await shown()).toEqual(["0"]);
  for (const [name, expiresAt] of [
    ["expired", NOW - 1000],
    ["later", NOW + 9000],
    ["Zebra", NOW + 5000],
  ] as const)
    await createKey(writeDb, service.accountId, NOW, { kind: "management", name, expiresAt });
  expect(await shown()).toEqual([String((NOW + 5000) / 1000)]);
  expect(await scrape()).not.toContain("Zebra");
});

it("shows how long sessions have waited for their analysis", async () => {
  // Analyzes nothing on its own.
  const other = await startTestService({
    sharesDatabase: true,
    metrics: metrics.scrape,
    dependencies: { now: () => NOW },
  });
  await other.addGame("maze");
  const { writeDb } = other.service.store;
  const shown = async () => {
    const { text } = await other.get("/metrics");
    return [
      samples(text, "playtest_queue_age_seconds").find((line) => line.startsWith('{queue="analysis"}')),
      ...samples(text, "playtest_oldest_unanalyzed_session_seconds"),
    ];
  };
  expect(await shown()).toEqual(['{queue="analysis"} 0', "0"]);
  const send = (clientSessionId: string, ended: boolean) =>
    other.post("/api/telemetry", {
      ...{ gameId: "maze", clientSessionId, sessionEnded: ended, events: createEvents(["jump"]) },
    });
  // A session that is still played does not wait.
  await send("played", false);
  expect(await shown()).toEqual(['{queue="analysis"} 0', "0"]);
  await send("ended", true);
  await writeDb
    .updateTable("sessions")
    .set({ received_at: NOW - 7000, analysis_due: NOW - 2000 })
    .where("ended", "=", 1)
    .execute();
  expect(await shown()).toEqual(['{queue="analysis"} 2', "7"]);
  // One that waits for another attempt is not due, but still unanalyzed.
  await writeDb
    .updateTable("sessions")
    .set({ analysis_due: NOW + 5000, analysis_attempts: 1 })
    .where("ended", "=", 1)
    .execute();
  expect(await shown()).toEqual(['{queue="analysis"} 0', "7"]);
  await other.stop();
});

it("shows the disk of the database file, and none for a database in memory", async () => {
  const disks = (text: string) =>
    ["disk_free_bytes", "disk_bytes"].map((name) =>
      samples(text, `playtest_${name}`).map((line) => [
        line.split(" ")[0],
        Number(line.split(" ")[1]?.replace("Nan", "NaN")) > 0,
      ]),
    );
  const none = [
    ['{folder="database"}', false],
    ['{folder="backups"}', false],
  ];
  expect(disks(await scrape())).toEqual([none, none]);
  if (engine === "sqlite") {
    const stored = await startTestService({
      database: join(freshFolder(), "play.db"),
      metrics: metrics.scrape,
    });
    const found = [['{folder="database"}', true], none[1]];
    expect(disks((await stored.get("/metrics")).text)).toEqual([found, found]);
    await stored.stop();
  }
});

it("shows the connections of the pool by state", async () => {
  const states = samples(await scrape(), "playtest_database_connections").map((line) => line.split(" ")[0]);
  expect(states).toEqual(['{state="used"}', '{state="idle"}', '{state="waiting"}']);
});

it("counts the time of workers by task", async () => {
  metrics.worked({ task: "check table", ms: 1500 });
  metrics.worked({ task: "check table", ms: 500 });
  const counted = () => scrape().then((text) => samples(text, "playtest_task_seconds_total"));
  expect(await counted()).toEqual(['{task="check table"} 2']);
  const task = { name: "fail", lane: "reads", maxMs: 1, run: () => Promise.reject(new Error("no")) } as const;
  await expect(service.service.work.run(task, null)).rejects.toThrow("no");
  expect(await counted()).toHaveLength(2);
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
