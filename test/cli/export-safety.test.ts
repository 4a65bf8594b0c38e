/** Exports that run unattended: conflicting queries, blocked paths, wrong clocks, outages and invalid flags. */

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ClientError } from "../../src/client/errors.ts";
import type { TransportResponse } from "../../src/client/transport.ts";
import { DAY, readFiles, sendSampleSessions, writeSessionManifest } from "../export/export-fixtures.ts";
import { injectFaults } from "../export/inject-faults.ts";
import {
  BASE_URL,
  type CliOptions,
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

/** Runs an export with its own clock, which starts at the time of the service. */
async function runExport(line: string, cwd: string, options: CliOptions = {}, source = service) {
  const clock = { now: source.clock.now };
  return await runCli(["export", ...line.split(" ")], { service: source, clock, cwd, ...options });
}

describe("an export folder", () => {
  test.each([
    ["--env prodution", '--env was [] and is now ["prodution"]'],
    ["--by week", '--by was "day" and is now "week"'],
    ["--format csv", '--format was "parquet" and is now "csv"'],
    ["--by hour --since-last", '--by was "day" and is now "hour"'],
  ])("rejects a different query with %s and changes nothing", async (more, differences) => {
    const cwd = freshFolder();
    expect((await runExport("events sessions -g ember --out x", cwd)).code).toBe(0);
    const before = readFiles(join(cwd, "x"));
    const other = await runExport(`events sessions -g ember --out x ${more}`, cwd);
    expect([other.code, readFiles(join(cwd, "x"))]).toEqual([3, before]);
    expect(other.err).toContain(
      `${join(cwd, "x/events/game=ember")} has files of a different export: ${differences}`,
    );
    expect(other.err).toContain("--out");
    rmSync(join(cwd, "x/events"), { recursive: true });
    rmSync(join(cwd, "x/sessions"), { recursive: true });
    expect((await runExport(`events sessions -g ember --out x ${more}`, cwd)).code).toBe(0);
  });

  test("rejects another service", async () => {
    const cwd = freshFolder();
    await runExport("sessions -g ember --out x", cwd);
    const other = await runExport("sessions -g ember --out x", cwd, {
      env: { PLAYTEST_BASE_URL: "http://localhost:4400" },
    });
    expect([other.code, other.err]).toEqual([3, expect.stringContaining(`service was "${BASE_URL}"`)]);
  });

  test("accepts the same environments in any order and with duplicates", async () => {
    const cwd = freshFolder();
    await runExport("events -g ember --env staging --env production --out x", cwd);
    const before = readFiles(join(cwd, "x"));
    const again = "events -g ember --env production --env staging --env production --out x";
    expect((await runExport(again, cwd)).code).toBe(0);
    expect(readFiles(join(cwd, "x"))).toEqual(before);
  });

  test("removes all files of a game without data within the requested range", async () => {
    const emptyService = await startTestService();
    await emptyService.addGame("ember");
    const cwd = freshFolder();
    const folder = join(cwd, "x/sessions/game=ember");
    mkdirSync(folder, { recursive: true });
    for (const day of ["2019-01-01", "2026-02-20"]) {
      mkdirSync(join(folder, `day=${day}`));
      writeFileSync(join(folder, `day=${day}`, "data.parquet"), "old");
    }
    const manifests = join(cwd, "x/_playtest/sessions/game=ember");
    mkdirSync(manifests, { recursive: true });
    writeSessionManifest(join(cwd, "x"), BASE_URL);
    for (const left of ["json.draft", "parquet.draft"])
      writeFileSync(join(manifests, `day=2026-02-21.${left}`), "left");
    await runExport(`sessions -g ember --out x --from ${NOW - 30 * DAY}`, cwd, {}, emptyService);
    expect([readdirSync(folder), readdirSync(manifests)]).toEqual([
      ["day=2019-01-01"],
      ["day=1970-01-01.json"],
    ]);
    await runExport("sessions -g ember --out x", cwd, {}, emptyService);
    expect(readdirSync(folder)).toEqual([]);
    await emptyService.stop();
  });

  test.each([
    ["a link", (path: string) => symlinkSync(freshFolder(), path), "game=ember: it is a symbolic link"],
    ["a file", (path: string) => writeFileSync(path, ""), "game=ember: it is a file"],
    [
      "a link at the path of a draft",
      (path: string) => {
        const manifests = join(dirname(path), "../_playtest/sessions/game=ember");
        mkdirSync(manifests, { recursive: true });
        mkdirSync(path);
        symlinkSync("/nowhere", join(manifests, "day=2026-03-01.parquet.draft"));
      },
      "day=2026-03-01.parquet.draft: it is a symbolic link",
    ],
    [
      "a folder at the path of a file",
      (path: string) => mkdirSync(join(path, "day=2026-03-01/data.parquet"), { recursive: true }),
      "data.parquet: it is a folder",
    ],
  ])("exports the other games when one is blocked by %s", async (_what, block, message) => {
    const cwd = freshFolder();
    mkdirSync(join(cwd, "x/sessions"), { recursive: true });
    block(join(cwd, "x/sessions/game=ember"));
    writeSessionManifest(join(cwd, "x"), BASE_URL);
    const run = await runExport("sessions --all-games --out x", cwd);
    expect([run.code, run.err]).toEqual([12, expect.stringContaining(message)]);
    expect(run.err).toContain("Incomplete: could not export sessions of ember");
    expect(readdirSync(join(cwd, "x/sessions/game=tide")).length).toBeGreaterThan(1);
  });

  test("that cannot be created stops the export", async () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, "x"), "");
    const run = await runExport("sessions --all-games --out x/", cwd);
    expect([run.code, run.err]).toEqual([3, expect.stringContaining("x: it is a file")]);
    expect(readFileSync(join(cwd, "x"), "utf8")).toBe("");
  });

  test("keeps the old file and manifest if the new manifest cannot be written", async () => {
    const cwd = freshFolder();
    await runExport("sessions -g ember --format csv --out x", cwd);
    const [data, manifest] = [
      "sessions/game=ember/day=2026-03-01/data.csv",
      "_playtest/sessions/game=ember/day=2026-03-01.json",
    ];
    const readBoth = () => [data, manifest].map((file) => readFileSync(join(cwd, "x", file), "utf8"));
    const before = readBoth();
    mkdirSync(join(cwd, "x", `${manifest}.draft`));
    const run = await runExport("sessions -g ember --format csv --out x", cwd);
    expect(run.code).toBe(3);
    expect(readBoth()).toEqual(before);
    expect(Object.keys(readFiles(join(cwd, "x"))).filter((name) => name.includes("draft"))).toEqual([]);
  });

  test("is removed again if the run that created it fails", async () => {
    const cwd = freshFolder();
    await runExport("sessions -g nosuch --out a/b/x", cwd);
    expect(existsSync(join(cwd, "a"))).toBe(false);
  });
});

describe("the state file", () => {
  test.each([
    ["written with a clock that was ahead", NOW + 400 * DAY, null],
    ["edited by hand", NOW, 4e12],
  ])("%s is rejected with a hint", async (_what, now, complete) => {
    const cwd = freshFolder();
    const line = "sessions -g ember --out x --since-last";
    expect((await runExport(line, cwd, { clock: { now } })).code).toBe(0);
    const state = join(cwd, "x/_playtest/state.json");
    if (complete !== null) {
      const text = readFileSync(state, "utf8").replace(/"complete": \d+/, `"complete": ${complete}`);
      writeFileSync(state, text);
    }
    const run = await runExport(line, cwd);
    expect([run.code, run.err]).toEqual([3, expect.stringContaining("Check the system clock.")]);
    expect(run.err).toContain(
      "The saved state of sessions of ember is from the future: it is complete up to 20",
    );
    rmSync(state);
    expect((await runExport(line, cwd)).code).toBe(0);
  });

  test("outside of the folder belongs to one folder", async () => {
    const cwd = freshFolder();
    const line = (folder: string) => `sessions -g ember --out ${folder} --since-last --state s.json`;
    expect((await runExport(line("x"), cwd)).code).toBe(0);
    expect((await runExport(line("x"), cwd)).code).toBe(0);
    const other = await runExport(line("y"), cwd);
    expect([other.code, existsSync(join(cwd, "y"))]).toEqual([3, false]);
    expect(other.err).toContain("its files are in another folder, or were deleted");
    rmSync(join(cwd, "x"), { recursive: true });
    expect((await runExport(line("x"), cwd)).code).toBe(3);
  });
});

describe("the number of requests", () => {
  test.each(["hour", "day", "week"])(
    "matches the plan by %s, without requests for empty time",
    async (by) => {
      const own = await startTestService();
      await own.addGame("ember");
      for (const back of [0, 1, 90, 200, 399]) {
        const at = NOW - back * DAY - 60_000;
        await sendTelemetry(own, {
          gameId: "ember",
          startedAt: at,
          events: createEvents(["jump"], at),
          sessionEnded: true,
        });
      }
      for (const dataset of ["sessions", "events"]) {
        const line = `${dataset} -g ember --by ${by} --out ${dataset} --json`;
        const plan = JSON.parse((await runExport(`${line} --dry-run`, freshFolder(), {}, own)).out);
        const report = JSON.parse((await runExport(line, freshFolder(), {}, own)).out);
        expect(plan.series[0].files).toBe(by === "week" ? 4 : 5);
        expect(report.series[0].files).toBe(by === "week" ? 4 : 5);
        // The report also counts the requests of the plan: the game and its extent, and for events whether the service
        // counts by period.
        const planned = plan.requests + (dataset === "events" ? 3 : 2);
        // A page of event counts may cover several of the planned periods.
        const shared = dataset === "events" ? ({ hour: 1, day: 2 }[by] ?? 0) : 0;
        expect([line, report.requests]).toEqual([line, planned - shared]);
      }
      await own.stop();
    },
  );

  test("is within a factor of 2 of the plan for many sessions", async () => {
    const own = await startTestService();
    await own.addGame("ember");
    // At once, so that many share a transaction.
    const sent = Array.from({ length: 450 }, async (_, n) => {
      const at = NOW - (n % 9) * 7 * DAY - n * 60_000;
      const events = createEvents(["jump"], at);
      await sendTelemetry(own, { gameId: "ember", startedAt: at, events, sessionEnded: true });
    });
    await Promise.all(sent);
    for (const line of ["sessions --by day", "sessions --by hour", "events --by week", "events --by day"]) {
      const words = `${line} -g ember --out x --json`;
      const plan = JSON.parse((await runExport(`${words} --dry-run`, freshFolder(), {}, own)).out);
      const report = JSON.parse((await runExport(words, freshFolder(), {}, own)).out);
      const planning = line.startsWith("events") ? 4 : 3;
      expect([line, plan.requests / (report.requests - planning)]).toEqual([
        line,
        expect.toSatisfy((ratio) => ratio > 0.5 && ratio < 2),
      ]);
    }
    await own.stop();
  });
});

test("finds every bucket of a service that does not sort newest first", async () => {
  const [cwd, expectedFolder] = [freshFolder(), freshFolder()];
  const send = createAppTransport(service.app);
  const run = await runExport("sessions -g ember --out x", cwd, {
    async transport(request) {
      const response = await send(request);
      if (!/sessions\?/.test(request.url)) return response;
      // All items on one page, oldest first, of a list that is too long to be read as a whole.
      const page = JSON.parse(response.body);
      const items = page.items.reverse();
      return { ...response, body: JSON.stringify({ ...page, items, total: page.total + 10_000 }) };
    },
  });
  await runExport("sessions -g ember --out x", expectedFolder);
  const names = (folder: string) => Object.keys(readFiles(join(folder, "x")));
  expect([run.code, names(cwd)]).toEqual([0, names(expectedFolder)]);
});

describe("the same files are written", () => {
  const line = "events sessions -g ember --by hour --env staging --env production --out x";
  const exportWith = async (change: (url: string, response: TransportResponse) => TransportResponse) => {
    const cwd = freshFolder();
    const send = createAppTransport(service.app);
    const urls: string[] = [];
    const run = await runExport(line, cwd, {
      async transport(request) {
        urls.push(request.url);
        return change(request.url, await send(request));
      },
    });
    return { code: run.code, files: readFiles(join(cwd, "x")), urls };
  };

  test("with requests for each period of a long list", async () => {
    const whole = await exportWith((_, response) => response);
    const split = await exportWith((url, response) => {
      if (!/sessions\?/.test(url)) return response;
      const page = JSON.parse(response.body);
      return { ...response, body: JSON.stringify({ ...page, total: page.total + 10_000 }) };
    });
    expect([split.code, split.files]).toEqual([0, whole.files]);
    expect(split.urls.length).toBeGreaterThan(whole.urls.length);
  });

  test("by a service that does not count events by period", async () => {
    const whole = await exportWith((_, response) => response);
    const missing = { status: 404, headers: {}, body: '{"error":"Not found"}' };
    const single = await exportWith((url, response) => (url.includes("/event-counts/") ? missing : response));
    expect([single.code, single.files]).toEqual([0, whole.files]);
    expect(single.urls.filter((url) => /\/events\//.test(url)).length).toBeGreaterThan(10);
    expect(whole.urls.filter((url) => /\/events\//.test(url))).toEqual([]);
  });
});

describe("an outage", () => {
  test.each([502, 503, 504])(
    "of minutes with status %i from a proxy is survived by waiting",
    async (status) => {
      const faults = injectFaults(service, (_, nth) => (nth > 1 && nth < 60 ? status : null));
      const run = await runExport("handles -g ember --out x", freshFolder(), faults);
      expect([run.code, run.waits.some((ms) => ms >= 30_000)]).toEqual([0, true]);
    },
  );

  test("without end costs a fixed total time, regardless of the number of datasets", async () => {
    const clock = { now: NOW };
    const faults = injectFaults(service, (_, nth) => (nth > 1 ? new ClientError("network", "cut") : null));
    const all = "events sessions insights handles batches keys experiments heatmaps";
    const run = await runExport(`${all} --all-games --out x`, freshFolder(), {
      clock,
      ...faults,
    });
    expect(run.code).toBe(51);
    expect(clock.now - NOW).toBeLessThan(35 * 60_000);
    expect(clock.now - NOW).toBeGreaterThan(25 * 60_000);
  });

  test("ends after the time of an explicit --max-wait", async () => {
    const clock = { now: NOW };
    const faults = injectFaults(service, (_, nth) => (nth > 1 ? new ClientError("network", "cut") : null));
    const run = await runExport("handles -g ember --out x --max-wait 3s", freshFolder(), {
      clock,
      ...faults,
    });
    expect(run.code).toBe(51);
    expect(clock.now - NOW).toBeLessThan(10_000);
  });
});

describe("--log-format json", () => {
  const parseLines = (err: string) =>
    err
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));

  test.each([
    ["events --games ember,nosuch --out x", 12, ["missing", "plan", "done", "error"], "incomplete"],
    ["events -g nosuch --out x", 44, ["missing", "done", "error"], "not_found"],
    ["events sessions -g ember", 2, ["error"], "usage"],
  ])("%s also ends with JSON", async (line, code, events, error) => {
    const run = await runExport(`${line} --log-format json`, freshFolder());
    const lines = parseLines(run.err);
    expect([run.code, lines.map(({ event }) => event).filter((event) => event !== "written")]).toEqual([
      code,
      events,
    ]);
    expect(lines.at(-1).error).toMatchObject({ code: error, exitCode: code, hint: expect.any(String) });
  });

  test("writes other messages as notices", async () => {
    const run = await runExport("events -g ember --out x --log-format json --debug", freshFolder());
    const notices = parseLines(run.err).filter(({ event }) => event === "notice");
    expect(notices[0].message).toMatch(/^GET .* -> 200/);
  });
});

describe("the flag --out and its companions", () => {
  test.each([
    ["--out foo.json", "the file extension must be"],
    ["--out foo.csv.gzip", "the file extension must be"],
    ["--out foo.PARQUET", "the file extension must be"],
    ["--games ember,,tide", "--games ember,,tide has an empty entry"],
    ["--games ember,", "has an empty entry"],
    ["--fields id", "--fields and --jq do not apply"],
    ["--jq .id", "--fields and --jq do not apply"],
    ["--json", "--json does not apply to exported rows"],
  ])("rejects %s", async (words, message) => {
    const cwd = freshFolder();
    const game = words.startsWith("--games") ? "" : " -g ember";
    const run = await runExport(`sessions${game} ${words}`, cwd);
    expect([run.code, run.err, readdirSync(cwd)]).toEqual([2, expect.stringContaining(message), []]);
  });

  test("accepts a folder with a dot in its name if it exists or ends in a slash", async () => {
    const cwd = freshFolder();
    mkdirSync(join(cwd, "v1.2"));
    expect((await runExport("handles -g ember --out v1.2", cwd)).code).toBe(0);
    expect((await runExport("handles -g ember --out v1.3/", cwd)).code).toBe(0);
    expect(readdirSync(join(cwd, "v1.3"))).toEqual(["_playtest", "handles"]);
  });

  test.runIf(existsSync("/proc/self"))("rejects a folder that cannot be created", async () => {
    for (const out of ["/proc/nope/", "/proc/nope/a/", "/proc/nope/a.csv"]) {
      const run = await runExport(`sessions -g ember --out ${out}`, freshFolder());
      expect([run.code, run.err]).toEqual([
        3,
        "error: Cannot create the folder /proc/nope: its file system rejects it\nhint: Check the path and its permissions.\n",
      ]);
    }
  });

  test("reports a single file as not written if a game is missing", async () => {
    const cwd = freshFolder();
    const run = await runExport("sessions --games ember,nosuch --out s.csv", cwd);
    expect([run.code, readdirSync(cwd)]).toEqual([12, []]);
    expect(run.err).toContain("hint: The file was not written;");
    expect(run.err).not.toContain("Everything else was written");
  });
});
