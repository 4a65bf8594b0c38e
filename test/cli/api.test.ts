/** Tests of `api`, which sends the key only to the configured service, and of `ingest discord`. */
import { describe, expect, test } from "vitest";
import { script } from "../client/script.ts";
import { runCli } from "../harness.ts";

const env = { PLAYTEST_BASE_URL: "https://service.test/base", PLAYTEST_KEY: "m", PLAYTEST_INGEST_KEY: "i" };

async function asked(...argv: string[]) {
  const made = script({ body: { a: [1], new: { field: true } } });
  const run = await runCli(["api", ...argv], { env, transport: made.transport });
  return { ...run, requests: made.requests };
}

describe("api", () => {
  test.each([
    [["games"], "https://service.test/base/api/v1/games"],
    [["/api/v1/sessions?limit=5"], "https://service.test/base/api/v1/sessions?limit=5"],
    [
      ["sessions?limit=5", "-f", "q=a b&c=d"],
      "https://service.test/base/api/v1/sessions?limit=5&q=a+b%26c%3Dd",
    ],
    [["builds/ember/1.0%2Fbeta"], "https://service.test/base/api/v1/builds/ember/1.0%2Fbeta"],
    [["x", "-f", "a=", "-f", "a=1=2"], "https://service.test/base/api/v1/x?a=&a=1%3D2"],
  ])("%j requests the right path", async (argv, url) => {
    const { code, requests } = await asked(...argv);
    expect([code, requests.map((request) => [request.method, request.url])]).toEqual([0, [["GET", url]]]);
    expect(requests[0]?.headers.authorization).toBe("Bearer m");
  });

  test("prints the response body unchanged", async () => {
    expect((await asked("games")).out).toBe('{"a":[1],"new":{"field":true}}\n');
    expect((await asked("games", "--jq", ".new.field")).out).toBe("true\n");
  });

  test("sends the ingest key on request", async () => {
    const { requests } = await asked("/api/telemetry/experiments", "--ingest-key", "-f", "gameId=ember");
    expect(requests[0]?.headers.authorization).toBe("Bearer i");
  });

  test.each(["https://evil.test/x", "//evil.test/x", "\\\\evil.test/x", "/\\evil.test/x", "http:evil.test"])(
    "%s is refused before anything is sent",
    async (path) => {
      const { code, requests, err } = await asked(path);
      expect([code, requests]).toEqual([2, []]);
      expect(err).toContain("is a URL, not a path");
    },
  );

  test.each(["game", "=ember"])("rejects --field %s", async (field) => {
    const { code, requests } = await asked("games", "-f", field);
    expect([code, requests]).toEqual([2, []]);
  });

  test("ends with the exit code of the response", async () => {
    const { transport } = script({ status: 404, body: { error: "Not found" } });
    expect((await runCli(["api", "nope"], { env, transport })).code).toBe(44);
  });
});

describe("ingest discord", () => {
  const line = ["ingest", "discord", "--game", "ember", "--channel", "1187"];

  test("sends the thread once, with the management key in the query", async () => {
    const { transport, requests } = script({
      status: 201,
      body: { sessionsCreated: 1, messagesIngested: 0 },
    });
    const run = await runCli([...line, "--thread", "2290"], { env, transport });
    expect([run.code, run.out]).toEqual([0, "Session   opened\nMessages  0\n"]);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.url).toBe("https://service.test/base/api/webhooks/discord?key=m");
    expect(requests[0]?.headers.authorization).toBeUndefined();
    expect(JSON.parse(String(requests[0]?.body))).toEqual({
      channel_id: "1187",
      game: "ember",
      thread_id: "2290",
    });
  });

  test("reports that an open session was extended", async () => {
    const { transport } = script({ body: { sessionsCreated: 0, messagesIngested: 2 } });
    expect((await runCli(line, { env, transport })).out).toContain("extended (it was already open)");
  });

  test("does not retry after an error", async () => {
    const { transport, requests } = script({ status: 500, body: { error: "x" } });
    expect([(await runCli(line, { env, transport })).code, requests.length]).toEqual([50, 1]);
  });

  test("requires a channel", async () => {
    const { transport, requests } = script({});
    const run = await runCli(["ingest", "discord", "--game", "ember"], { env, transport });
    expect([run.code, requests]).toEqual([2, []]);
    expect(run.err).toContain("--channel is required");
  });
});
