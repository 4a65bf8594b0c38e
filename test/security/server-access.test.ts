/** Access control: keys of all scopes at all endpoints, origins and hosts, remote addresses, and ids of other accounts. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Endpoint } from "../../src/contract/define.ts";
import type { EndpointName } from "../../src/contract/index.ts";
import { issueKey } from "../../src/server/accounts/keys.ts";
import { startMetrics } from "../../src/server/observability/metrics.ts";
import {
  type Answer,
  freshFolder,
  NOW,
  runCli,
  send,
  startTestService,
  type TestService,
} from "../harness.ts";
import { callTool, connect, textOf } from "../mcp/connect.ts";
import { endAll, serve } from "../server/real-server.ts";
import {
  call,
  eachEndpoint,
  keyFor,
  makeWorld,
  renamed,
  type Sample,
  samples,
  type World,
} from "../server/sample-requests.ts";

let service: TestService;
let own: World;
let foreign: World;
/** Names that do not exist, but look like those of the other account. */
const nowhere = new Map<string, string>();
const metrics = startMetrics();

beforeAll(async () => {
  service = await startTestService({
    metrics: metrics.scrape,
    dependencies: { now: () => NOW, observer: metrics },
  });
  own = await makeWorld(service, service, "own");
  foreign = await makeWorld(service, await service.addAccount("others-studio"), "foreign");
  for (const [field, value] of Object.entries(foreign))
    if (field !== "keys")
      nowhere.set(
        value,
        value.replace(/.$/, (last: string) => (last === "q" ? "r" : "q")),
      );
});
afterAll(async () => {
  await service.stop();
  metrics.stop();
  await endAll();
});

type Access = "management" | "ingest" | "ci" | "both";

/** The required scope of each request. It is written by hand, to detect changes of the contract. */
const SCOPES: Readonly<Record<string, Access>> = {
  "GET /api/v1/games": "management",
  "GET /api/v1/games/{id}": "management",
  "GET /api/v1/sessions": "management",
  "GET /api/v1/sessions/{id}": "management",
  "GET /api/v1/sessions/{id}/events": "management",
  "GET /api/v1/ids": "management",
  "GET /api/v1/insights": "management",
  "GET /api/v1/builds/{game}": "management",
  "GET /api/v1/insights/{id}": "management",
  "GET /api/v1/crashes/{game}": "management",
  "GET /api/v1/changes/{game}": "management",
  "GET /api/v1/feedback/{game}": "management",
  "GET /api/v1/feedback/{game}/{id}": "management",
  "GET /api/v1/testers/{game}": "management",
  "GET /api/v1/never-played/{game}": "management",
  "GET /api/v1/builds/{game}/{version}": "management",
  "GET /api/v1/builds/{game}/{version}/facts": "management",
  "GET /api/v1/scorecards/{game}": "management",
  "GET /api/v1/status/{game}": "management",
  "GET /api/v1/builds/{game}/{version}/dropoff": "management",
  "GET /api/v1/trends/{game}": "management",
  "GET /api/v1/retention/{game}": "management",
  "GET /api/v1/funnels/{game}": "management",
  "GET /api/v1/builds/compare": "management",
  "GET /api/v1/builds/compare/suggestions": "management",
  "GET /api/v1/testers/{game}/{deviceId}": "management",
  "GET /api/v1/testers/{game}/{deviceId}/journey": "management",
  "GET /api/v1/testers/{game}/archetypes": "management",
  "GET /api/v1/heatmaps/{game}": "management",
  "GET /api/v1/events/{game}": "management",
  "GET /api/v1/raw-events/{game}": "management",
  "GET /api/v1/event-counts/{game}": "management",
  "GET /api/v1/bug-reports/{game}": "management",
  "GET /api/v1/bug-reports/{game}/{id}": "management",
  "GET /api/v1/webhooks": "management",
  "GET /api/v1/batches/{game}": "management",
  "GET /api/v1/batches/{game}/{batchId}": "management",
  "GET /api/v1/batches/{game}/{batchId}/keys": "management",
  "GET /api/v1/batches/{game}/{batchId}/invites": "management",
  "GET /api/v1/handles/{game}": "management",
  "GET /api/v1/games/{id}/prompts": "management",
  "GET /api/v1/games/{id}/experiments": "management",
  "GET /api/v1/experiments/{id}/comparison": "management",
  "POST /api/webhooks/discord": "management",
  // SDKs read it at startup, and studios read it to edit it.
  "GET /api/v1/games/{slug}/event-config": "both",
  "GET /api/v1/telemetry/tail": "management",
  "GET /api/v1/telemetry/refusals": "management",
  "POST /api/ci/builds": "ci",
  "POST /api/ci/gates": "ci",
  "GET /api/v1/gates/{game}": "management",
  "POST /api/telemetry": "ingest",
  "POST /api/telemetry/feedback": "ingest",
  "POST /api/telemetry/bug-report": "ingest",
  "POST /api/telemetry/claim": "ingest",
  "DELETE /api/telemetry/claim": "ingest",
  "GET /api/telemetry/tester": "ingest",
  "GET /api/telemetry/experiments": "ingest",
  "GET /api/telemetry/resolve": "ingest",
};

const lineOf = ({ method, path }: Endpoint) => `${method} ${path}`;

it("the table of scopes contains exactly all endpoints", () => {
  expect(
    eachEndpoint()
      .map(([, endpoint]) => lineOf(endpoint))
      .sort(),
  ).toEqual(Object.keys(SCOPES).sort());
});

const keyNames: Readonly<Record<string, string>> = {
  management: "a management key",
  ingest: "an ingest key",
  ci: "a CI key",
};

describe.each(eachEndpoint())("%s", (name, endpoint) => {
  const scope = SCOPES[lineOf(endpoint)];
  const inQuery = endpoint.credential === "query";
  /** Sends the sample request with a key. */
  const withKey = async (text: string | null, at = inQuery): Promise<Answer> => {
    const sample = samples[name](own);
    const path = endpoint.path.replace(/\{(\w+)\}/g, (_, one: string) =>
      encodeURIComponent(sample.params[one] ?? ""),
    );
    const pairs = Object.entries(sample.query).map(([one, value]) => `${one}=${encodeURIComponent(value)}`);
    if (at && text !== null) pairs.push(`key=${encodeURIComponent(text)}`);
    return await send(service.app, `${path}?${pairs.join("&")}`, {
      method: endpoint.method,
      headers: {
        ...(endpoint.maxBody > 0 ? { "content-type": "application/json" } : {}),
        ...(at || text === null ? {} : { authorization: `Bearer ${text}` }),
      },
      ...(endpoint.maxBody > 0 ? { body: JSON.stringify(sample.body) } : {}),
    });
  };
  const taken = [endpoint.status, ...endpoint.otherStatuses];

  it(`accepts keys of scope ${scope} only`, async () => {
    const { writeDb: write } = service.service.store;
    const bound = await issueKey(write, service.accountId, "ingest", NOW, own.gameId);
    for (const [kind, key] of [
      ["management", own.keys.management],
      ["ingest", own.keys.ingest],
      ["ingest", bound],
      ["ci", own.keys.ci],
    ] as const) {
      const answer = await withKey(key);
      const opens = scope === kind || (scope === "both" && kind !== "ci");
      if (opens) expect([kind, taken.includes(answer.status)]).toEqual([kind, true]);
      else
        expect([answer.status, answer.json]).toEqual([
          403,
          {
            error: `This request requires ${keyNames[scope === "both" ? "management" : (scope ?? "")]}, but ${keyNames[kind]} was sent`,
            requiredScope: scope === "both" ? "management" : scope,
          },
        ]);
    }
  });

  it("rejects keys of other accounts, missing, unknown and malformed keys, and keys in the wrong part of the request", async () => {
    const missing = inQuery ? "Missing key" : "Missing bearer token";
    const elsewhere = await withKey(keyFor(endpoint, own.keys), !inQuery);
    for (const answer of [await withKey(null), elsewhere])
      expect([answer.status, answer.json]).toEqual([401, { error: missing }]);
    const malformed = [
      "pt_mgmt_",
      `pt_mgmt_${"0".repeat(40)}`,
      `pt_ik_${"0".repeat(40)}`,
      `pt_ci_${"0".repeat(40)}`,
      "null",
      "*",
      "' or 1=1 --",
      "x".repeat(8000),
      own.claimToken,
      own.keys.management.toUpperCase(),
    ];
    for (const key of malformed.filter((one) => inQuery || !one.includes(" "))) {
      const answer = await withKey(key);
      expect([key, answer.status, answer.json]).toEqual([key, 401, { error: "Invalid key" }]);
    }
  });

  it("returns exactly the same response for names of another account and unknown names", async () => {
    const key = keyFor(endpoint, own.keys);
    for (const [field, foreignValue] of fieldsOf(name, endpoint)) {
      const ask = async (value: string) => {
        const answer = await call(service, endpoint, renamed(samples[name](own), endpoint, field, value), {
          key,
        });
        return anonymize(answer, value);
      };
      expect([field, await ask(foreignValue)]).toEqual([
        field,
        await ask(nowhere.get(foreignValue) ?? "nowhere"),
      ]);
    }
  });
});

/** Returns the parameters of a request that name something, with all names of the other account for each. */
function fieldsOf(name: EndpointName, endpoint: Endpoint): [field: string, value: string][] {
  const { names, body = {} }: Sample = samples[name](own);
  const more = ["gameId", "game", "sessionId", "formId", "claimToken", "build", "a", "b"].filter(
    (field) => field in body || field in endpoint.query.shape,
  );
  const values = Object.entries(foreign).flatMap(([field, value]) =>
    field === "keys" ? [] : [value as string],
  );
  return [...new Set([...Object.keys(names), ...more])].flatMap((field) =>
    values.map((value): [string, string] => [field, value]),
  );
}

/** Returns a response without the requested name, the request id and counters. */
function anonymize({ status, headers, text }: Answer, given: string): unknown {
  const comparedHeaders = [...headers].filter(
    ([name]) => name !== "x-request-id" && name !== "content-length",
  );
  return [status, comparedHeaders, text.replaceAll(given, "GIVEN").replace(/"sess_[0-9a-f]{24}"/g, '"sess"')];
}

describe("assistants", () => {
  it.each(eachEndpoint().filter(([, { tool }]) => tool !== null))(
    "%s returns the same result for names of another account and unknown names",
    async (name, endpoint) => {
      const { client } = await connect(service, { allowIngest: true, toolsets: ["all"] });
      const sample = samples[name](own);
      for (const [field, value] of fieldsOf(name, endpoint)) {
        const ask = async (given: string) => {
          const args = { ...sample.params, ...sample.query, ...sample.body, [field]: given };
          const result = await callTool(client, endpoint.tool ?? "", args);
          const text = JSON.stringify([
            textOf(result),
            result.structuredContent ?? null,
            result.isError ?? false,
          ]);
          return text.replaceAll(given, "GIVEN").replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "request");
        };
        expect([field, await ask(value)]).toEqual([field, await ask(nowhere.get(value) ?? "nowhere")]);
      }
    },
  );
});

describe("a page of another origin", () => {
  const origin = "http://evil.example";

  it.each(eachEndpoint())("may read %s only if games use it", async (name, endpoint) => {
    const isForGames = endpoint.keys.includes("ingest");
    const key = endpoint.keys.includes("management") ? own.keys.management : own.keys.ingest;
    const answer = await call(service, endpoint, samples[name](own), { key, headers: { origin } });
    expect(answer.headers.get("access-control-allow-origin")).toBe(isForGames ? "*" : null);
    // Browsers never add API keys to requests by themselves.
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
  });

  it.each(["/healthz", "/readyz", "/metrics", "/openapi.json", "/mcp", "/", "/api/v1/games"])(
    "may not read %s",
    async (path) => {
      for (const method of ["GET", "OPTIONS", "POST"]) {
        const answer = await service.get(path, { method, headers: { origin } });
        expect([...answer.headers.keys()].filter((one) => one.startsWith("access-control"))).toEqual([]);
      }
    },
  );

  it("may not use /mcp, with any key", async () => {
    for (const from of [
      origin,
      "null",
      "http://localhost.evil.example",
      "http://127.0.0.1.evil.example",
      "file://",
      "x",
    ]) {
      const answer = await service.post("/mcp", {}, { key: own.keys.management, headers: { origin: from } });
      expect([from, answer.status]).toEqual([from, 403]);
    }
  });

  it("with a host name that resolves to this machine is rejected everywhere except for health probes", async () => {
    for (const path of [
      "/api/v1/games",
      "/api/telemetry",
      "/api/webhooks/discord",
      "/mcp",
      "/openapi.json",
      "/metrics",
      "/",
    ]) {
      for (const method of ["GET", "POST", "OPTIONS"]) {
        const answer = await service.get(path, { method, headers: { host: "evil.example" } });
        expect([path, method, answer.status, answer.json]).toEqual([
          path,
          method,
          421,
          { error: "Unknown host" },
        ]);
      }
    }
  });
});

it("health probes and metrics contain no account, game, tester or key", async () => {
  for (const [name, endpoint] of eachEndpoint()) {
    const key = endpoint.keys.includes("management") ? own.keys.management : own.keys.ingest;
    await call(service, endpoint, samples[name](own), { key });
  }
  const told = [];
  for (const path of ["/healthz", "/readyz", "/metrics"]) {
    const answer = await service.get(path, { key: null });
    expect([path, answer.status]).toEqual([path, 200]);
    told.push(answer.text, JSON.stringify([...answer.headers]));
  }
  const all = told.join("\n");
  expect(all).toContain('endpoint="getBatch"');
  const { keys, ...names } = own;
  const words = [...Object.values(names), ...Object.values(foreign).filter((one) => typeof one === "string")];
  for (const word of [
    ...words,
    ...Object.values(keys),
    service.accountId,
    "others-studio",
    "studio",
    "cellar",
    "own-tester",
  ])
    expect([word, all.includes(word)]).toEqual([word, false]);
});

describe("a server on a public address", () => {
  it.each(["0.0.0.0", "::", "192.0.2.7", "play.example"])(
    "is not started at %s without its flag",
    async (host) => {
      const { code, err } = await runCli([
        "server",
        "start",
        "--host",
        host,
        "--port",
        "0",
        "--database",
        ":memory:",
      ]);
      expect([code, err]).toEqual([
        2,
        expect.stringContaining(`--host ${host} would allow connections from other machines`),
      ]);
      expect(err).toContain("--allow-remote");
    },
  );

  it("warns about unencrypted keys, and still checks the Host", async () => {
    const server = await serve(freshFolder(), "remote", { flags: ["--host", "0.0.0.0", "--allow-remote"] });
    expect(server.stderr()).toContain(
      "Warning: this server listens on 0.0.0.0, where other machines can connect, and keys are sent unencrypted without a TLS proxy.",
    );
    expect(server.stderr()).toContain("--host-name");
    const { port } = new URL(server.url);
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    const named = await serve(freshFolder(), "named", {
      flags: ["--host", "0.0.0.0", "--allow-remote", "--host-name", "play.example"],
    });
    expect(named.stderr()).toContain("keys are sent unencrypted");
    expect(named.stderr()).not.toContain("--host-name");
    const local = await serve(freshFolder(), "local", { flags: ["--allow-remote"] });
    expect(local.stderr()).toBe("");
  });
});
