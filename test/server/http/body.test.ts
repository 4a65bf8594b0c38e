/** The body of telemetry requests: size, encoding, content type and validation. */
import { deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../../harness.ts";
import { createEvents } from "../telemetry-helpers.ts";

const MIB = 1024 * 1024;
let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  await service.addGame("maze");
  await service.addGame("tower");
});

afterAll(() => service.stop());

const post = (body: unknown, headers: Record<string, string> = {}) =>
  service.post("/api/telemetry", body, { headers });

/** Creates a body of exactly `bytes` bytes. */
function bodyOf(bytes: number): string {
  const head = '{"gameId":"maze","events":[]';
  return `${head}${" ".repeat(bytes - head.length - 1)}}`;
}

const gzip = { "content-encoding": "gzip" };

describe("size", () => {
  it("is limited to 1 MiB", async () => {
    expect((await post(bodyOf(MIB))).status).toBe(202);
    for (const length of [undefined, String(MIB + 1)]) {
      const answer = await post(bodyOf(MIB + 1), length ? { "content-length": length } : {});
      expect([answer.status, answer.json]).toEqual([413, { error: `The body must be at most ${MIB} bytes` }]);
    }
  });

  it("is measured after decompression", async () => {
    expect((await post(gzipSync(bodyOf(MIB)), gzip)).status).toBe(202);
    expect((await post(gzipSync(bodyOf(MIB + 1)), gzip)).status).toBe(413);
    const bomb = gzipSync(Buffer.alloc(200 * MIB), { level: 9 });
    expect(bomb.length).toBeLessThan(MIB);
    expect((await post(bomb, gzip)).status).toBe(413);
  });

  it("is measured in bytes, not characters", async () => {
    const wide = JSON.stringify({ gameId: "maze", events: [], note: "é".repeat(MIB / 2) });
    expect((await post(wide)).status).toBe(413);
  });

  it("is limited to 2,000 events", async () => {
    const events = createEvents(Array.from({ length: 2001 }, () => "x"));
    const most = await post({ gameId: "maze", events: events.slice(0, 2000) });
    expect([most.status, most.json.accepted]).toEqual([202, 2000]);
    const answer = await post({ gameId: "maze", events });
    expect(answer.status).toBe(400);
    expect(answer.json.issues).toEqual([
      { path: ["events"], code: "custom", message: "must have at most 2000 events" },
    ]);
  });
});

describe("encoding", () => {
  it("may be gzip, in upper or lower case, or identity", async () => {
    const body = JSON.stringify({ gameId: "maze", events: [] });
    for (const encoding of ["gzip", "GZIP"]) {
      expect((await post(gzipSync(body), { "content-encoding": encoding })).status).toBe(202);
    }
    expect((await post(body, { "content-encoding": "identity" })).status).toBe(202);
  });

  it("returns 415 for other encodings", async () => {
    for (const encoding of ["br", "deflate", "zstd", "gzip, gzip", "x"]) {
      const answer = await post(deflateSync("{}"), { "content-encoding": encoding });
      expect([encoding, answer.status, Object.keys(answer.json)]).toEqual([encoding, 415, ["error"]]);
    }
  });

  it("returns 400 for invalid gzip data", async () => {
    const whole = gzipSync(bodyOf(5000));
    const broken = Buffer.from(whole);
    broken[broken.length - 6] = (broken[broken.length - 6] ?? 0) ^ 0xff;
    for (const bytes of [
      Buffer.from("{}"),
      whole.subarray(0, -9),
      whole.subarray(0, 5),
      Buffer.alloc(0),
      broken,
    ]) {
      const answer = await post(bytes, gzip);
      expect([answer.status, answer.json.issues?.[0]]).toEqual([
        400,
        { path: [], code: "invalid_json", message: expect.any(String) },
      ]);
    }
  });
});

describe("type", () => {
  it.each([
    "application/json",
    "application/json; charset=utf-8",
    "Application/JSON",
    "application/json;x=y",
  ])("may be %s", async (type) => {
    expect((await post({ gameId: "maze", events: [] }, { "content-type": type })).status).toBe(202);
  });

  it.each([
    "text/plain",
    "application/jsonx",
    "application/x-ndjson",
    "text/json",
    "application/x-www-form-urlencoded",
    "",
  ])("returns 415 for %j", async (type) => {
    const answer = await post({ gameId: "maze", events: [] }, { "content-type": type });
    expect([answer.status, Object.keys(answer.json)]).toEqual([415, ["error"]]);
  });
});

describe("JSON", () => {
  it.each([
    ["an empty body", ""],
    ["half an object", '{"gameId":"maze",'],
    ["two objects", '{"gameId":"maze","events":[]}{}'],
    ["form data", "gameId=maze"],
    ["a trailing comma", '{"gameId":"maze","events":[],}'],
    ["invalid UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])("is refused as %s", async (_, body) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.json).sort()).toEqual(["error", "issues"]);
    expect(answer.json.issues).toEqual([
      { path: [], code: "invalid_json", message: expect.stringMatching(/JSON/) },
    ]);
  });

  it.each([
    ["null", "null"],
    ["a number", "7"],
    ["a list", "[]"],
    ["a string", '"{}"'],
  ])("is refused as %s", async (_, body) => {
    const answer = await post(body);
    expect([answer.status, answer.json.issues.length]).toEqual([400, 1]);
  });

  it("reports all invalid fields at once", async () => {
    const wrong = {
      gameId: "",
      sessionId: 7,
      clientSessionId: "x".repeat(121),
      deviceId: "x".repeat(129),
      testerHandle: null,
      title: "",
      source: "manual",
      environment: "all",
      startedAt: -1,
      country: "de",
      region: "a\0b",
      city: "\ud800",
      sessionMetadata: { gameVersion: "", platform: 5 },
      experimentTags: { exp_1: 2 },
      sessionEnded: "yes",
      events: {},
    };
    const answer = await post(wrong);
    expect(answer.status).toBe(400);
    expect(answer.json.issues.map(({ path }: { path: string[] }) => path.join("."))).toEqual([
      "sessionId",
      "clientSessionId",
      "deviceId",
      "environment",
      "events",
    ]);
  });

  it.each([
    ["clientSessionId", "\ud800"],
    ["deviceId", "a\udc00"],
    ["environment", "a b"],
    ["environment", "x".repeat(65)],
    ["events", undefined],
    ["events", null],
  ])("rejects %s %j", async (field, value) => {
    const answer = await post({ gameId: "maze", events: [], [field]: value });
    expect([answer.status, answer.json.issues?.map(({ path }: { path: string[] }) => path[0])]).toEqual([
      400,
      [field],
    ]);
  });

  it.each([
    ["startedAt", 0],
    ["startedAt", 8_640_000_000_000_000],
    ["clientSessionId", "x".repeat(120)],
    ["deviceId", "x".repeat(128)],
    ["environment", "x".repeat(64)],
    ["somethingNew", { any: "thing" }],
  ])("accepts %s %j", async (field, value) => {
    expect((await post({ gameId: "maze", events: [], [field]: value })).status).toBe(202);
  });
});

it("does not report any errors", () => {
  expect(service.faults).toEqual([]);
});
