/** builds list and suggestions: what is gathered, what is resolved, and which side is missing. */
import { describe, expect, test } from "vitest";
import { createPage, responseBodies, SESSION } from "../client/response-fixtures.ts";
import { type ReplySource, script } from "../client/script.ts";
import { NOW, runCli } from "../harness.ts";

const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k", PLAYTEST_GAME: "ember" };
const DAY = 86_400_000;

const play = (id: number, gameVersion: string, change: object = {}) => ({
  ...SESSION,
  id: `sess_${id}`,
  recordedAt: NOW - id * DAY,
  duration: 60,
  metadata: { ...SESSION.metadata, gameVersion },
  ...change,
});

/** The response of a service that has no list of builds. */
const noList: ReplySource = { status: 404, body: { error: "Not found" } };

describe("builds list of a service without a list of builds", () => {
  const sessions = [
    play(1, "0.9.0"),
    play(2, "0.9.0-rc", { status: "failed" }),
    play(3, "0.9.0", { status: "pending", duration: 30 }),
    play(4, "0.8.0"),
  ];

  test("gathers a row a build, the last played first", async () => {
    const { transport, requests } = script(noList, { body: createPage(sessions) });
    const run = await runCli(["builds", "list", "--from", "30d", "--env", "beta", "--json"], {
      env,
      transport,
    });
    expect(JSON.parse(run.out)).toEqual({
      items: [
        {
          version: "0.9.0",
          sessionCount: 2,
          analyzedCount: 1,
          failedCount: 0,
          firstSeen: NOW - 3 * DAY,
          lastSeen: NOW - DAY,
          totalWallSec: 90,
        },
        {
          version: "0.9.0-rc",
          sessionCount: 1,
          analyzedCount: 0,
          failedCount: 1,
          firstSeen: NOW - 2 * DAY,
          lastSeen: NOW - 2 * DAY,
          totalWallSec: 60,
        },
        {
          version: "0.8.0",
          sessionCount: 1,
          analyzedCount: 1,
          failedCount: 0,
          firstSeen: NOW - 4 * DAY,
          lastSeen: NOW - 4 * DAY,
          totalWallSec: 60,
        },
      ],
      hasMore: false,
      total: 3,
      sessionsRead: 4,
      sessionsTotal: 4,
    });
    const asked = new URL(requests[1]?.url ?? "").searchParams;
    expect([asked.get("game"), asked.get("env"), asked.get("from")]).toEqual([
      "ember",
      "beta",
      String(NOW - 30 * DAY),
    ]);
  });

  test("leaves out sessions without a version, even if they are the newest", async () => {
    const { transport } = script(noList, { body: createPage([play(0, "unknown"), ...sessions]) });
    const run = await runCli(["builds", "list", "--jq", "[.items[].version]"], { env, transport });
    expect(JSON.parse(run.out)).toEqual(["0.9.0", "0.9.0-rc", "0.8.0"]);
  });

  test("says how much of the sessions it has read", async () => {
    const { transport } = script(noList, { body: createPage(sessions, 90, true) });
    const run = await runCli(["builds", "list", "--sessions", "4"], { env, transport });
    expect(run.out).toMatchInlineSnapshot(`
      "BUILD     SESSIONS  TESTERS  ANALYZED  FAILED  WALL TIME  LAST SEEN             ENVIRONMENTS
      ────────  ────────  ───────  ────────  ──────  ─────────  ────────────────────  ────────────
      0.9.0            2  -               1       0     1m 30s  2026-02-28T12:00:00Z  -
      0.9.0-rc         1  -               0       1     1m 00s  2026-02-27T12:00:00Z  -
      0.8.0            1  -               1       0     1m 00s  2026-02-25T12:00:00Z  -
      "
    `);
    expect(run.err).toBe(
      "Showing the builds of the newest 4 of 90 sessions. Use --all to read all sessions.\n",
    );
  });
});

const found: ReplySource = { body: responseBodies.getBuild };
const lost: ReplySource = { status: 404, body: { error: "Not found" } };

describe("what is not found", () => {
  const whatever = (missing: readonly string[]): ReplySource => {
    return ({ url }) => {
      if (url.includes("/sessions")) return { body: { items: [], hasMore: false, total: 0 } };
      const version = decodeURIComponent(new URL(url).pathname.split("/").at(-1) ?? "");
      const isBuild = /^\d/.test(version);
      return isBuild && !missing.includes(version) ? (found as object) : (lost as object);
    };
  };

  test.each([
    [["0.7.0"], "No build 0.7.0 in ember"],
    [["0.9.0"], "No build 0.9.0 in ember"],
    [["0.7.0", "0.9.0"], "No builds 0.7.0 and 0.9.0 in ember"],
    [[], "No build 0.7.0 or build 0.9.0 in ember"],
  ])("where %j is missing, is named", async (missing, told) => {
    for (const verb of ["compare", "suggestions"]) {
      const { transport } = script(whatever(missing));
      const run = await runCli(["builds", verb, "0.7.0", "0.9.0"], { env, transport });
      expect([run.code, run.err]).toEqual([44, expect.stringContaining(`error: ${told}\n`)]);
      expect(run.err).toMatch(/hint: .*`playtest builds list --game [^`]+`/);
    }
  });
});

describe("builds suggestions", () => {
  test("asks for one build, or for two", async () => {
    const one = script({ body: responseBodies.getBuildSuggestions });
    await runCli(["builds", "suggestions", "0.9.0", "--env", "beta"], { env, transport: one.transport });
    expect(one.requests.map(({ url }) => new URL(url).search)).toEqual(["?game=ember&build=0.9.0&env=beta"]);
    const two = script({ body: responseBodies.getBuildSuggestions });
    await runCli(["builds", "suggestions", "0.8.0", "0.9.0"], { env, transport: two.transport });
    expect(two.requests.map(({ url }) => new URL(url).search)).toEqual(["?game=ember&a=0.8.0&b=0.9.0"]);
  });

  test("shows each suggestion with its evidence", async () => {
    const { transport } = script({ body: responseBodies.getBuildSuggestions });
    const run = await runCli(["builds", "suggestions", "0.8.0", "0.9.0"], { env, transport });
    expect(run.out).toMatchInlineSnapshot(`
      "ember 0.9.0 vs 0.8.0 · production · what to fix first

      1. Ease the furnace
         Most fail there.

      Written by the AI model.
      "
    `);
  });

  test("shows no line of evidence for what has no insights", async () => {
    const quit = {
      title: "Find out why testers quit in hall",
      rationale: "11 quit.",
      evidence: [],
      confidence: 1,
    };
    const body = { ...(responseBodies.getBuildSuggestions as object), suggestions: [quit] };
    const run = await runCli(["builds", "suggestions", "1", "2"], {
      env,
      transport: script({ body }).transport,
    });
    expect(run.out).toContain("11 quit.");
    expect(run.out).not.toContain("Evidence");
  });

  test("refuses every environment at once before any request", async () => {
    const { transport, requests } = script({ body: responseBodies.getBuildSuggestions });
    const run = await runCli(["builds", "suggestions", "0.9.0", "--env", "all"], { env, transport });
    expect([run.code, requests.length]).toEqual([2, 0]);
  });

  test("without a model of the account is exit code 42", async () => {
    const { transport } = script({ status: 402, body: { error: "Payment required", requiresPremium: true } });
    const run = await runCli(["builds", "suggestions", "0.9.0"], { env, transport });
    expect(run.code).toBe(42);
  });
});
