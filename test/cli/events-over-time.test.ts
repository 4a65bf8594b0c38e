/** Events per hour, day and week: counts, UTC buckets, limits and charts. */
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NOW, runCli, startTestService, type TestService } from "../harness.ts";
import { change } from "../server/play.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MIDNIGHT = NOW - 12 * HOUR;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.addGame("ember", "Ember Hollow");
  await service.addGame("empty");
  await sendSession("s1", MIDNIGHT - 3 * DAY + HOUR, ["jump", "jump", "death"]);
  await sendSession("s2", MIDNIGHT - 3 * DAY + 20 * HOUR, ["jump"], "0.8.0");
  await sendSession("s3", MIDNIGHT - DAY, []);
  await sendSession("s4", MIDNIGHT + HOUR, ["death"]);
});
afterAll(() => service.stop());

async function sendSession(
  device: string,
  at: number,
  names: readonly string[],
  build = "0.9.0",
  gameId = "ember",
) {
  const response = await service.post("/api/telemetry", {
    gameId,
    startedAt: at,
    deviceId: device,
    sessionMetadata: { gameVersion: build, platform: "x" },
    sessionEnded: true,
    events: names.map((name, index) => ({ id: `${index}`, name, timestamp: at + index })),
  });
  expect(response.status).toBe(202);
  return response;
}

const run = (line: string, options: object = {}) =>
  runCli([...line.split(" "), "-g", "ember"], { service, ...options });
const countBuckets = async (line: string) => {
  const { out, err } = await run(`${line} --json`);
  expect(err).toBe("");
  return JSON.parse(out).buckets.map((bucket: { label: string; sessionCount: number; total: number }) => [
    bucket.label,
    bucket.sessionCount,
    bucket.total,
  ]);
};

describe("events --by", () => {
  test("day counts from the first session to the last, including days without sessions", async () => {
    expect(await countBuckets("events --by day")).toEqual([
      ["2026-02-26", 2, 4],
      ["2026-02-27", 0, 0],
      ["2026-02-28", 1, 0],
      ["2026-03-01", 1, 1],
    ]);
  });

  test("uses whole UTC days for any range and time zone", async () => {
    const { out } = await run(
      "events --by day --from 2026-02-26T19:00Z --to 2026-02-27T01:00Z --tz Asia/Tokyo --format csv",
    );
    expect(out).toBe(
      "label,start,sessionCount,total,open\n" +
        `2026-02-26,${MIDNIGHT - 3 * DAY},2,4,yes\n2026-02-27,${MIDNIGHT - 2 * DAY},0,0,yes\n`,
    );
  });

  test("week and hour count correctly, and filter by build", async () => {
    expect(await countBuckets("events --by week")).toEqual([["2026-W09", 4, 5]]);
    expect(await countBuckets("events --by hour --build 0.8.0")).toEqual([["2026-02-26T20", 1, 1]]);
  });

  test("starts in 1970 if a device's clock was not set", async () => {
    await service.addGame("unset");
    // Older versions stored sessions like this, without clock correction.
    const { json } = await sendSession("s1", NOW, ["jump"], "0.9.0", "unset");
    await change(service, json.sessionId, { recorded_at: HOUR, received_at: null });
    const { code, out } = await runCli(["events", "--by", "week", "-g", "unset", "--format", "csv"], {
      service,
    });
    expect([code, out.split("\n")[1]]).toEqual([0, expect.stringMatching(/^1970-W01,/)]);
  });

  test("marks days that are not over and days without sessions, and draws a sparkline per event", async () => {
    const { out } = await run("events --by day", { tty: true, columns: 60 });
    expect(out).toContain("The last day has not ended yet.");
    expect(out).toContain("· nobody played   ░ not ended yet");
    expect(out).toMatch(/^jump +3 +█·__$/m);
    expect(out).toMatch(/^death +2 +█·_█$/m);
  });

  test("writes the chart completely or not at all", async () => {
    const cwd = mkdtempSync(join(tmpdir(), "playtest-chart-"));
    const { err, code } = await run("events --by day --out chart.svg", { cwd });
    expect([code, err]).toEqual([0, `Wrote ${join(cwd, "chart.svg")}\n`]);
    const svg = readFileSync(join(cwd, "chart.svg"), "utf8");
    expect(svg).toContain("<title>2026-02-27: nobody played</title>");
    expect(svg).toContain("<title>2026-03-01: 1, not ended yet</title>");
    const failed = await run("events --by day --out chart.svg/chart.svg", { cwd });
    expect([failed.code, readFileSync(join(cwd, "chart.svg"), "utf8")]).toEqual([3, svg]);
  });

  test("reports that no sessions match", async () => {
    const empty = await runCli(["events", "--by", "day", "-g", "empty"], { service, tty: true });
    expect([empty.code, empty.out, empty.err]).toEqual([0, "", "No sessions match.\n"]);
  });

  test("shows the last 120 days by default, and rejects larger ranges before any count", async () => {
    await service.addGame("long");
    for (const at of [MIDNIGHT - 400 * DAY, MIDNIGHT]) {
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

  test("stays below the rate limit by waiting after 55 requests per minute", async () => {
    await service.addGame("busy");
    for (const at of [NOW - 80 * HOUR, NOW - HOUR]) {
      await service.post("/api/telemetry", { gameId: "busy", startedAt: at, sessionEnded: true, events: [] });
    }
    const clock = { now: NOW };
    const run = await runCli(["events", "--by", "hour", "-g", "busy", "--json"], { service, clock });
    expect([run.code, run.err, run.waits]).toEqual([0, "", [60_000]]);
  });
});

test("events --out without --by is rejected", async () => {
  expect((await run("events --out chart.svg")).code).toBe(2);
});
