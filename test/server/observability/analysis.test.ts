/** Metrics and traces of analyses. */
import { afterEach, expect, it } from "vitest";
import { startMetrics } from "../../../src/server/observability/metrics.ts";
import { freshFolder, NOW, startTestService } from "../../harness.ts";
import { end, endAll, serve } from "../real-server.ts";
import { createEvents, sendTelemetry } from "../telemetry-helpers.ts";
import { startReceiver } from "./otlp-receiver.ts";

afterEach(endAll);

it("counts the analyses of the worker", async () => {
  const metrics = startMetrics();
  const dependencies = { now: () => NOW, observer: metrics };
  const service = await startTestService({ metrics: metrics.scrape, dependencies });
  await service.addGame("maze");
  for (const clientSessionId of ["a", "b"])
    await sendTelemetry(service, {
      gameId: "maze",
      clientSessionId,
      sessionEnded: true,
      events: createEvents(["x"]),
    });
  await service.analysis.drain();
  const { text } = await service.get("/metrics", { key: null });
  expect(text).toContain('playtest_analyses_total{result="analyzed"} 2');
  expect(text).toContain('playtest_analyses_total{result="failed"} 0');
  expect(text).toContain("playtest_analysis_duration_seconds_count 2");
  expect(text).toContain("playtest_sessions_due 0");
  await service.stop();
  metrics.stop();
});

it("records each analysis as the root of a new trace", async () => {
  const receiver = await startReceiver();
  const server = await serve(freshFolder(), "traced", { env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } });
  const sent = await fetch(`${server.url}/api/telemetry`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.ingestKey}`, "content-type": "application/json" },
    body: JSON.stringify({ gameId: "maze", sessionEnded: true, events: createEvents(["x"]) }),
  });
  const { sessionId } = (await sent.json()) as { sessionId: string };
  const headers = { authorization: `Bearer ${server.managementKey}` };
  const status = async () =>
    (
      (await (await fetch(`${server.url}/api/v1/sessions/${sessionId}`, { headers })).json()) as {
        session: { status: string };
      }
    ).session.status;
  while ((await status()) !== "analyzed") await new Promise((resolve) => setTimeout(resolve, 20));
  await end(server.process, "SIGTERM");
  receiver.close();
  const [span] = receiver.spans.filter(({ name }) => name === "analyze session");
  expect(span).toMatchObject({ kind: 1, status: 0, attributes: { "playtest.session.id": sessionId } });
  expect(span?.parentSpanId ?? "").toBe("");
  const [post] = receiver.spans.filter(({ name }) => name === "POST /api/telemetry");
  expect(span?.traceId).not.toBe(post?.traceId);
});
