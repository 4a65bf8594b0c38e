/** export: the files compared with the API, repeated runs, and failures. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ClientError } from "../../src/client/errors.ts";
import { HOUR_MS } from "../../src/shared/time-units.ts";
import {
  DAY,
  queryDuckDb,
  readFiles,
  sendSampleSessions,
  writeSessionManifest,
} from "../export/export-fixtures.ts";
import { injectFaults } from "../export/inject-faults.ts";
import {
  BASE_URL,
  createAppTransport,
  freshFolder,
  NOW,
  runCli,
  startTestService,
  type TestService,
} from "../harness.ts";
import { createEvents, sendTelemetry } from "../server/telemetry-helpers.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await sendSampleSessions(service);
});
afterAll(async () => await service.stop());

type Options = Partial<Parameters<typeof runCli>[1]>;

/** Runs an export with its own clock, which starts at the time of the service. */
async function runExport(line: string, options: Options = {}, source = service) {
  const clock = { now: source.clock.now };
  return await runCli(["export", ...line.split(" ")], { service: source, clock, ...options });
}

/** The event counts of a game from the API. */
async function fetchTotals(game: string, query = ""): Promise<{ total: number; sessionCount: number }> {
  return (await service.get(`/api/v1/events/${game}${query}`)).json;
}

describe("a folder of partitions", () => {
  test.each([
    ["--format parquet", "read_parquet('$/events/**/*.parquet', hive_partitioning = true)"],
    ["--format csv --gzip", "read_csv('$/events/**/*.csv.gz', hive_partitioning = true)"],
    ["--format ndjson", "read_ndjson('$/events/**/*.ndjson', hive_partitioning = true)"],
  ])("%s is readable as one dataset in DuckDB and matches the API's totals", async (format, from) => {
    const cwd = freshFolder();
    const run = await runExport(`events --all-games --out x ${format}`, { cwd });
    expect([run.code, run.err.includes("error")]).toEqual([0, false]);
    const table = from.replace("$", join(cwd, "x"));
    const sums = await queryDuckDb(
      `SELECT game, sum(count)::BIGINT AS total, count(DISTINCT "bucketStart")::INT AS days FROM ${table} GROUP BY game ORDER BY game`,
    );
    const totals = await Promise.all(["ember", "tide"].map((game) => fetchTotals(game)));
    expect(sums.map(({ game, total }) => [game, Number(total)])).toEqual([
      ["ember", totals[0]?.total],
      ["tide", totals[1]?.total],
    ]);
    expect(sums[0]?.days).toBe(10);
    const sessions = await queryDuckDb(
      `SELECT sum(n)::INT AS n FROM (SELECT DISTINCT game, "bucketStart", build, "sessionCount" AS n FROM ${table})`,
    );
    expect(sessions[0]?.n).toBe((totals[0]?.sessionCount ?? 0) + (totals[1]?.sessionCount ?? 0));
  });

  test("matches the API's totals per environment", async () => {
    const cwd = freshFolder();
    const run = await runExport("events -g ember --env staging --env production --by week --out x", { cwd });
    expect(run.code).toBe(0);
    expect(
      readdirSync(join(cwd, "x", "events", "game=ember")).filter((name) => /^week=2026-W0\d$/.test(name)),
    ).not.toEqual([]);
    const sums = await queryDuckDb(
      `SELECT environment, sum(count)::INT AS total FROM '${join(cwd, "x/events/*/*/*.parquet")}' GROUP BY 1 ORDER BY 1`,
    );
    const totals = await Promise.all(
      ["production", "staging"].map((env) => fetchTotals("ember", `?env=${env}`)),
    );
    expect(sums).toEqual([
      { environment: "production", total: totals[0]?.total },
      { environment: "staging", total: totals[1]?.total },
    ]);
  });

  test("contains every session once, and all other datasets", async () => {
    const cwd = freshFolder();
    const all = "events sessions insights handles batches keys experiments heatmaps";
    const run = await runExport(`${all} --all-games --by hour --out x`, { cwd });
    expect(run.code).toBe(0);
    const [found] = await queryDuckDb(
      `SELECT count(*)::INT AS n, count(DISTINCT id)::INT AS ids FROM '${join(cwd, "x/sessions/*/*/*.parquet")}'`,
    );
    const { total } = (await service.get("/api/v1/sessions?limit=1")).json;
    expect(found).toEqual({ n: total, ids: total });
    expect(readdirSync(join(cwd, "x")).filter((name) => !name.startsWith("_"))).toEqual(
      all.split(" ").sort(),
    );
  });

  test("has manifests with checksums, row counts and open files", async () => {
    const cwd = freshFolder();
    await runExport("events -g ember --out x", { cwd });
    const [folder, manifests] = [join(cwd, "x"), join(cwd, "x/_playtest/events/game=ember")];
    const parsed = readdirSync(manifests).map((name) =>
      JSON.parse(readFileSync(join(manifests, name), "utf8")),
    );
    expect(parsed.map(({ file, open }) => [file, open]).filter(([, open]) => open)).toEqual([
      ["events/game=ember/day=2026-03-01/data.parquet", true],
    ]);
    const { createHash } = await import("node:crypto");
    for (const { file, sha256, bytes, rows, columns, dataset } of parsed) {
      const content = readFileSync(join(folder, file));
      expect([createHash("sha256").update(content).digest("hex"), content.length]).toEqual([sha256, bytes]);
      const [found] = await queryDuckDb(`SELECT count(*)::INT AS n FROM '${join(folder, file)}'`);
      expect([found?.n, columns.length, dataset]).toEqual([rows, 6, "events"]);
    }
  });

  test("has the same bytes each time, and always complete partitions", async () => {
    const [first, second] = [freshFolder(), freshFolder()];
    await runExport("events sessions --all-games --out x", { cwd: first });
    await runExport("events sessions --all-games --out x", { cwd: second });
    const before = readFiles(join(first, "x"));
    expect(readFiles(join(second, "x"))).toEqual(before);
    const range = `--from ${NOW - 5 * DAY} --to ${NOW - 4.9 * DAY}`;
    const run = await runExport(`events sessions --all-games --out x ${range}`, { cwd: second });
    expect(run.code).toBe(0);
    expect(readFiles(join(second, "x"))).toEqual(before);
  });

  test("removes only files of days that are empty now", async () => {
    const cwd = freshFolder();
    const folder = join(cwd, "x/sessions/game=ember");
    mkdirSync(folder, { recursive: true });
    const writeOld = (day: string) => {
      mkdirSync(join(folder, day));
      writeFileSync(join(folder, day, "data.parquet"), "old");
    };
    for (const day of ["day=2026-02-25", "day=2026-02-26", "day=2019-01-01"]) writeOld(day);
    writeFileSync(join(folder, "notes.txt"), "old");
    writeSessionManifest(join(cwd, "x"), BASE_URL);
    await runExport("sessions -g ember --out x", { cwd });
    const names = readdirSync(folder);
    expect(names).not.toContain("day=2026-02-25");
    expect(names).not.toContain("day=2026-02-26");
    expect(names).toContain("notes.txt");
    expect(names).not.toContain("day=2019-01-01");
    writeOld("day=2019-01-01");
    await runExport(`sessions -g ember --out x --from ${NOW - 30 * DAY}`, { cwd });
    expect(readdirSync(folder)).toContain("day=2019-01-01");
  });

  test("never follows a symbolic link", async () => {
    const [cwd, outside] = [freshFolder(), freshFolder()];
    mkdirSync(join(cwd, "x/events"), { recursive: true });
    symlinkSync(outside, join(cwd, "x/events/game=ember"));
    const run = await runExport("events -g ember --out x", { cwd });
    expect([run.code, readdirSync(outside)]).toEqual([3, []]);
    expect(run.err).toContain("game=ember: it is a symbolic link");
  });
});

describe("--since-last", () => {
  test("reads only new, changed and open data, with the same result as a full export", async () => {
    const own = await startTestService({ clock: { now: NOW } });
    await sendSampleSessions(own);
    await own.analysis.drain();
    // What arrives less than an hour before a run is read again by the next one.
    own.clock.now += 2 * HOUR_MS;
    const cwd = freshFolder();
    const line = "events sessions --all-games --out x --since-last --json";
    const first = JSON.parse((await runExport(line, { cwd }, own)).out);
    const again = JSON.parse((await runExport(`${line} --lookback 0`, { cwd }, own)).out);
    const countFiles = (report: { series: { files: number }[] }) =>
      report.series.reduce((sum, { files }) => sum + files, 0);
    expect(countFiles(again)).toBeLessThan(countFiles(first) / 2);
    own.clock.now = NOW + 2 * DAY;
    const sendLate = (at: number) =>
      sendTelemetry(own, {
        gameId: "ember",
        startedAt: at,
        sessionMetadata: { gameVersion: "1.0" },
        events: createEvents(["jump"], at),
      });
    await sendLate(NOW - DAY);
    await sendLate(NOW + DAY);
    const second = await runExport(line, { cwd }, own);
    expect(second.code).toBe(0);
    expect(countFiles(JSON.parse(second.out))).toBeLessThan(countFiles(first));
    const fresh = freshFolder();
    await runExport("events sessions --all-games --out x", { cwd: fresh }, own);
    expect(readFiles(join(cwd, "x"))).toEqual(readFiles(join(fresh, "x")));
    const [open] = await queryDuckDb(
      `SELECT count(*)::INT AS n FROM '${join(cwd, "x/events/*/day=2026-03-01/data.parquet")}'`,
    );
    expect(open?.n).toBeGreaterThan(0);
    const manifest = join(cwd, "x/_playtest/events/game=ember/day=2026-03-01.json");
    expect(JSON.parse(readFileSync(manifest, "utf8")).open).toBe(false);
    await own.stop();
  });

  test("rejects an invalid state and a different query, and changes nothing", async () => {
    const cwd = freshFolder();
    await runExport("events -g ember --out x --since-last", { cwd });
    const before = readFiles(join(cwd, "x"));
    const changed = await runExport("events -g ember --out x --since-last --by hour", { cwd });
    expect([changed.code, readFiles(join(cwd, "x"))]).toEqual([3, before]);
    expect(changed.err).toContain('--by was "day" and is now "hour"');
    const earlier = await runExport("events -g ember --out x --since-last --from 2020-01-01", { cwd });
    expect(earlier.code).toBe(0);
    const bounded = "events -g ember --out y --since-last --from";
    expect((await runExport(`${bounded} 2026-02-26`, { cwd })).code).toBe(0);
    const later = await runExport(`${bounded} 2026-02-27`, { cwd });
    expect([later.code, later.err]).toEqual([
      0,
      expect.stringContaining("so --from applies only to datasets and games without an earlier run."),
    ]);
    expect((await runExport(`${bounded} 2026-02-26`, { cwd })).err).not.toContain("--from applies");
    const gap = await runExport(`${bounded} 2026-02-20`, { cwd });
    expect([gap.code, gap.err]).toEqual([
      3,
      expect.stringContaining(
        "is before the time from which --since-last exports events of ember (2026-02-26T00:00:00.000Z)",
      ),
    ]);
    writeFileSync(join(cwd, "x/_playtest/state.json"), "{");
    const broken = await runExport("events -g ember --out x --since-last", { cwd });
    expect([broken.code, readFiles(join(cwd, "x"))]).toEqual([3, before]);
    expect(broken.err).toContain("state.json is not valid");
  });
});

describe("failures", () => {
  test("of every transient kind are retried, with the same files as without failures", async () => {
    const [cwd, expectedFolder] = [freshFolder(), freshFolder()];
    const kinds = [
      503,
      429,
      500,
      new ClientError("network", "cut"),
      new ClientError("timeout", "silent"),
      429,
      429,
    ];
    const faults = injectFaults(service, (_, nth) =>
      nth % 3 === 0 ? (kinds[(nth / 3) % kinds.length] ?? null) : null,
    );
    const run = await runExport("events sessions --all-games --out x", {
      cwd,
      ...faults,
    });
    await runExport("events sessions --all-games --out x", { cwd: expectedFolder });
    expect([run.code, readFiles(join(cwd, "x"))]).toEqual([0, readFiles(join(expectedFolder, "x"))]);
    expect(run.waits).toContain(1500);
  });

  test("that last for minutes are survived by waiting", async () => {
    const cwd = freshFolder();
    const faults = injectFaults(service, (_, nth) =>
      nth > 2 && nth < 60 ? new ClientError("network", "cut") : null,
    );
    const run = await runExport("handles batches --all-games --out x", {
      cwd,
      ...faults,
    });
    expect([run.code, run.waits.some((ms) => ms >= 30_000)]).toEqual([0, true]);
  });

  test("of one game do not affect the others; the exit code is 12 and the message names what is missing", async () => {
    const cwd = freshFolder();
    const { id } = (await service.get("/api/v1/games/tide")).json.game;
    const faults = injectFaults(service, (url) => (url.includes(`/event-counts/${id}`) ? 500 : null));
    const run = await runExport("events sessions --all-games --out x --json", {
      cwd,
      ...faults,
    });
    expect(run.code).toBe(12);
    expect(JSON.parse(run.out).missing).toEqual([
      { dataset: "events", game: "tide", code: "internal", message: "No" },
    ]);
    expect(run.err).toContain("Incomplete: could not export events of tide (No)");
    expect(readdirSync(join(cwd, "x/sessions"))).toEqual(["game=ember", "game=tide"]);
    const completeFolder = freshFolder();
    await runExport("events sessions --all-games --out x", { cwd: completeFolder });
    const complete = Object.keys(readFiles(join(completeFolder, "x")));
    expect(Object.keys(readFiles(join(cwd, "x")))).toEqual(
      complete.filter((name) => !/^(_playtest.)?events.game=tide/.test(name)),
    );
  });

  test.each([
    ["events -g nosuch", 44],
    ["events --games nosuch,neither", 44],
    ["events --games ember,nosuch", 12],
  ])("of unknown games: %s exits with code %i", async (line, code) => {
    expect((await runExport(`${line} --out x`, { cwd: freshFolder() })).code).toBe(code);
  });

  test("of the key end the export immediately", async () => {
    const run = await runExport("events --all-games --out x", {
      cwd: freshFolder(),
      env: { PLAYTEST_KEY: "pt_mgmt_no" },
    });
    expect(run.code).toBe(41);
  });

  test("keep the last complete file", async () => {
    const cwd = freshFolder();
    await runExport("sessions -g ember --out s.csv", { cwd });
    const before = readFileSync(join(cwd, "s.csv"));
    const { id } = (await service.get("/api/v1/games/tide")).json.game;
    const faults = injectFaults(service, (url) => (url.includes(`game=${id}`) ? 400 : null));
    const run = await runExport("sessions --all-games --out s.csv", {
      cwd,
      ...faults,
    });
    expect([run.code, readFileSync(join(cwd, "s.csv")).equals(before)]).toEqual([12, true]);
    expect(readdirSync(cwd).filter((name) => name.startsWith("s.csv"))).toEqual([
      "s.csv",
      "s.csv.manifest.json",
    ]);
  });
});

describe("a single file and standard output", () => {
  test("contain all games", async () => {
    const cwd = freshFolder();
    const run = await runExport("events --all-games --out e.csv.gz", { cwd });
    const text = gunzipSync(readFileSync(join(cwd, "e.csv.gz"))).toString();
    const stream = await runExport("events --all-games --format csv", { cwd });
    expect([run.code, stream.code, stream.out]).toEqual([0, 0, text]);
    expect(
      text.startsWith('"bucketStart","game","build","environment","event","count","sessionCount"\n'),
    ).toBe(true);
    expect(new Set(text.match(/,"(ember|tide)",/g))).toEqual(new Set([',"ember",', ',"tide",']));
    const manifest = JSON.parse(readFileSync(join(cwd, "e.csv.gz.manifest.json"), "utf8"));
    expect(manifest).toMatchObject({
      gzip: true,
      open: true,
      query: { games: expect.arrayContaining(["ember", "tide"]) },
    });
  });

  test("escape formulas and control characters in names", async () => {
    const own = await startTestService();
    await own.addGame("ember");
    const names = ["=cmd()", "\u001b[2J", "\u202eevil"];
    await sendTelemetry(own, {
      gameId: "ember",
      startedAt: NOW - DAY,
      events: createEvents(names),
      sessionEnded: true,
    });
    const csv = await runExport("events -g ember --format csv", {}, own);
    expect(csv.out).toContain(`,"'=cmd()",`);
    const ndjson = await runExport("events -g ember", {}, own);
    expect(
      ndjson.out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).event),
    ).toEqual(["\u001b[2J", "=cmd()", "\u202eevil"]);
    for (const { out } of [csv, ndjson]) expect(out).not.toMatch(/[\u001b\u202e]/);
    await own.stop();
  });
});

describe("messages and pacing", () => {
  test("--dry-run reports files and requests, and writes nothing", async () => {
    const cwd = freshFolder();
    const run = await runExport("events handles --all-games --out x --dry-run --json", { cwd });
    const plan = JSON.parse(run.out);
    expect([run.code, existsSync(join(cwd, "x")), plan.series.length]).toEqual([0, false, 4]);
    const report = JSON.parse((await runExport("events handles --all-games --out x --json", { cwd })).out);
    // The report also counts the requests of the plan: the games, and 2 for the events of each.
    expect(report.requests).toBe(plan.requests + 5);
  });

  test("--log-format json writes one line of JSON per event", async () => {
    const run = await runExport("events -g ember --out x --log-format json", { cwd: freshFolder() });
    const lines = run.err
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect([lines[0].event, lines.at(-1).event]).toEqual(["plan", "done"]);
    const written = lines.filter(({ event }) => event === "written");
    expect(written.at(-1)).toMatchObject({
      dataset: "events",
      game: "ember",
      file: "events/game=ember/day=2026-03-01/data.parquet",
      open: true,
    });
    expect(run.out).toContain("DATASET");
  });

  test("sends at most 60 requests per minute", async () => {
    const clock = { now: NOW };
    const times: number[] = [];
    const send = createAppTransport(service.app);
    const run = await runExport(
      "events sessions --all-games --env staging --env production --env all --by hour --out x",
      {
        cwd: freshFolder(),
        clock,
        async transport(request) {
          times.push(clock.now);
          // Without the extension, each hour and build takes a request.
          return request.url.includes("/event-counts/")
            ? { status: 404, headers: {}, body: '{"error":"Not found"}' }
            : await send(request);
        },
      },
    );
    expect([run.code, times.length > 60]).toEqual([0, true]);
    for (const time of times)
      expect(times.filter((other) => other >= time && other < time + 60_000).length).toBeLessThanOrEqual(60);
  });
});
