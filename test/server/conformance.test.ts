/** All endpoints follow the common rules of the API for keys, methods and paths. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { endpoints } from "../../src/contract/index.ts";
import { toStrict } from "../../src/contract/strict.ts";
import { send, startTestService, type TestService } from "../harness.ts";
import { call, eachEndpoint, makeWorld, samples, urlOf, type World } from "./sample-requests.ts";

let service: TestService;
let world: World;

beforeAll(async () => {
  service = await startTestService();
  world = await makeWorld(service, service, "own");
});

// Refused requests of other tests are written to the live tail later, between two answers that have to be equal.
beforeEach(async () => await service.service.arrivals.flush());

afterAll(() => service.stop());

const unknownKey = `pt_mgmt_${"0".repeat(40)}`;
const missing = '{"error":"Missing bearer token"}';
const missingKey = '{"error":"Missing key"}';
const invalid = '{"error":"Invalid key"}';

describe.each(eachEndpoint())("%s", (name, endpoint) => {
  const sample = () => samples[name](world);
  const kind = endpoint.keys[0] ?? "management";
  const own = () => world.keys[kind];
  const path = () => urlOf(endpoint, sample());
  const inQuery = endpoint.credential === "query";
  const request = (headers: Record<string, string>, method: string = endpoint.method, at = path()) =>
    send(service.app, at, {
      method,
      headers: endpoint.maxBody > 0 ? { "content-type": "application/json", ...headers } : headers,
      ...(method === "POST" || method === "DELETE" ? { body: JSON.stringify(sample().body ?? {}) } : {}),
    });
  /** Sends a request with a key where the endpoint expects it. */
  const keyed = (key: string, method: string = endpoint.method, at = path()) =>
    inQuery
      ? request({}, method, `${at}${at.includes("?") ? "&" : "?"}key=${encodeURIComponent(key)}`)
      : request({ authorization: `Bearer ${key}` }, method, at);
  const withKey = (method: string, at = path()) => keyed(own(), method, at);

  it("returns a response to its sample that matches the strict schema", async () => {
    const answer = await call(service, endpoint, sample(), { key: own() });
    expect(answer.status).toBe(endpoint.status);
    expect(toStrict(endpoint.response).safeParse(answer.json).error).toBeUndefined();
    expect(answer.headers.get("content-type")).toMatch(/^application\/json\b/);
    expect(answer.headers.get("x-request-id")).toMatch(/\S/);
  });

  const refusedHeaders: [string, string | undefined, string][] = [
    ["no header", undefined, missing],
    ["an empty header", "", missing],
    ["another scheme", `Basic ${unknownKey}`, missing],
    ["a key without a scheme", unknownKey, missing],
    ["Bearer without a key", "Bearer ", missing],
    ["a scheme that begins like Bearer", `Bearers ${unknownKey}`, missing],
    ["an unknown key", `Bearer ${unknownKey}`, invalid],
    ["an unknown key of the other kind", `Bearer pt_ik_${"0".repeat(40)}`, invalid],
    ["something that is no key", "Bearer x", invalid],
  ];
  const refusedQueries: [string, string | undefined, string][] = [
    ["no key", undefined, missingKey],
    ["an empty key", "key=", missingKey],
    ["a key without a value", "key", missingKey],
    ["a key under another name", `Key=${unknownKey}`, missingKey],
    ["an unknown key", `key=${unknownKey}`, invalid],
    ["something that is no key", "key=%00", invalid],
    ["a malformed escape", "key=%zz", invalid],
  ];

  it.each(inQuery ? refusedQueries : refusedHeaders)("returns 401 for %s", async (_, given, body) => {
    const answer = inQuery
      ? await request({}, endpoint.method, given === undefined ? path() : `${path()}?${given}`)
      : await request(given === undefined ? {} : { authorization: given });
    expect([answer.status, answer.text]).toEqual([401, body]);
    expect(answer.headers.get("x-request-id")).toMatch(/\S/);
  });

  const itOfBearers = inQuery ? () => {} : it;
  const itOfQueries = inQuery ? it : () => {};

  itOfQueries("ignores the Authorization header, whatever it holds", async () => {
    for (const authorization of [`Bearer ${own()}`, `Bearer ${unknownKey}`, "", "Basic x"]) {
      expect((await request({ authorization })).text).toBe(missingKey);
      const answer = await request({ authorization }, endpoint.method, `${path()}?key=${own()}`);
      expect(answer.status).toBe(endpoint.status);
    }
  });

  itOfQueries("refuses a key given twice", async () => {
    const answer = await request({}, endpoint.method, `${path()}?key=${own()}&key=${own()}`);
    expect([answer.status, answer.json.issues[0].path]).toEqual([400, ["key"]]);
  });

  itOfBearers("takes the scheme in any case", async () => {
    for (const scheme of ["bearer", "BEARER", "bEaReR"]) {
      expect((await request({ authorization: `${scheme} ${own()}` })).status).toBe(endpoint.status);
    }
  });

  it("returns 401 for a key that differs in its last digit or in case", async () => {
    const digit = own().endsWith("0") ? "1" : "0";
    for (const key of [own().slice(0, -1) + digit, own().toUpperCase(), `${own()}0`, own().slice(0, -1)]) {
      const answer = await keyed(key);
      expect([answer.status, answer.text]).toEqual([401, invalid]);
    }
  });

  const itOfOneKind = endpoint.keys.length === 1 ? it : () => {};
  itOfOneKind("refuses the other kind of key with 403, also where the path leads nowhere", async () => {
    const other = kind === "management" ? world.keys.ingest : world.keys.management;
    for (const at of [path(), `${endpoint.path.split("/{")[0]}/nothing/of/this/kind`]) {
      const answer = await keyed(other, endpoint.method, at);
      expect(answer.status).toBe(403);
      expect(answer.json).toEqual({ error: expect.any(String), requiredScope: kind });
    }
  });

  const reads = endpoint.method === "GET";
  const onPath = Object.values(endpoints).filter((other) => other.path === endpoint.path);
  const methods: string[] = onPath.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  const allow = [...methods, "OPTIONS"].join(", ");

  it("returns 405 and Allow for other methods", async () => {
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "PURGE"]) {
      if (methods.includes(method)) continue;
      const answer = await withKey(method);
      expect([method, answer.status, answer.headers.get("allow")]).toEqual([method, 405, allow]);
      expect(answer.text).toBe(method === "HEAD" ? "" : '{"error":"Method not allowed"}');
    }
  });

  const itOfReads = reads ? it : () => {};
  itOfReads("answers HEAD as GET without the body", async () => {
    const [head, get] = [await withKey("HEAD"), await withKey("GET")];
    expect(head.status).toBe(get.status);
    expect(head.text).toBe("");
    expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
    expect(head.headers.get("content-length")).toBe(String(Buffer.byteLength(get.text)));
    expect((await send(service.app, path(), { method: "HEAD" })).status).toBe(401);
  });

  it("returns 204 without body and Allow for OPTIONS", async () => {
    const answer = await withKey("OPTIONS");
    expect([answer.status, answer.text, answer.headers.get("allow")]).toEqual([204, "", allow]);
    expect(answer.headers.get("content-type")).toBeNull();
  });

  it("allows other origins only for the requests of games", async () => {
    const answers = [await withKey("OPTIONS"), await withKey(endpoint.method)];
    const origins = answers.map((answer) => answer.headers.get("access-control-allow-origin"));
    const isForGames = endpoint.keys.includes("ingest");
    expect(origins).toEqual(isForGames ? ["*", "*"] : [null, null]);
    const bare = await send(service.app, path(), { method: "OPTIONS" });
    expect(bare.status).toBe(isForGames ? 204 : 401);
  });

  it("returns 404 for variants of its path", async () => {
    const [at = "", query] = path().split("?");
    const search = query ? `?${query}` : "";
    const cut = endpoint.path.lastIndexOf("/") + 1;
    const upper = at.slice(0, cut).toUpperCase() + at.slice(cut);
    const wrong = [
      `${at}/`,
      `${at}//`,
      `/${at}`,
      at.replace("/api/", "/api//"),
      at.replace("/api/", "/api/V1/"),
      upper,
    ];
    for (const other of wrong.map((one) => one + search)) {
      const answer = await withKey(endpoint.method, other);
      expect([other, answer.status, answer.text]).toEqual([other, 404, '{"error":"Not found"}']);
    }
  });

  it("ignores unknown query parameters", async () => {
    const plain = await call(service, endpoint, sample(), { key: own() });
    const extra = [
      "colour=red",
      "colour=blue",
      "__proto__=1",
      "constructor=",
      "hasOwnProperty",
      "=",
      "%zz=%zz",
      "&&",
    ];
    const answer = await call(service, endpoint, sample(), { key: own(), extra });
    expect([answer.status, answer.text]).toEqual([plain.status, plain.text]);
  });
});

describe("paths without an endpoint", () => {
  const paths = ["/api/v1", "/api/v1/", "/api/v1/nothing", "/api/v1/games/x/y/z", "/api/v1/builds"];

  it.each(paths)("%s returns 401 without a key", async (path) => {
    expect((await service.get(path, { key: null })).text).toBe(missing);
    expect((await service.get(path, { key: unknownKey })).text).toBe(invalid);
    expect((await service.get(path, { key: service.keys.ingest })).status).toBe(403);
    const answer = await service.get(path);
    expect([answer.status, answer.text]).toEqual([404, '{"error":"Not found"}']);
  });

  it.each(["/", "/api", "/api/v2/games", "/api/v1games", "/API/v1/games", "/favicon.ico"])(
    "%s is not found",
    async (path) => {
      for (const key of [null, service.keys.management]) {
        const answer = await service.get(path, { key });
        expect([answer.status, answer.text]).toEqual([404, '{"error":"Not found"}']);
      }
    },
  );

  it("return 401 and with a key 404 below /api/telemetry", async () => {
    for (const path of ["/api/telemetry/", "/api/telemetry/nothing"]) {
      expect((await service.post(path, {}, { key: null })).status).toBe(401);
      expect((await service.post(path, {}, { key: service.keys.management })).json.requiredScope).toBe(
        "ingest",
      );
      expect((await service.post(path, {})).text).toBe('{"error":"Not found"}');
    }
  });
});

it("issuing a new management key revokes the previous one immediately, but no ingest keys", async () => {
  const own = await startTestService();
  const { issueKeys } = await import("../../src/server/accounts/accounts.ts");
  const fresh = await issueKeys(own.service.store.writeDb, own.service, own.accountId);
  expect((await own.get("/api/v1/games")).text).toBe(invalid);
  expect((await own.get("/api/v1/games", { key: fresh.management })).status).toBe(200);
  await own.addGame("fresh");
  for (const key of [own.keys.ingest, fresh.ingest]) {
    expect((await own.post("/api/telemetry", { gameId: "fresh", events: [] }, { key })).status).toBe(202);
  }
  await own.stop();
});

it("does not report any errors", () => {
  expect(service.faults).toEqual([]);
});
