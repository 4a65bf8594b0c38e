/** Events by hour, day and week: counts in complete UTC periods, limits, and charts. */
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NOW, runCli, startTestService, type TestService } from "../harness.ts";
import { changeSession } from "../server/telemetry-helpers.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MIDNIGHT = NOW - 12 * HOUR;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.addGame("ember", "Ember Hollow");
  await service.addGame("empty");
  await play("s1", MIDNIGHT - 3 * DAY + HOUR, ["jump", "jump", "death"]);
  await play("s2", MIDNIGHT - 3 * DAY + 20 * HOUR, ["jump"], "0.8.0");
  await play("s3", MIDNIGHT - DAY, []);
  await play("s4", MIDNIGHT + HOUR, ["death"]);
});
afterAll(() => service.stop());

async function play(device: string, at: number, names: readonly string[], build = "0.9.0", gameId = "ember") {
  const answer = await service.post("/api/telemetry", {
    gameId,
    startedAt: at,
    deviceId: device,
    sessionMetadata: { gameVersion: build, platform: "x" },
    sessionEnded: true,
    events: names.map((name, nth) => ({ id: `${nth}`, name, timestamp: at + nth })),
  });
  expect(answer.status).toBe(202);
  return answer;
}

const run = (line: string, more: object = {}) =>
  runCli([...line.split(" "), "-g", "ember"], { service, ...more });
const counted = async (line: string) => {
  const { out, err } = await run(`${line} --json`);
  expect(err).toBe("");
  return JSON.parse(out).buckets.map((one: { label: string; sessionCount: number; total: number }) => [
    one.label,
    one.sessionCount,
    one.total,
  ]);
};

describe("events --by", () => {
  test("day counts from the first session to the last, including days without sessions", async () => {
    expect(await counted("events --by day")).toEqual([
      ["2026-02-26", 2, 4],
      ["2026-02-27", 0, 0],
      ["2026-02-28", 1, 0],
      ["2026-03-01", 1, 1],
    ]);
  });

  test("uses complete UTC days for any times and zone", async () => {
    const { out } = await run(
      "events --by day --from 2026-02-26T19:00Z --to 2026-02-27T01:00Z --tz Asia/Tokyo --format csv",
    );
    expect(out).toBe(
      '"label","start","sessionCount","total","open"\n' +
        `"2026-02-26",${MIDNIGHT - 3 * DAY},2,4,"false"\n"2026-02-27",${MIDNIGHT - 2 * DAY},0,0,"false"\n`,
    );
  });

  test("has a column for each of the most frequent events in CSV and Markdown if --top is given", async () => {
    const range = "events --by day --from 2026-02-28 --to 2026-03-01";
    const csv = await run(`${range} --top 1 --format csv`);
    expect(csv.out).toBe(
      '"label","start","sessionCount","total","open","byName.death"\n' +
        `"2026-02-28",${MIDNIGHT - DAY},1,0,"false",0\n"2026-03-01",${MIDNIGHT},1,1,"true",1\n`,
    );
    const all = await run("events --by day --top 50 --format md");
    expect(all.out.split("\n")[0]).toBe("| PERIOD | START | SESSIONS | EVENTS | ENDED | jump | death |");
  });

  test("supports weeks, hours and a single build", async () => {
    expect(await counted("events --by week")).toEqual([["2026-W09", 4, 5]]);
    expect(await counted("events --by hour --build 0.8.0")).toEqual([["2026-02-26T20", 1, 1]]);
  });

  test("starts in 1970, in the middle of a week, if a device had a wrong clock", async () => {
    await service.addGame("unset");
    // Earlier versions stored this time, because they did not correct clocks.
    const { json } = await play("s1", NOW, ["jump"], "0.9.0", "unset");
    await changeSession(service, json.sessionId, { recorded_at: HOUR, received_at: null });
    const { code, out } = await runCli(["events", "--by", "week", "-g", "unset", "--format", "csv"], {
      service,
    });
    expect([code, out.split("\n")[1]]).toEqual([0, expect.stringMatching(/^"1970-W01",/)]);
  });

  test("marks open periods and periods without sessions, and draws each event in its own line", async () => {
    const { out } = await run("events --by day", { tty: true, columns: 60 });
    expect(out.replaceAll("\n", " ")).toMatch(
      /^Ember Hollow: 0 events in 1 session, 2026-02-28; on average 2 events a day in the 2 before/,
    );
    expect(out).toContain("The last day is not over yet.");
    expect(out).toContain("· no sessions   ░ not over yet");
    expect(out).toMatch(/\n_ no events of this name\n$/);
    expect(out).toMatch(/^jump +3 +█·__$/m);
    expect(out).toMatch(/^death +2 +█·_█$/m);
  });

  test("writes the chart completely or not at all", async () => {
    const cwd = mkdtempSync(join(tmpdir(), "playtest-chart-"));
    const { err, code } = await run("events --by day --out chart.svg", { cwd });
    expect([code, err]).toEqual([0, `Wrote ${join(cwd, "chart.svg")}\n`]);
    const svg = readFileSync(join(cwd, "chart.svg"), "utf8");
    expect(svg).toContain("<title>2026-02-27: no sessions</title>");
    expect(svg).toContain("<title>2026-03-01: 1, not over yet</title>");
    const failed = await run("events --by day --out chart.svg/chart.svg", { cwd });
    expect([failed.code, readFileSync(join(cwd, "chart.svg"), "utf8")]).toEqual([3, svg]);
  });

  test("reports that no events match", async () => {
    const empty = await runCli(["events", "--by", "day", "-g", "empty"], { service, tty: true });
    expect([empty.code, empty.out, empty.err]).toEqual([0, "", "No sessions match.\n"]);
  });

  test("shows the newest periods by default, and rejects a range with too many before counting", async () => {
    await service.addGame("long");
    for (const at of [MIDNIGHT - 400 * DAY, MIDNIGHT - 119 * DAY, MIDNIGHT]) {
      await service.post("/api/telemetry", { gameId: "long", startedAt: at, sessionEnded: true, events: [] });
    }
    const { out, err } = await runCli(["events", "--by", "day", "-g", "long", "--json"], { service });
    const { buckets } = JSON.parse(out);
    expect([buckets.length, buckets.at(-1).label]).toEqual([120, "2026-03-01"]);
    expect(err).toBe("Showing the last 120 of 401 days. Use --to for an earlier range, or --by week.\n");
    const refused = await run("events --by day --from 2020-01-01 --to 2026-01-01");
    expect([refused.code, refused.err.split("\n")[0]]).toEqual([
      2,
      "error: The range from 2020-01-01T00:00:00Z to 2026-01-02T00:00:00Z has 2193 days; the maximum is 120",
    ]);
  });

  test("respects the rate limit: after 55 requests it waits until the first is a minute old", async () => {
    await service.addGame("busy");
    for (const at of [NOW - 80 * HOUR, NOW - HOUR]) {
      await service.post("/api/telemetry", { gameId: "busy", startedAt: at, sessionEnded: true, events: [] });
    }
    const clock = { now: NOW };
    const run = await runCli(["events", "--by", "hour", "-g", "busy", "--json"], { service, clock });
    expect([run.code, run.err, run.waits]).toEqual([0, "", [60_000]]);
  });
});

test("rejects events --out without --by", async () => {
  expect((await run("events --out chart.svg")).code).toBe(2);
});
