/** Responses: the client keeps unknown fields, and rejects responses that break the contract. */
import { describe, expect, test } from "vitest";
import { type ClientOptions, callEndpoint } from "../../src/client/client.ts";
import type { ClientError } from "../../src/client/errors.ts";
import type { Endpoint } from "../../src/contract/define.ts";
import { endpoints } from "../../src/contract/index.ts";
import { runCli } from "../harness.ts";
import { createPage, GAME, INSIGHT, responseBodies, SESSION } from "./response-fixtures.ts";
import { type ScriptedReply, script } from "./script.ts";

const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "secret-key" };
const run = (argv: string[], reply: ScriptedReply) =>
  runCli(argv, { env, transport: script(reply).transport });

/** Input that is valid for every endpoint. */
const input = {
  id: "x",
  game: "ember",
  gameId: "ember",
  slug: "ember",
  batchId: "ptb_1",
  version: "1",
  a: "1",
  b: "2",
  deviceId: "d",
  prefix: "sess_1",
  steps: "begin",
  body: { events: [] },
};

async function call(endpoint: Endpoint, reply: ScriptedReply): Promise<unknown> {
  const options: ClientOptions = {
    baseUrl: "http://127.0.0.1:1",
    key: "k",
    transport: script(reply).transport,
    waiting: { sleep: async () => {}, random: () => 0.5, onWait: () => {} },
    timeoutMs: 1000,
    maxWaitMs: 0,
  };
  return await callEndpoint(endpoint, input, options).catch((error: unknown) => error);
}

test("a name with a lone surrogate is sent with a replacement character", async () => {
  const urls: string[] = [];
  const { transport } = script(({ url }) => {
    if (!url.endsWith("/games")) urls.push(url);
    return { status: 404, body: '{"error":"Not found"}' };
  });
  for (const argv of [
    ["games", "get", "a\ud800b"],
    ["sessions", "list", "--build", "a\ud800b"],
  ]) {
    const { code } = await runCli(argv, { env, transport });
    expect(code, argv.join(" ")).toBe(44);
  }
  expect(urls.map((url) => url.includes("a%EF%BF%BDb"))).toEqual([true, true]);
});

type Path = readonly (string | number)[];

/** The path of every field of a body. */
function listPaths(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [];
  const below = Object.entries(value).map(([key, child]) => {
    const here = [...path, Array.isArray(value) ? Number(key) : key];
    return [here, ...listPaths(child, here)];
  });
  return below.flat();
}

/** A copy of a body with one field replaced, or removed if the value is undefined. */
function replaceField(body: unknown, path: Path, value: unknown): unknown {
  const copy: unknown = JSON.parse(JSON.stringify(body));
  const parent = path.slice(0, -1).reduce((at, key) => (at as Record<string, unknown>)[key], copy);
  const last = path.at(-1) ?? "";
  if (value === undefined) delete (parent as Record<string, unknown>)[last];
  else (parent as Record<string, unknown>)[last] = value;
  return copy;
}

/** Maps with values of one type, to which later versions cannot add fields of another type. */
const RECORDS = ["byName", "byValue", "event_counts", "experiments"];

describe.each(Object.entries(endpoints))("%s", (name, endpoint: Endpoint) => {
  const body = responseBodies[name];

  test("returns the response unchanged, including unknown fields", async () => {
    const objects = [[], ...listPaths(body)].filter((path) => {
      const at = path.reduce((value: unknown, key) => (value as Record<string, unknown>)[key], body);
      return typeof at === "object" && at !== null && !Array.isArray(at);
    });
    for (const path of objects.filter((field) => !RECORDS.includes(String(field.at(-1))))) {
      const extended = replaceField(body, [...path, "later"], { added: ["in", 2027] });
      expect(await call(endpoint, { body: extended })).toEqual(extended);
    }
  });

  test("names the path of an invalid field", async () => {
    for (const path of listPaths(body).filter((field) => !field.includes("summaryState"))) {
      const error = (await call(endpoint, { body: replaceField(body, path, { not: "it" }) })) as ClientError;
      // A loose object accepts any other object.
      if (error.code === undefined) continue;
      expect(error.code).toBe("contract");
      const named = /does not match the API contract: (\S+) /.exec(error.message)?.[1] ?? "";
      expect(`${named}.`).toContain(`${path.join(".")}.`);
    }
  });

  test.each([
    ["no JSON", "<html>hello</html>", /is not valid JSON/],
    ["nothing", "", /is not valid JSON/],
    ["half a body", '{"games":[', /is not valid JSON/],
    ["null", "null", /: the body must be/],
    ["a list", "[]", /: the body must be/],
  ])("rejects a body of %s", async (_name, text, message) => {
    const error = (await call(endpoint, { body: text })) as ClientError;
    expect([error.code, error.message]).toEqual(["contract", expect.stringMatching(message)]);
  });
});

describe("the command line", () => {
  test("names the invalid field and the request id, and exits with code 53", async () => {
    const outcome = await run(["sessions", "list"], {
      body: createPage([SESSION, { ...SESSION, recordedAt: "yesterday" }]),
      headers: { "x-request-id": "req-7" },
    });
    expect([outcome.code, outcome.out]).toEqual([53, ""]);
    expect(outcome.err).toMatchInlineSnapshot(`
      "error: The response of /api/v1/sessions does not match the API contract: items.1.recordedAt must be a number
      hint: Check that the base URL is a playtest service.
      "
    `);
  });

  test.each([
    ["sessions list", "listSessions", "testerHandle"],
    ["sessions get x", "getSession", "session.testerHandle"],
    ["sessions get x", "getSession", "session.transcript"],
    ["sessions get x", "getSession", "session.summaryState"],
    ["sessions get x", "getSession", "session.deviceId"],
    ["builds get 1 -g x", "getBuild", "summary"],
    ["builds get 1 -g x", "getBuild", "rollup.sampleCountry"],
    ["testers get x -g x", "getTester", "summary"],
    ["testers get x -g x", "getTester", "rollup.country"],
    ["testers get x -g x", "getTester", "rollup.region"],
    ["testers get x -g x", "getTester", "rollup.city"],
  ])("%s accepts both null and a missing value in %s %s", async (line, name, field) => {
    const path = name === "listSessions" ? ["items", 0, field] : field.split(".");
    const shown = async (value: unknown) => {
      const { code, out } = await run([...line.split(" "), "--wide"], {
        body: replaceField(responseBodies[name], path, value),
      });
      expect(code).toBe(0);
      return out;
    };
    expect(await shown(null)).toBe(await shown(undefined));
  });

  test.each([
    ["sessions get x", "getSession", "session.environment"],
    ["sessions get x", "getSession", "session.event_counts"],
    ["sessions get x", "getSession", "session.feedback"],
    ["sessions get x", "getSession", "insights.0.tag"],
    ["sessions get x", "getSession", "insights.0.title"],
    ["insights list --type difficulty-spike", "listInsights", "items.0.title"],
    ["insights list --type difficulty-spike", "listInsights", "items.0.tag"],
    ["builds compare 1 2 -g x", "compareBuilds", "buildA.byTag"],
    ["builds compare 1 2 -g x", "compareBuilds", "buildA.sessionCount"],
    ["builds compare 1 2 -g x", "compareBuilds", "diff.changes.0.testersA"],
    ["builds compare 1 2 -g x", "compareBuilds", "diff.changes.0.testersB"],
  ])("%s does not require the undocumented field of %s: %s", async (line, name, field) => {
    const body = replaceField(responseBodies[name], field.split("."), undefined);
    expect(await run(line.split(" "), { body })).toMatchObject({ code: 0, err: "" });
  });

  test("shows unknown enum values of later versions", async () => {
    const show = async (line: string, body: unknown) => (await run(line.split(" "), { body })).out;
    const session = { ...SESSION, status: "archived", source: "cloud-telemetry" };
    expect(await show("sessions list --wide", createPage([session]))).toMatch(/archived.*cloud-telemetry/);
    const insight = { ...INSIGHT, type: "wonder", sentiment: "mixed" };
    expect(await show("insights list --wide", createPage([insight]))).toMatch(/wonder.*mixed/);
    const kind = replaceField(responseBodies.compareBuilds, ["diff", "changes", 0, "kind"], "moved");
    expect(await show("builds compare 1 2 -g x --format csv", kind)).toMatch(/,"moved",/);
  });

  test.each([301, 302, 303, 307, 308, 304])(
    "does not follow a %i, and sends the key nowhere else",
    async (status) => {
      const { transport, requests } = script({
        status,
        headers: { location: "https://evil.test/take" },
        body: "",
      });
      const outcome = await runCli(["games", "list"], { env, transport });
      expect([outcome.code, requests.map((request) => request.url)]).toEqual([
        53,
        ["http://127.0.0.1:1/api/v1/games"],
      ]);
      expect(outcome.err).toBe(
        `error: The service responded with a redirect to https://evil.test/take (HTTP ${status}), which is not followed\n` +
          "hint: Set the base URL to the final address of the service.\n",
      );
    },
  );

  test("sends only the required headers", async () => {
    const { transport, requests } = script({ body: responseBodies.listGames });
    await runCli(["games", "list"], { env, transport });
    expect(requests).toEqual([
      {
        method: "GET",
        url: "http://127.0.0.1:1/api/v1/games",
        headers: {
          accept: "application/json",
          authorization: "Bearer secret-key",
          "user-agent": expect.stringMatching(/^playtest/),
        },
        timeoutMs: 30_000,
        signal: expect.any(AbortSignal),
      },
    ]);
  });

  test.each(["1.0/beta", "a b?c#d%", "été🔥", "1+2=3&x"])(
    "sends the build %s as one path segment",
    async (version) => {
      const { transport, requests } = script({ body: responseBodies.getBuild });
      await runCli(["builds", "get", version, "-g", GAME.slug], { env, transport });
      expect(new URL(requests[0]?.url ?? "").pathname).toBe(
        `/api/v1/builds/ember/${encodeURIComponent(version)}`,
      );
    },
  );

  test.each(["sessions get", "games get", "builds get", "testers get"])(
    "rejects the ids . and .. in %s, which URLs would drop",
    async (line) => {
      for (const id of [".", ".."]) {
        const { transport, requests } = script({ body: responseBodies.getSession });
        const outcome = await runCli([...line.split(" "), id, "-g", "ember"], { env, transport });
        expect([outcome.code, requests]).toEqual([2, []]);
      }
    },
  );
});

describe("errors of the service", () => {
  test("with invalid issues are reported with the valid ones", async () => {
    const issues = [
      null,
      5,
      "x",
      {},
      { path: 3, message: 4 },
      { path: ["limit"], code: "c", message: "too big" },
    ];
    const outcome = await run(["games", "list", "--json"], { status: 400, body: { error: "Bad", issues } });
    expect(outcome.code).toBe(40);
    expect(outcome.err).toContain("  limit: too big\n");
    const { error } = JSON.parse(outcome.err.trimEnd().split("\n").at(-1) ?? "");
    expect(error.issues).toEqual([{ path: ["limit"], code: "c", message: "too big" }]);
  });

  test.each([
    ["an error that is not text", { error: { deep: true } }],
    ["no JSON", "<h1>Bad gateway</h1>"],
    ["an empty body", ""],
    ["null", "null"],
  ])("with %s are reported with their status", async (_name, body) => {
    const outcome = await run(["games", "list", "--max-wait", "0"], { status: 418, body });
    expect(outcome.code).toBe(45);
    expect(outcome.err).toContain("error: HTTP 418: no error message\n");
  });
});
