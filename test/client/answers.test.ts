/** What the client makes of answers: it keeps what it does not know, and refuses what breaks the contract. */
import { describe, expect, test } from "vitest";
import { type ClientOptions, callEndpoint } from "../../src/client/client.ts";
import type { ClientError } from "../../src/client/errors.ts";
import type { Endpoint } from "../../src/contract/define.ts";
import { endpoints } from "../../src/contract/index.ts";
import { runCli } from "../harness.ts";
import { answers, GAME, INSIGHT, pageOf, SESSION } from "./answers.ts";
import { type Given, script } from "./script.ts";

const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "secret-key" };
const run = (argv: string[], reply: Given) => runCli(argv, { env, transport: script(reply).transport });

/** Input that every endpoint takes. */
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
  body: { events: [] },
};

async function call(endpoint: Endpoint, reply: Given): Promise<unknown> {
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

test("a name that is no Unicode text can be asked for, and is not found", async () => {
  const asked: string[] = [];
  const { transport } = script(({ url }) => {
    asked.push(url);
    return { status: 404, body: '{"error":"Not found"}' };
  });
  for (const argv of [
    ["games", "get", "a\ud800b"],
    ["sessions", "list", "--build", "a\ud800b"],
  ]) {
    const { code } = await runCli(argv, { env, transport });
    expect(code, argv.join(" ")).toBe(44);
  }
  expect(asked.map((url) => url.includes("a%EF%BF%BDb"))).toEqual([true, true]);
});

type Path = readonly (string | number)[];

/** The path of every field of a body. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [];
  const below = Object.entries(value).map(([key, child]) => {
    const here = [...path, Array.isArray(value) ? Number(key) : key];
    return [here, ...pathsOf(child, here)];
  });
  return below.flat();
}

/** A copy of a body with one field replaced, or left out. */
function changed(body: unknown, path: Path, value: unknown): unknown {
  const copy: unknown = JSON.parse(JSON.stringify(body));
  const parent = path.slice(0, -1).reduce((at, key) => (at as Record<string, unknown>)[key], copy);
  const last = path.at(-1) ?? "";
  if (value === undefined) delete (parent as Record<string, unknown>)[last];
  else (parent as Record<string, unknown>)[last] = value;
  return copy;
}

/** Maps whose every field is known: one of another type is no later addition. */
const RECORDS = ["byName", "event_counts", "experiments"];

describe.each(Object.entries(endpoints))("%s", (name, endpoint: Endpoint) => {
  const body = answers[name];

  test("is answered unchanged, with every field it does not know", async () => {
    const objects = [[], ...pathsOf(body)].filter((path) => {
      const at = path.reduce((value: unknown, key) => (value as Record<string, unknown>)[key], body);
      return typeof at === "object" && at !== null && !Array.isArray(at);
    });
    for (const path of objects.filter((one) => !RECORDS.includes(String(one.at(-1))))) {
      const more = changed(body, [...path, "later"], { added: ["in", 2027] });
      expect(await call(endpoint, { body: more })).toEqual(more);
    }
  });

  test("names the path of whatever breaks the contract", async () => {
    for (const path of pathsOf(body).filter((one) => !one.includes("summaryState"))) {
      const error = (await call(endpoint, { body: changed(body, path, { not: "it" }) })) as ClientError;
      // A loose object takes any other.
      if (error.code === undefined) continue;
      expect(error.code).toBe("contract");
      const told = /breaks the contract at (.*?): /.exec(error.message)?.[1] ?? "";
      expect(`${told}.`).toContain(`${path.join(".")}.`);
    }
  });

  test.each([
    ["no JSON", "<html>hello</html>", /answered with no JSON/],
    ["nothing", "", /answered with no JSON/],
    ["half a body", '{"games":[', /answered with no JSON/],
    ["null", "null", /at the body/],
    ["a list", "[]", /at the body/],
  ])("breaks the contract with %s", async (_name, text, told) => {
    const error = (await call(endpoint, { body: text })) as ClientError;
    expect([error.code, error.message]).toEqual(["contract", expect.stringMatching(told)]);
  });
});

describe("the command line", () => {
  test("tells the field that breaks the contract, with exit code 53 and the request's id", async () => {
    const outcome = await run(["sessions", "list"], {
      body: pageOf([SESSION, { ...SESSION, recordedAt: "yesterday" }]),
      headers: { "x-request-id": "req-7" },
    });
    expect([outcome.code, outcome.out]).toEqual([53, ""]);
    expect(outcome.err).toMatchInlineSnapshot(`
      "error: The answer of /api/v1/sessions breaks the contract at items.1.recordedAt: must be a number
      hint: Check that the base URL is a playtest service.
      request: req-7
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
  ])("%s takes null and absent alike in %s %s", async (line, name, field) => {
    const path = name === "listSessions" ? ["items", 0, field] : field.split(".");
    const shown = async (value: unknown) => {
      const { code, out } = await run([...line.split(" "), "--wide"], {
        body: changed(answers[name], path, value),
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
    ["insights list", "listInsights", "items.0.title"],
    ["insights list", "listInsights", "items.0.tag"],
    ["builds compare 1 2 -g x", "compareBuilds", "buildA.byTag"],
    ["builds compare 1 2 -g x", "compareBuilds", "buildA.sessionCount"],
    ["builds compare 1 2 -g x", "compareBuilds", "diff.changes.0.testersA"],
    ["builds compare 1 2 -g x", "compareBuilds", "diff.changes.0.testersB"],
  ])("%s needs no field that the API document does not list: %s %s", async (line, name, field) => {
    const body = changed(answers[name], field.split("."), undefined);
    expect(await run(line.split(" "), { body })).toMatchObject({ code: 0, err: "" });
  });

  test("shows values of enums that a later service adds", async () => {
    const show = async (line: string, body: unknown) => (await run(line.split(" "), { body })).out;
    const session = { ...SESSION, status: "archived", source: "cloud-telemetry" };
    expect(await show("sessions list --wide", pageOf([session]))).toMatch(/archived.*cloud-telemetry/);
    const insight = { ...INSIGHT, type: "wonder", sentiment: "mixed" };
    expect(await show("insights list --wide", pageOf([insight]))).toMatch(/wonder.*mixed/);
    const kind = changed(answers.compareBuilds, ["diff", "changes", 0, "kind"], "moved");
    expect(await show("builds compare 1 2 -g x", kind)).toContain("moved (1)");
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
        `error: The service answered ${status}, a redirect to https://evil.test/take, which is not followed\n` +
          "hint: Set the base URL to where the service is.\n",
      );
    },
  );

  test("sends what it should and nothing more", async () => {
    const { transport, requests } = script({ body: answers.listGames });
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
    "sends the build %s as one segment",
    async (version) => {
      const { transport, requests } = script({ body: answers.getBuild });
      await runCli(["builds", "get", version, "-g", GAME.slug], { env, transport });
      expect(new URL(requests[0]?.url ?? "").pathname).toBe(
        `/api/v1/builds/ember/${encodeURIComponent(version)}`,
      );
    },
  );

  test.each(["sessions get", "games get", "builds get", "testers get"])(
    "refuses the ids . and .. in %s, which URLs would swallow",
    async (line) => {
      for (const id of [".", ".."]) {
        const { transport, requests } = script({ body: answers.getSession });
        const outcome = await runCli([...line.split(" "), id, "-g", "ember"], { env, transport });
        expect([outcome.code, requests]).toEqual([2, []]);
      }
    },
  );
});

describe("errors of the service", () => {
  test("with issues of any shape are told, not tripped over", async () => {
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
    ["a text that is no text", { error: { deep: true } }],
    ["no JSON", "<h1>Bad gateway</h1>"],
    ["an empty body", ""],
    ["null", "null"],
  ])("with %s are told by their status", async (_name, body) => {
    const outcome = await run(["games", "list", "--max-wait", "0"], { status: 418, body });
    expect(outcome.code).toBe(45);
    expect(outcome.err).toContain("error: HTTP 418: no error message\n");
  });
});
