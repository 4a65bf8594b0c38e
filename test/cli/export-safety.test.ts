/** export left alone for a year: other queries in its folder, wrong clocks, long outages, and what stands in its way. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ClientError } from "../../src/client/errors.ts";
import { faulty } from "../export/faulty.ts";
import { DAY, filesIn, playDays } from "../export/played.ts";
import {
  BASE_URL,
  type CliOptions,
  freshFolder,
  NOW,
  runCli,
  startTestService,
  type TestService,
  transportOf,
} from "../harness.ts";
import { eventsOf, play } from "../server/play.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await playDays(service);
});
afterAll(async () => await service.stop());

/** Runs an export of a service, on a clock of its own that stands where the service's stands. */
async function exported(line: string, cwd: string, options: CliOptions = {}, of = service) {
  const clock = { now: of.clock.now };
  return await runCli(["export", ...line.split(" ")], { service: of, clock, cwd, ...options });
}

describe("a folder", () => {
  test.each([
    ["--env prodution", 'environments was [] and is ["prodution"]'],
    ["--by week", 'by was "day" and is "week"'],
    ["--format csv", 'format was "parquet" and is "csv"'],
    ["--by hour --since-last", 'by was "day" and is "hour"'],
  ])("of one query is refused to one with %s, and nothing is touched", async (more, told) => {
    const cwd = freshFolder();
    expect((await exported("events sessions -g ember --out x", cwd)).code).toBe(0);
    const before = filesIn(join(cwd, "x"));
    const other = await exported(`events sessions -g ember --out x ${more}`, cwd);
    expect([other.code, filesIn(join(cwd, "x"))]).toEqual([3, before]);
    expect(other.err).toContain(`${join(cwd, "x/events/game=ember")} holds files of another export: ${told}`);
    expect(other.err).toContain("--out");
    rmSync(join(cwd, "x/events"), { recursive: true });
    rmSync(join(cwd, "x/sessions"), { recursive: true });
    expect((await exported(`events sessions -g ember --out x ${more}`, cwd)).code).toBe(0);
  });

  test("of one service is refused to another", async () => {
    const cwd = freshFolder();
    await exported("sessions -g ember --out x", cwd);
    const other = await exported("sessions -g ember --out x", cwd, {
      env: { PLAYTEST_BASE_URL: "http://localhost:4400" },
    });
    expect([other.code, other.err]).toEqual([3, expect.stringContaining(`service was "${BASE_URL}"`)]);
  });

  test("takes the same environments in any order, each once", async () => {
    const cwd = freshFolder();
    await exported("events -g ember --env staging --env production --out x", cwd);
    const before = filesIn(join(cwd, "x"));
    const again = "events -g ember --env production --env staging --env production --out x";
    expect((await exported(again, cwd)).code).toBe(0);
    expect(filesIn(join(cwd, "x"))).toEqual(before);
  });

  test("loses every file of a game that has nothing any more, within the time asked for", async () => {
    const own = await startTestService();
    await own.addGame("ember");
    const cwd = freshFolder();
    const folder = join(cwd, "x/sessions/game=ember");
    mkdirSync(folder, { recursive: true });
    for (const day of ["2019-01-01", "2026-02-20"]) writeFileSync(join(folder, `day=${day}.parquet`), "old");
    writeFileSync(join(folder, "day=2026-02-21.parquet.manifest.json.draft"), "left");
    await exported(`sessions -g ember --out x --from ${NOW - 30 * DAY}`, cwd, {}, own);
    expect(readdirSync(folder)).toEqual(["day=2019-01-01.parquet"]);
    await exported("sessions -g ember --out x", cwd, {}, own);
    expect(readdirSync(folder)).toEqual([]);
    await own.stop();
  });

  test.each([
    ["a link", (path: string) => symlinkSync(freshFolder(), path), "game=ember is a link"],
    ["a file", (path: string) => writeFileSync(path, ""), "game=ember is a file"],
    [
      "a link in place of a draft",
      (path: string) => {
        mkdirSync(path);
        symlinkSync("/nowhere", join(path, "day=2026-03-01.parquet.draft"));
      },
      "day=2026-03-01.parquet.draft is a link",
    ],
    [
      "a folder in place of a file",
      (path: string) => mkdirSync(join(path, "day=2026-03-01.parquet"), { recursive: true }),
      "day=2026-03-01.parquet is a folder",
    ],
  ])("in which %s is in one game's way takes the others", async (_what, block, told) => {
    const cwd = freshFolder();
    mkdirSync(join(cwd, "x/sessions"), { recursive: true });
    block(join(cwd, "x/sessions/game=ember"));
    const run = await exported("sessions --all-games --out x", cwd);
    expect([run.code, run.err]).toEqual([12, expect.stringContaining(told)]);
    expect(run.err).toContain("Incomplete: missing: sessions of ember");
    expect(readdirSync(join(cwd, "x/sessions/game=tide")).length).toBeGreaterThan(1);
  });

  test("whose root cannot be one stops it all", async () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, "x"), "");
    const run = await exported("sessions --all-games --out x/", cwd);
    expect([run.code, run.err]).toEqual([3, expect.stringContaining("x is a file")]);
    expect(readFileSync(join(cwd, "x"), "utf8")).toBe("");
  });

  test("keeps a file and its manifest alike where the manifest cannot be written", async () => {
    const cwd = freshFolder();
    await exported("sessions -g ember --format csv --out x", cwd);
    const name = "sessions/game=ember/day=2026-03-01.csv";
    const before = [name, `${name}.manifest.json`].map((one) => readFileSync(join(cwd, "x", one), "utf8"));
    mkdirSync(join(cwd, "x", `${name}.manifest.json.draft`));
    const run = await exported("sessions -g ember --format csv --out x", cwd);
    expect(run.code).toBe(3);
    const after = [name, `${name}.manifest.json`].map((one) => readFileSync(join(cwd, "x", one), "utf8"));
    expect(after).toEqual(before);
    expect(existsSync(join(cwd, "x", `${name}.draft`))).toBe(false);
  });

  test("made by a run that fails goes again", async () => {
    const cwd = freshFolder();
    await exported("sessions -g nosuch --out a/b/x", cwd);
    expect(existsSync(join(cwd, "a"))).toBe(false);
  });
});

describe("a state", () => {
  test.each([
    ["of a clock that ran ahead", NOW + 400 * DAY, null],
    ["set by hand", NOW, 4e12],
  ])("%s is refused, telling the way out", async (_what, now, complete) => {
    const cwd = freshFolder();
    const line = "sessions -g ember --out x --since-last";
    expect((await exported(line, cwd, { clock: { now } })).code).toBe(0);
    const state = join(cwd, "x/.playtest-export.json");
    if (complete !== null) {
      const text = readFileSync(state, "utf8").replace(/"complete": \d+/, `"complete": ${complete}`);
      writeFileSync(state, text);
    }
    const run = await exported(line, cwd);
    expect([run.code, run.err]).toEqual([3, expect.stringContaining("Set the clock.")]);
    expect(run.err).toContain("sessions of ember says that all up to 20");
    rmSync(state);
    expect((await exported(line, cwd)).code).toBe(0);
  });

  test("that lies elsewhere is of its folder alone", async () => {
    const cwd = freshFolder();
    const line = (folder: string) => `sessions -g ember --out ${folder} --since-last --state s.json`;
    expect((await exported(line("x"), cwd)).code).toBe(0);
    expect((await exported(line("x"), cwd)).code).toBe(0);
    const other = await exported(line("y"), cwd);
    expect([other.code, existsSync(join(cwd, "y"))]).toEqual([3, false]);
    expect(other.err).toContain("its files are in another folder, or were removed");
    rmSync(join(cwd, "x"), { recursive: true });
    expect((await exported(line("x"), cwd)).code).toBe(3);
  });
});

describe("requests", () => {
  test.each(["hour", "day", "week"])("by %s are as many as told, and none are for empty time", async (by) => {
    const own = await startTestService();
    await own.addGame("ember");
    for (const back of [0, 1, 90, 200, 399]) {
      const at = NOW - back * DAY - 60_000;
      await play(own, { gameId: "ember", startedAt: at, events: eventsOf(["jump"], at), sessionEnded: true });
    }
    for (const dataset of ["sessions", "events"]) {
      const line = `${dataset} -g ember --by ${by} --out ${dataset} --json`;
      const plan = JSON.parse((await exported(`${line} --dry-run`, freshFolder(), {}, own)).out);
      const made = JSON.parse((await exported(line, freshFolder(), {}, own)).out);
      expect(plan.series[0].files).toBe(by === "week" ? 4 : 5);
      expect(made.series[0].files).toBe(by === "week" ? 4 : 5);
      // Beside what was told: the game, and what there is of it.
      expect([plan.requests, plan.requests + 2]).toContain(made.requests);
    }
    await own.stop();
  });

  test("of many sessions are within a half of what was told", async () => {
    const own = await startTestService();
    await own.addGame("ember");
    for (let n = 0; n < 450; n += 1) {
      const at = NOW - (n % 9) * 7 * DAY - n * 60_000;
      await play(own, { gameId: "ember", startedAt: at, events: eventsOf(["jump"], at), sessionEnded: true });
    }
    for (const line of ["sessions --by day", "sessions --by hour", "events --by week", "events --by day"]) {
      const words = `${line} -g ember --out x --json`;
      const plan = JSON.parse((await exported(`${words} --dry-run`, freshFolder(), {}, own)).out);
      const made = JSON.parse((await exported(words, freshFolder(), {}, own)).out);
      expect([line, plan.requests / made.requests]).toEqual([
        line,
        expect.toSatisfy((x) => x > 0.5 && x < 2),
      ]);
    }
    await own.stop();
  }, 60_000);
});

test("of a service that does not list the newest first every bucket is found", async () => {
  const [cwd, calm] = [freshFolder(), freshFolder()];
  const through = transportOf(service.app);
  const run = await exported("sessions -g ember --out x", cwd, {
    async transport(request) {
      const answer = await through(request);
      if (!/sessions\?/.test(request.url)) return answer;
      // Every item in one page, the oldest first.
      const page = JSON.parse(answer.body);
      return { ...answer, body: JSON.stringify({ ...page, items: page.items.reverse() }) };
    },
  });
  await exported("sessions -g ember --out x", calm);
  const names = (folder: string) => Object.keys(filesIn(join(folder, "x")));
  expect([run.code, names(cwd)]).toEqual([0, names(calm)]);
});

describe("an outage", () => {
  test.each([502, 503, 504])("of minutes that a proxy answers %i to is waited out", async (status) => {
    const faults = faulty(service, (_, nth) => (nth > 1 && nth < 60 ? status : null));
    const run = await exported("handles -g ember --out x", freshFolder(), faults);
    expect([run.code, run.waits.some((ms) => ms >= 30_000)]).toEqual([0, true]);
  });

  test("without an end costs a fixed time in all, however many datasets there are", async () => {
    const clock = { now: NOW };
    const faults = faulty(service, (_, nth) => (nth > 1 ? new ClientError("network", "cut") : null));
    const all = "events sessions insights handles batches keys experiments heatmaps";
    const run = await exported(`${all} --all-games --out x`, freshFolder(), {
      clock,
      ...faults,
    });
    expect(run.code).toBe(51);
    expect(clock.now - NOW).toBeLessThan(35 * 60_000);
    expect(clock.now - NOW).toBeGreaterThan(25 * 60_000);
  });
});

describe("--log-format json", () => {
  const linesOf = (err: string) =>
    err
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));

  test.each([
    ["events --games ember,nosuch --out x", 12, ["missing", "plan", "done", "error"], "incomplete"],
    ["events -g nosuch --out x", 44, ["missing", "done", "error"], "not_found"],
    ["events sessions -g ember", 2, ["error"], "usage"],
  ])("%s ends in JSON too", async (line, code, events, error) => {
    const run = await exported(`${line} --log-format json`, freshFolder());
    const lines = linesOf(run.err);
    expect([run.code, lines.map(({ event }) => event).filter((event) => event !== "written")]).toEqual([
      code,
      events,
    ]);
    expect(lines.at(-1).error).toMatchObject({ code: error, exitCode: code, hint: expect.any(String) });
  });

  test("tells warnings of the command line as notices", async () => {
    const run = await exported("events -g ember --out x --log-format json --debug", freshFolder());
    const notices = linesOf(run.err).filter(({ event }) => event === "notice");
    expect(notices[0].message).toMatch(/^GET .* -> 200/);
  });
});

describe("what is refused", () => {
  test.each([
    ["--out foo.json", "ends in none of"],
    ["--out foo.csv.gzip", "ends in none of"],
    ["--out foo.PARQUET", "ends in none of"],
    ["--games ember,,tide", "--games ember,,tide has an empty entry"],
    ["--games ember,", "has an empty entry"],
    ["--fields id", "--fields and --jq choose nothing"],
    ["--jq .id", "--fields and --jq choose nothing"],
  ])("%s", async (words, told) => {
    const cwd = freshFolder();
    const game = words.startsWith("--games") ? "" : " -g ember";
    const run = await exported(`sessions${game} ${words}`, cwd);
    expect([run.code, run.err, readdirSync(cwd)]).toEqual([2, expect.stringContaining(told), []]);
  });

  test("is no folder with a dot in its name where it is there, or ends in a slash", async () => {
    const cwd = freshFolder();
    mkdirSync(join(cwd, "v1.2"));
    expect((await exported("handles -g ember --out v1.2", cwd)).code).toBe(0);
    expect((await exported("handles -g ember --out v1.3/", cwd)).code).toBe(0);
    expect(readdirSync(join(cwd, "v1.3"))).toEqual(["handles"]);
  });

  test("one file with a game missing is told as not written", async () => {
    const cwd = freshFolder();
    const run = await exported("sessions --games ember,nosuch --out s.csv", cwd);
    expect([run.code, readdirSync(cwd)]).toEqual([12, []]);
    expect(run.err).toContain("hint: The file is not written;");
    expect(run.err).not.toContain("All else is written");
  });
});
