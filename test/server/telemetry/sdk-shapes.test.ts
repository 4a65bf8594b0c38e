/** What SDKs of other engines send: headers, unset fields and odd metadata. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issueKey } from "../../../src/server/accounts/keys.ts";
import { defaultRateLimits } from "../../../src/server/http/rate-limits.ts";
import { readStoredText } from "../../engine.ts";
import { freshFolder, NOW, startTestService, type TestService } from "../../harness.ts";
import { readSession } from "../telemetry-helpers.ts";

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startTestService();
  const gameId = await service.addGame("maze", "Maze");
  key = await issueKey(service.service.store.writeDb, service.accountId, "ingest", NOW, gameId);
});

afterAll(() => service.stop());

const event = { id: "e1", name: "jump", timestamp: NOW };

/** Sends a body with the key that is limited to the game. */
const post = (body: object, headers: Record<string, string> = {}) =>
  service.post("/api/telemetry", { events: [event], ...body }, { key, headers });

async function create(body: object, headers: Record<string, string> = {}) {
  const answer = await post(body, headers);
  expect([answer.status, answer.text]).toEqual([202, answer.text]);
  const { session } = await readSession(service, answer.json.sessionId);
  return { session, warnings: answer.json.warnings as string[] | undefined };
}

describe("the headers of an SDK", () => {
  it("set the environment and the source, whatever the vendor is called", async () => {
    for (const vendor of ["Studio", "some-vendor", "x"]) {
      const headers = { [`X-${vendor}-Environment`]: "dev", [`X-${vendor}-SDK`]: "unity" };
      expect((await create({}, headers)).session).toMatchObject({
        environment: "dev",
        source: "unity-telemetry",
      });
    }
  });

  it.each([
    ["unity", "unity-telemetry"],
    ["unreal", "unreal-telemetry"],
    ["Godot", "godot-telemetry"],
    [" python ", "python-telemetry"],
    ["typescript/1.2.0", "typescript-telemetry"],
  ])("name the SDK %j", async (name, source) => {
    const { session, warnings } = await create({}, { "X-Studio-SDK": name });
    expect([session.source, warnings]).toEqual([source, undefined]);
  });

  it("are overridden by the body", async () => {
    const body = { environment: "beta", source: "godot-telemetry" };
    const headers = { "X-Studio-Environment": "Not a slug", "X-Studio-SDK": "unity" };
    expect((await create(body, headers)).session).toMatchObject(body);
  });

  it("are not required, and empty ones are ignored", async () => {
    const { session } = await create({}, { "X-Studio-Environment": " ", "X-Studio-SDK": "" });
    expect(session).toMatchObject({ environment: "production", source: "typescript-telemetry" });
  });

  it("lead to the default source with a warning if the SDK is unknown", async () => {
    const { session, warnings } = await create({}, { "X-Studio-SDK": "cobol" });
    expect([session.source, warnings]).toEqual([
      "typescript-telemetry",
      ['X-Studio-SDK names the unknown SDK "cobol". The default source was used instead.'],
    ]);
  });

  it.each(["Dev", "a b", "all", "x".repeat(65)])("are rejected for the environment %j", async (slug) => {
    const answer = await post({}, { "X-Studio-Environment": slug });
    expect(answer.status).toBe(400);
    expect(answer.json.issues[0].path).toEqual(["X-Studio-Environment"]);
    expect(answer.json.error).toContain(`X-Studio-Environment must`);
    expect(answer.json.error).toContain(JSON.stringify(slug));
  });

  it("count in alphabetical order, without those that are invalid", async () => {
    const headers = { "X-B-Environment": "b", "X-C-Environment": "c", "X-A-Environment": "No slug" };
    expect((await create({}, headers)).session.environment).toBe("b");
  });
});

describe("a telemetry body", () => {
  it("may contain null and empty text for unset fields", async () => {
    const unset = {
      sessionId: null,
      clientSessionId: "",
      deviceId: null,
      testerHandle: "",
      title: null,
      source: null,
      environment: "",
      startedAt: null,
      country: "",
      sessionMetadata: { gameVersion: "", platform: null },
      experimentTags: null,
      sessionEnded: null,
      events: [{ ...event, data: null }],
    };
    const { session, warnings } = await create(unset);
    expect(warnings).toBeUndefined();
    expect(session).toMatchObject({ environment: "production", deviceId: null });
    expect(session.metadata).toEqual({ gameVersion: "unknown", platform: "unknown" });
  });

  it("may contain fields of SDKs that the service does not use", async () => {
    const body = {
      vendorId: "v",
      linkedId: null,
      consentLevel: "basic",
      sessionMetadata: { gameVersion: 1.5, traceChunks: 3 },
      events: [{ ...event, tr: { s: 1 } }],
    };
    const { session, warnings } = await create(body);
    expect(warnings).toBeUndefined();
    expect(session.metadata).toEqual({ gameVersion: "1.5", platform: "unknown", traceChunks: 3 });
  });

  it("is stored without invalid metadata, and the response lists what was ignored", async () => {
    const body = {
      title: "x".repeat(121),
      country: "DEU",
      startedAt: "yesterday",
      testerHandle: 7,
      sessionMetadata: { gameVersion: "v".repeat(121), platform: ["pc"], level: 3 },
      experimentTags: { exp_1: "a", exp_2: 5, exp_3: null },
    };
    const { session, warnings } = await create(body);
    expect(session.metadata).toEqual({ gameVersion: "unknown", platform: "unknown", level: 3 });
    expect(warnings?.map((warning) => warning.split(" ")[0])).toEqual([
      "title",
      "testerHandle",
      "country",
      "startedAt",
      "sessionMetadata.gameVersion",
      "sessionMetadata.platform",
      "experimentTags.exp_2",
    ]);
    expect((await create({ sessionMetadata: "1.0", experimentTags: [] })).warnings).toEqual([
      "sessionMetadata must be a JSON object. It was ignored.",
      expect.stringMatching(/^experimentTags.* It was ignored\.$/),
    ]);
  });

  it("is stored without an invalid end of the session", async () => {
    const { session, warnings } = await create({ sessionEnded: "yes" });
    expect([session.status, warnings]).toEqual([
      "pending",
      [expect.stringMatching(/^sessionEnded.* It was ignored\.$/)],
    ]);
  });

  it.each([
    ["unity", "unity-telemetry", 0],
    ["Godot/4.2", "godot-telemetry", 0],
    ["cobol", "python-telemetry", 1],
    [7, "python-telemetry", 1],
  ])("may name its source as headers do: %j", async (source, expected, warningCount) => {
    const { session, warnings = [] } = await create({ source }, { "X-Studio-SDK": "python" });
    expect([session.source, warnings.length]).toEqual([expected, warningCount]);
  });

  it("gets a limited number of warnings", async () => {
    const experimentTags = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`exp_${at}`, at]));
    expect((await create({ experimentTags })).warnings?.length).toBe(20);
  });
});

describe("the start of a session", () => {
  const start = (data: object) => ({ events: [{ ...event, name: "session_start", data }] });

  it("provides the build and platform if the metadata does not contain them", async () => {
    const data = { platform: "WindowsPlayer", buildVersion: "0.9.1", version: "2" };
    const { session } = await create(start(data));
    expect(session.metadata).toEqual({ gameVersion: "0.9.1", platform: "WindowsPlayer" });
    expect(session.title).toContain("0.9.1 on WindowsPlayer");
    const both = await create({ ...start(data), sessionMetadata: { gameVersion: "1", platform: "" } });
    expect(both.session.metadata).toEqual({ gameVersion: "1", platform: "WindowsPlayer" });
  });

  it("is ignored if its data is invalid", async () => {
    const { session } = await create(start({ platform: 7, gameVersion: "..", version: ["1"] }));
    expect(session.metadata).toEqual({ gameVersion: "unknown", platform: "7" });
  });
});

describe("a repeated request that creates a session", () => {
  const body = { deviceId: "d1", sessionMetadata: { gameVersion: "1.0" } };

  it("creates only one session, also with further events", async () => {
    const one = (await post(body)).json;
    const next = { ...event, id: "e2", timestamp: NOW + 1 };
    expect((await post({ ...body, events: [event, next] })).json).toEqual({
      ...one,
      accepted: 1,
      duplicates: 1,
    });
    const { session } = await readSession(service, one.sessionId);
    expect(session.event_counts).toEqual({ jump: 2 });
  });

  it("creates only one session if the requests are concurrent", async () => {
    const race = { ...body, events: [{ ...event, id: "race" }] };
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(race)));
    expect(new Set(answers.map(({ json }) => json.sessionId)).size).toBe(1);
    expect(answers.reduce((sum, { json }) => sum + json.accepted, 0)).toBe(1);
  });

  it.each([
    ["another start time", { startedAt: NOW + 1 }],
    ["another title", { title: "Second attempt" }],
    [
      "a later event that names the build",
      {
        events: [
          { ...event, timestamp: NOW + 9 },
          { ...event, id: "e2", name: "session_start", data: { buildVersion: "2" } },
        ],
      },
    ],
  ])("creates only one session with %s", async (title, change) => {
    const first = { deviceId: title, startedAt: NOW, events: [{ ...event, timestamp: NOW + 9 }] };
    const one = (await post(first)).json.sessionId;
    expect((await post({ ...first, ...change })).json).toMatchObject({ sessionId: one, duplicates: 1 });
  });

  it.each([
    ["another device", { deviceId: "d2" }],
    ["no device", { deviceId: null }],
    ["another build", { sessionMetadata: { gameVersion: "1.1" } }],
    ["another environment", { environment: "dev" }],
    ["an event at another time", { events: [{ ...event, timestamp: NOW + 5 }] }],
    ["another event", { events: [{ ...event, id: "e9" }] }],
    ["its own client session id", { clientSessionId: "c1" }],
  ])("is a different request with %s", async (_, change) => {
    const one = (await post(body)).json.sessionId;
    expect((await post({ ...body, ...change })).json.sessionId).not.toBe(one);
  });

  it("is not recognized without events, or in another game", async () => {
    const empty = { ...body, events: [] };
    expect((await post(empty)).json.sessionId).not.toBe((await post(empty)).json.sessionId);
    const tower = { ...body, gameId: await service.addGame("tower"), events: [event] };
    expect((await service.post("/api/telemetry", tower)).json.sessionId).not.toBe(
      (await post(body)).json.sessionId,
    );
  });
});

describe("opting out of telemetry", () => {
  const receipt = { sessionId: null, accepted: 0, duplicates: 0, rejected: [] };
  const count = async () => (await service.get("/api/v1/sessions")).json.total as number;

  it.each(["opt-out", "Opt-Out"])("stores nothing with the consent level %j", async (consentLevel) => {
    const before = await count();
    const answer = await post({ consentLevel, deviceId: "secret-device" });
    expect([answer.status, answer.json]).toEqual([202, receipt]);
    expect(await count()).toBe(before);
  });

  it("stores nothing in an open session", async () => {
    const { session } = await create({});
    const body = { sessionId: session.id, consentLevel: "opt-out", sessionEnded: true };
    expect((await post({ ...body, events: [{ ...event, id: "e2" }] })).json).toEqual(receipt);
    expect((await readSession(service, session.id)).session).toEqual(session);
  });

  it.each([
    ["an invalid environment header", {}, { "X-Studio-Environment": "SECRET HEADER" }],
    ["an invalid environment", { environment: "SECRET BODY" }, {}],
    ["no events", { events: undefined }, {}],
    ["an invalid device", { deviceId: { name: "secret-device" } }, {}],
    ["a padded consent level", { consentLevel: `opt-out${" ".repeat(200)}` }, {}],
  ])(
    "gets the empty receipt even with %s, and nothing of the request is stored",
    async (_, body, headers) => {
      const sent = { consentLevel: "opt-out", deviceId: "secret-device", ...body };
      const answer = await post(sent, headers as Record<string, string>);
      expect([answer.status, answer.json]).toEqual([202, receipt]);
      await service.service.arrivals.flush();
      expect((await service.get("/api/v1/telemetry/tail?limit=500")).text).not.toMatch(/secret/i);
    },
  );

  it("does not count toward the limit of the device", async () => {
    const file = join(freshFolder(), "play.db");
    const limited = await startTestService({
      database: file,
      limits: { ...defaultRateLimits, device: { points: 1, seconds: 60 } },
    });
    await limited.addGame("maze");
    const body = { gameId: "maze", consentLevel: "opt-out", deviceId: "secret-device", events: [event] };
    for (let requests = 0; requests < 3; requests += 1)
      expect((await limited.post("/api/telemetry", body)).status).toBe(202);
    await limited.stop();
    expect(await readStoredText(file)).not.toContain("secret-device");
  });
});

describe("resolving the game of a key", () => {
  it("returns the game that the key is limited to", async () => {
    const { status, json } = await service.get("/api/telemetry/resolve", { key });
    const { game } = (await service.get("/api/v1/games/maze")).json;
    expect([status, json]).toEqual([200, { gameId: game.id, slug: "maze", name: "Maze" }]);
  });

  it("ignores an empty game of SDKs, which the management API rejects", async () => {
    const { status, json } = await service.get("/api/telemetry/resolve?gameId=", { key });
    expect([status, json.slug]).toEqual([200, "maze"]);
    const experiments = "/api/telemetry/experiments?gameId=&deviceId=d1";
    expect((await service.get(experiments, { key })).status).toBe(200);
    expect((await service.get(`${experiments}&buildVersion=`, { key })).status).toBe(400);
    const missing = await service.get("/api/telemetry/experiments?gameId=&deviceId=", { key });
    expect([missing.status, missing.json.issues[0].path]).toEqual([400, ["deviceId"]]);
    expect((await service.get("/api/v1/sessions?game=")).status).toBe(400);
  });

  it("returns 400 with a reason for a key that is not limited to a game", async () => {
    const { status, json } = await service.get("/api/telemetry/resolve", { key: service.keys.ingest });
    expect([status, json.reason, json.error]).toEqual([
      400,
      "game_required",
      "gameId is required, because this key is not limited to one game",
    ]);
  });
});
