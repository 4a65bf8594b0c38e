/** The request pipeline: the order of its steps, and each step separately with a real service. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { endpoints } from "../../../src/contract/index.ts";
import { AdmissionControl } from "../../../src/server/http/admission.ts";
import type { AppContext, AppOptions, Step } from "../../../src/server/http/context.ts";
import { createExchange, type Exchange, type Sender } from "../../../src/server/http/exchange.ts";
import { McpMount } from "../../../src/server/http/mcp.ts";
import { pipeline, runPipeline } from "../../../src/server/http/pipeline.ts";
import { createRouter, findRouteGroup } from "../../../src/server/http/routes.ts";
import * as access from "../../../src/server/http/steps/access.ts";
import * as limits from "../../../src/server/http/steps/access.ts";
import * as call from "../../../src/server/http/steps/call.ts";
import * as cors from "../../../src/server/http/steps/routing.ts";
import * as routing from "../../../src/server/http/steps/routing.ts";
import * as system from "../../../src/server/http/steps/system.ts";
import { createSystemEndpoints } from "../../../src/server/http/system-endpoints.ts";
import { startTestService, type TestService } from "../../harness.ts";

const one = { points: 1, seconds: 60 };
const route = createRouter(Object.values(endpoints));
let service: TestService;
let app: AppContext;

beforeEach(async () => {
  service = await startTestService({
    limits: { key: one, ip: one, telemetry: one, ingest: one, device: one },
  });
  app = context();
});

afterEach(() => service.stop());

function context(options: AppOptions = {}): AppContext {
  return {
    service: service.service,
    options,
    hostNames: options.hostNames ?? [],
    route,
    admission: new AdmissionControl(options.admission ?? { requests: 1, bodyBytes: 100 }),
    console: null,
    mcp: new McpMount(service.service, {}, async () => new Response("from the API")),
  };
}

interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly sender?: Sender;
}

function exchangeOf(path: string, { sender = "client", ...init }: Asked = {}): Exchange {
  const metrics = async () => ({ type: "text/plain", text: "metrics" });
  const endpointsBesides = createSystemEndpoints(service.service, metrics);
  return createExchange(new Request(`http://127.0.0.1${path}`, init), {
    peer: { address: "192.0.2.1" },
    sender,
    key: null,
    isObserved: true,
    trustProxy: false,
    describe: (_method, path, address) => ({ path, address }),
    findGroup: findRouteGroup,
    findSystemEndpoint: (wanted) => endpointsBesides.get(wanted) ?? null,
  });
}

/** Creates an exchange as all steps before the handler leave it, with the management key of the account. */
async function routed(path: string, init: Asked = {}): Promise<Exchange> {
  const headers = { authorization: `Bearer ${service.keys.management}`, ...init.headers };
  const exchange = exchangeOf(path, { ...init, headers });
  for (const step of [system.admit, access.authenticate, routing.matchRoute]) await step(exchange, app);
  return exchange;
}

const run = async (step: Step, exchange: Exchange, context = app) => await step(exchange, context);
const GAMES = "/api/v1/games";

describe("the order", () => {
  it("is the order that decides which error wins", () => {
    expect(pipeline.map(({ name }) => name)).toEqual([
      "answerProbe",
      "allowCrossOrigin",
      "checkHost",
      "admit",
      "answerConsole",
      "limitAddress",
      "answerMetrics",
      "answerOpenApi",
      "requireGroup",
      "answerTelemetryPreflight",
      "limitTelemetry",
      "authenticate",
      "matchRoute",
      "checkScope",
      "answerMcp",
      "limitKey",
      "requireRoute",
      "answerPreflight",
      "requireMethod",
      "requireOneKey",
      "requireStorage",
      "decode",
      "limitDevice",
      "handle",
    ]);
  });

  it("ends with the first step that returns a response", async () => {
    const seen: string[] = [];
    const steps: Step[] = [
      () => null,
      async () => {
        seen.push("first");
        return new Response("first");
      },
      () => {
        seen.push("second");
        return new Response("second");
      },
    ];
    expect(await (await runPipeline(steps, exchangeOf("/"), app)).text()).toBe("first");
    expect(seen).toEqual(["first"]);
  });

  it("throws if no step returns a response", async () => {
    await expect(runPipeline([() => null], exchangeOf("/x"), app)).rejects.toThrow(
      "No step of the pipeline responded to /x",
    );
  });

  it("throws if a step runs before a step that it depends on", async () => {
    await expect(run(limits.limitKey, exchangeOf(GAMES))).rejects.toThrow(
      "No step of the pipeline has set key",
    );
  });
});

describe("system endpoints", () => {
  it("handles probes, and passes all other requests on", async () => {
    expect((await run(system.answerProbe, exchangeOf("/healthz")))?.status).toBe(200);
    expect((await run(system.answerProbe, exchangeOf("/readyz")))?.status).toBe(200);
    for (const path of ["/metrics", "/openapi.json", GAMES])
      expect(await run(system.answerProbe, exchangeOf(path))).toBeNull();
  });

  it("handles metrics and the OpenAPI document in separate steps", async () => {
    const metrics = await run(system.answerMetrics, exchangeOf("/metrics"));
    expect([await metrics?.text(), metrics?.headers.get("content-type")]).toEqual(["metrics", "text/plain"]);
    expect(await run(system.answerMetrics, exchangeOf("/openapi.json"))).toBeNull();
    const document = await run(system.answerOpenApi, exchangeOf("/openapi.json"));
    expect(JSON.parse((await document?.text()) ?? "")).toHaveProperty("openapi");
    expect(await run(system.answerOpenApi, exchangeOf("/metrics"))).toBeNull();
  });

  it("rejects other methods and sets Allow", async () => {
    const exchange = exchangeOf("/healthz", { method: "POST" });
    await expect(run(system.answerProbe, exchange)).rejects.toMatchObject({ code: "method_not_allowed" });
    expect(exchange.headers.allow).toBe("GET, HEAD");
  });
});

describe("admit", () => {
  it("reserves capacity, and rejects requests beyond it", async () => {
    const first = exchangeOf(GAMES);
    expect(await run(system.admit, first)).toBeNull();
    await expect(run(system.admit, exchangeOf(GAMES))).rejects.toMatchObject({
      code: "unavailable",
      extra: { retryAfterMs: 1000 },
    });
    first.permit?.release();
    expect(await run(system.admit, exchangeOf(GAMES))).toBeNull();
  });

  it("admits /metrics without capacity", async () => {
    await run(system.admit, exchangeOf(GAMES));
    const metrics = exchangeOf("/metrics");
    expect(await run(system.admit, metrics)).toBeNull();
    expect(metrics.permit).toBeNull();
  });
});

describe("cross-origin requests", () => {
  it("get CORS headers only for telemetry", async () => {
    const telemetry = exchangeOf("/api/telemetry");
    const games = exchangeOf(GAMES);
    for (const exchange of [telemetry, games]) await run(cors.allowCrossOrigin, exchange);
    expect(telemetry.headers["access-control-allow-origin"]).toBe("*");
    expect(games.headers).not.toHaveProperty("access-control-allow-origin");
  });

  it("get a response to preflights without a key only for telemetry", async () => {
    const telemetry = exchangeOf("/api/telemetry", { method: "OPTIONS" });
    expect((await run(cors.answerTelemetryPreflight, telemetry))?.status).toBe(204);
    const games = exchangeOf(GAMES, { method: "OPTIONS" });
    expect(await run(cors.answerTelemetryPreflight, games)).toBeNull();
    const answered = await run(cors.answerPreflight, games);
    expect([answered?.status, answered?.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
    expect(await run(cors.answerPreflight, exchangeOf(GAMES))).toBeNull();
  });
});

describe("access", () => {
  it("rejects an unknown Host", async () => {
    const foreign = exchangeOf(GAMES, { headers: { host: "evil.example" } });
    expect(() => access.checkHost(foreign, app)).toThrow(expect.objectContaining({ code: "misdirected" }));
    expect(await run(access.checkHost, foreign, context({ hostNames: ["evil.example"] }))).toBeNull();
  });

  it("rejects a path outside of the API", async () => {
    expect(() => access.requireGroup(exchangeOf("/elsewhere"), app)).toThrow(
      expect.objectContaining({ code: "not_found" }),
    );
    expect(await run(access.requireGroup, exchangeOf("/api/v1/unknown"))).toBeNull();
  });

  it("finds the key, or rejects the request", async () => {
    const missing = exchangeOf(GAMES);
    await expect(run(access.authenticate, missing)).rejects.toThrow("Missing bearer token");
    const unknown = exchangeOf(GAMES, { headers: { authorization: "Bearer pt_mgmt_none" } });
    await expect(run(access.authenticate, unknown)).rejects.toThrow("Invalid key");
    expect((await routed(GAMES)).key?.kind).toBe("management");
    const webhook = exchangeOf(`/api/webhooks/discord?key=${service.keys.management}`, { method: "POST" });
    await run(access.authenticate, webhook);
    expect(webhook.key?.kind).toBe("management");
  });

  it("rejects keys of the other scope on known and unknown paths", async () => {
    for (const path of [GAMES, "/api/v1/unknown"]) {
      const exchange = await routed(path, { headers: { authorization: `Bearer ${service.keys.ingest}` } });
      expect(() => access.checkScope(exchange, app)).toThrow(
        expect.objectContaining({ code: "forbidden", extra: { requiredScope: "management" } }),
      );
      exchange.permit?.release();
    }
    expect(await run(access.checkScope, await routed(GAMES))).toBeNull();
  });

  it("rejects a repeated key in the query", async () => {
    const { management } = service.keys;
    const twice = exchangeOf(`/api/webhooks/discord?key=${management}&key=${management}`, { method: "POST" });
    expect(() => access.requireOneKey(twice, app)).toThrow(expect.objectContaining({ code: "bad_request" }));
    expect(await run(access.requireOneKey, exchangeOf(`${GAMES}?key=a&key=b`))).toBeNull();
  });
});

describe("limits", () => {
  it("count addresses, except for requests of MCP tools", async () => {
    expect(await run(limits.limitAddress, exchangeOf(GAMES))).toBeNull();
    await expect(run(limits.limitAddress, exchangeOf(GAMES))).rejects.toMatchObject({
      code: "rate_limited",
      extra: { scope: "ip" },
    });
    expect(await run(limits.limitAddress, exchangeOf(GAMES, { sender: "tool" }))).toBeNull();
  });

  it("count only telemetry toward the telemetry limit", async () => {
    const post = () => exchangeOf("/api/telemetry", { method: "POST" });
    for (let n = 0; n < 3; n += 1) await run(limits.limitTelemetry, exchangeOf(GAMES));
    expect(await run(limits.limitTelemetry, post())).toBeNull();
    await expect(run(limits.limitTelemetry, post())).rejects.toMatchObject({ extra: { scope: "ip" } });
  });

  it("count management keys, but not ingest keys", async () => {
    const read = await routed(GAMES);
    expect(await run(limits.limitKey, read)).toBeNull();
    await expect(run(limits.limitKey, read)).rejects.toMatchObject({ extra: { scope: "key" } });
    read.permit?.release();
    const send = await routed("/api/telemetry", {
      method: "POST",
      headers: { authorization: `Bearer ${service.keys.ingest}` },
    });
    for (let n = 0; n < 3; n += 1) expect(await run(limits.limitKey, send)).toBeNull();
  });
});

describe("routing", () => {
  it("rejects an unknown path only in requireRoute", async () => {
    const unknown = await routed("/api/v1/unknown");
    expect(unknown.match).toBeNull();
    expect(() => routing.requireRoute(unknown, app)).toThrow(expect.objectContaining({ code: "not_found" }));
    unknown.permit?.release();
    expect(await run(routing.requireRoute, await routed(GAMES))).toBeNull();
  });

  it("finds the endpoint of a method, treats HEAD as GET, and rejects other methods with Allow", async () => {
    const head = await routed(GAMES, { method: "HEAD" });
    await run(routing.requireMethod, head);
    expect(head.endpoint?.name).toBe("listGames");
    head.permit?.release();
    const wrong = await routed(GAMES, { method: "DELETE" });
    expect(() => routing.requireMethod(wrong, app)).toThrow(
      expect.objectContaining({ code: "method_not_allowed" }),
    );
    expect(wrong.headers.allow).toBe("GET, HEAD, OPTIONS");
  });
});

describe("the call", () => {
  it("decodes path, query and body, and reports all issues at once", async () => {
    const exchange = await routed("/api/v1/sessions?limit=0&offset=-1");
    await run(routing.requireMethod, exchange);
    await expect(run(call.decode, exchange)).rejects.toMatchObject({
      code: "bad_request",
      issues: [{ path: ["limit"] }, { path: ["offset"] }],
    });
    exchange.permit?.release();
    const good = await routed("/api/v1/sessions?limit=5");
    await run(routing.requireMethod, good);
    expect(await run(call.decode, good)).toBeNull();
    expect(good.input).toEqual({ limit: 5 });
  });

  it("calls the handler for the account of the key", async () => {
    await service.addGame("ember");
    const exchange = await routed(GAMES);
    for (const step of [routing.requireMethod, call.decode]) await run(step, exchange);
    const response = await run(call.handle, exchange);
    expect(response?.status).toBe(200);
    expect(await response?.json()).toMatchObject({ games: [{ slug: "ember" }] });
    expect(exchange.outcome.bytes).toBeGreaterThan(0);
  });
});

describe("MCP", () => {
  it("handles only /mcp, and no requests of its own tools", async () => {
    expect(await run(routing.answerMcp, await routed(GAMES))).toBeNull();
    expect(await run(routing.answerMcp, exchangeOf("/mcp", { method: "POST", sender: "tool" }))).toBeNull();
  });

  it("rejects other methods and web pages of other origins", async () => {
    await expect(run(routing.answerMcp, exchangeOf("/mcp"))).rejects.toMatchObject({
      code: "method_not_allowed",
    });
    const page = exchangeOf("/mcp", { method: "POST", headers: { origin: "https://evil.example" } });
    await expect(run(routing.answerMcp, page)).rejects.toMatchObject({ code: "forbidden" });
  });
});
