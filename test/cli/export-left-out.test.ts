/** export reports how many items its time range does not include, and why. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../src/shared/time-units.ts";
import { freshFolder, NOW, runCli, startTestService, type TestService } from "../harness.ts";
import { createEvents, sendTelemetry } from "../server/telemetry-helpers.ts";

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  await service.addGame("ember");
  await service.addGame("tide");
  const times = [-40, -3, -2, -1, 0].map((days) => NOW + days * DAY_MS);
  // The last one is on the next day: within the allowed lead of a clock, but in the future.
  for (const at of [...times, NOW + 20 * HOUR_MS]) await play("production", at);
  await play("staging", NOW - 3 * DAY_MS);
  // Corrected to today.
  await play("production", NOW + 400 * DAY_MS);
  await service.analysis.drain();
});
afterAll(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

async function play(environment: string, startedAt: number) {
  const events = createEvents(["jump"], startedAt);
  await sendTelemetry(service, { gameId: "ember", environment, startedAt, sessionEnded: true, events });
}

const run = async (line: string, cwd = freshFolder()) =>
  await runCli(["export", ...line.split(" ")], { service, cwd });
const report = async (line: string, cwd?: string) => JSON.parse((await run(`${line} --json`, cwd)).out);

describe("an export to a folder", () => {
  test("without a range leaves out only the future", async () => {
    const { series } = await report("sessions events insights handles -g ember --out x/");
    expect(series.map(({ dataset, leftOut }: never) => [dataset, leftOut])).toEqual([
      ["sessions", { before: 0, after: 0, future: 1 }],
      ["events", { before: 0, after: 0, future: 1 }],
      ["insights", { before: 0, after: 0, future: 1 }],
      ["handles", null],
    ]);
    expect(series[0].rows).toBe(7);
  });

  test("with a range separates the past from the future", async () => {
    const range = "--from 2026-02-27 --to 2026-02-27T12:00:00Z";
    const { series } = await report(`sessions -g ember --out x/ ${range}`);
    expect(series).toMatchObject([{ rows: 1, leftOut: { before: 3, after: 3, future: 1 } }]);
    const filtered = await report(`sessions -g ember --env staging --out x/ ${range}`);
    expect(filtered.series).toMatchObject([{ rows: 0, leftOut: { before: 1, after: 0, future: 0 } }]);
  });

  test("reports it as text, also in a dry run and before a failure", async () => {
    const text =
      "Not included in sessions of ember: 3 sessions before 2026-02-27T00:00:00Z, 1 session in the future\n";
    const line = "sessions --games ember,none --out x/ --from 2026-02-27";
    const [written, dry] = [await run(line), await run(`${line} --dry-run`)];
    expect([written.code, dry.code]).toEqual([12, 12]);
    expect([written.err, dry.err]).toEqual([expect.stringContaining(text), expect.stringContaining(text)]);
    const planned = JSON.parse((await run(`${line} --dry-run --json`)).out);
    expect(planned.series).toMatchObject([{ leftOut: { before: 3, after: 0, future: 1 } }]);
    expect((await run("sessions -g tide --out x/")).err).not.toContain("Not included");
  });

  test("reports it as a log event", async () => {
    const { err } = await run("sessions -g ember --out x/ --log-format json");
    const events = err
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text));
    expect(events.filter(({ event }) => event === "left-out")).toMatchObject([
      { dataset: "sessions", game: "ember", before: 0, after: 0, future: 1 },
    ]);
  });

  test("exports a session of the future with --since-last once its time has come", async () => {
    const cwd = freshFolder();
    const line = "sessions -g ember --out x/ --since-last";
    expect((await report(line, cwd)).series).toMatchObject([{ rows: 7, leftOut: { future: 1 } }]);
    service.clock.now += DAY_MS;
    const later = await report(line, cwd);
    service.clock.now = NOW;
    expect(later.series).toMatchObject([{ leftOut: { before: 0, after: 0, future: 0 } }]);
    const folder = join(cwd, "x/_playtest/sessions/game=ember");
    const manifest = JSON.parse(readFileSync(join(folder, "day=2026-03-02.json"), "utf8"));
    expect(manifest).toMatchObject({ rows: 1 });
    expect(manifest).not.toHaveProperty("leftOut");
  });
});

test("the manifest of a single file adds up the games", async () => {
  const cwd = freshFolder();
  await run("sessions --all-games --out s.csv --from 2026-02-27", cwd);
  const { leftOut } = JSON.parse(readFileSync(join(cwd, "s.csv.manifest.json"), "utf8"));
  // In a single file, the range ends now and not with the day.
  expect(leftOut).toEqual({ before: 3, after: 0, future: 1 });
  await run("handles --all-games --out h.csv", cwd);
  expect(JSON.parse(readFileSync(join(cwd, "h.csv.manifest.json"), "utf8"))).not.toHaveProperty("leftOut");
});

test("standard output has the rows, and standard error what is not included", async () => {
  const { out, err } = await run("sessions -g ember");
  expect(out.trim().split("\n")).toHaveLength(7);
  expect(err).toContain("Not included in sessions of ember: 1 session in the future");
});
