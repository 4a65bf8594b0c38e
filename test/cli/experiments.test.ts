/** experiments list, compare and assign: output and required keys. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { displayWidth } from "../../src/render/text.ts";
import { builtinProvider } from "../../src/server/analysis/provider/builtin.ts";
import { generateDigest } from "../../src/server/experiments/digest.ts";
import { NOW, runCli, startTestService, type TestService } from "../harness.ts";
import { alter, DAY, experiment, sit } from "../server/experiments/helpers.ts";

let service: TestService;
let id: string;
let early: string;

beforeAll(async () => {
  service = await startTestService();
  await service.addGame("ember");
  await service.addGame("empty");
  id = await experiment(service, "ember");
  early = await experiment(service, "ember");
  const at = NOW - 20 * DAY;
  for (const [key, returning] of [
    ["control", 4],
    ["bright", 32],
  ] as const) {
    for (let device = 0; device < 40; device += 1) {
      const sitting = { deviceId: `${key}${device}`, tags: { [id]: key } };
      const deaths = Array.from({ length: 6 }, () => "death");
      await sit(service, "ember", { ...sitting, at, events: device === 0 ? deaths : [] });
      if (device < returning) await sit(service, "ember", { ...sitting, at: at + DAY });
    }
  }
  await service.analysis.drain();
});
afterAll(() => service.stop());

const run = (argv: string[], options: Parameters<typeof runCli>[1] = {}) =>
  runCli(["experiments", ...argv], { service, ...options });
const show = (argv: string[]) => run(argv, { tty: true, columns: 140 });

describe("experiments compare", () => {
  test("shows the verdict, the figures that it rests on, and how many players are enough", async () => {
    const { code, out } = await show(["compare", id]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^◐ KEEP RUNNING {3}bright leads, but more crashes are not ruled out\n {2}Caves · ember\n\n/,
    );
    expect(out).toMatch(/^ +control +bright +change$/m);
    expect(out).toMatch(/^ {2}Players +40 +40$/m);
    expect(out).toMatch(/^ {2}Back on day 1 +10% +80% +\+70 pts {2}ahead$/m);
    expect(out).toMatch(/^ {2}Crashes +0\.0% +0\.0% +0\.0 pts {2}a rise above 2\.0% is not ruled out$/m);
    expect(out).toMatch(/ {2}friction, quits and ratings: no clear difference · \d+ more rows$/m);
    expect(out).toMatch(/^ {2}Enough players: about [\d,]+ per variant\.\n {2}Details: --stats, --all\n$/m);
    expect(out.split("\n").length).toBeLessThanOrEqual(25);
    expect(out.split(/\s+/).length).toBeLessThanOrEqual(150);
  });

  test("shows ranges, p-values and methods with --stats", async () => {
    const { out } = await show(["compare", id, "--stats"]);
    expect(out).toContain("Caves: player retention");
    expect(out).toMatch(
      /^Day 1\ncontrol +10\.0% \(4\.0% to 23\.1%\) +4 of 40 +─+●─+\nbright +80\.0% \(65\.2% to 89\.5%\)/m,
    );
    expect(out).toMatch(/^bright +Returned on day 1 \(decides\) +\+70\.0 +\+\S+ to \+\S+ +< 0\.0001$/m);
    expect(out).toMatch(/^control +40 +44 +50\.0% \(\d+\.\d% to \d+\.\d%\)/m);
    expect(out.replaceAll("\n", " ")).toContain("hold however often you look");
    expect(out).toContain(
      "With 80 players, a loss of 63% of a variant's players is noticed in 80% of cases.",
    );
  });

  test("shows all rows with --all", async () => {
    const { out } = await show(["compare", id, "--all"]);
    expect(out).toMatch(
      /\? {2}Difficulty spike in cave +1\/1 +→ 0\/0 .*difficulty-spike:cave$|Difficulty spike in cave/m,
    );
    expect(out).not.toContain("more rows");
  });

  test("takes the largest increase of crashes that does not matter", async () => {
    const { out } = await show(["compare", id, "--crash-margin", "60"]);
    expect(out).toContain("a rise above 60.0% is ruled out");
  });

  test("finds an experiment by its name", async () => {
    await alter(service, early, async (db, row) => {
      await db
        .updateTable("experiments")
        .set({ name: "Shorter Bridge" })
        .where("game_id", "=", row.game_id)
        .where("id", "=", row.id)
        .execute();
    });
    const { out } = await show(["compare", "shorter bridge", "--game", "ember"]);
    expect(out).toBe("Experiment Shorter Bridge has no players yet, so there is nothing to compare.\n");
    expect((await show(["compare", "caves", "-g", "ember"])).out).toContain("Caves · ember");
    const funnel = await runCli(["funnel", "death", "--experiment", "caves", "-g", "ember", "--env", "all"], {
      service,
    });
    expect([funnel.code, funnel.err]).toEqual([0, ""]);
    const unknown = await run(["compare", "tunnels", "--game", "ember"]);
    expect([unknown.code, unknown.err]).toEqual([
      44,
      expect.stringMatching(/experiment "tunnels" of game "ember"\nhint: The experiments are Caves, /),
    ]);
    const none = await run(["compare", "tunnels", "--game", "empty"]);
    expect([none.code, none.err]).toEqual([44, expect.stringContaining("The game has no experiments")]);
  });

  test("finds an experiment by the beginning or a word of its name, or by a variant, if only one has it", async () => {
    const names = async (word: string) => (await run(["compare", word, "--game", "ember"])).out;
    for (const word of ["shorter", "shorter-bridge", "Bridge"])
      expect([word, await names(word)]).toEqual([word, expect.stringContaining("Shorter Bridge")]);
    for (const word of ["short", "ridge"])
      expect((await run(["compare", word, "--game", "ember"])).code).toBe(44);
    const shared = await run(["compare", "control", "--game", "ember"]);
    expect([shared.code, shared.err]).toEqual([
      2,
      expect.stringMatching(/\d experiments of game "ember" match "control": exp_\w+ \(.+\), exp_/),
    ]);
  });

  test("fits its tables into 80 columns", async () => {
    const { out } = await run(["compare", id, "--stats", "--all"], { tty: true, columns: 80 });
    expect(out).toMatch(/^VARIANT +METRIC +CHANGE \(PP\) +95% RANGE +P-VALUE$/m);
    expect(Math.max(...out.split("\n").map(displayWidth))).toBeLessThanOrEqual(80);
  });

  test("says in one sentence that an experiment has no players", async () => {
    const { out } = await show(["compare", early]);
    expect(out).toBe(`Experiment Shorter Bridge has no players yet, so there is nothing to compare.\n`);
  });

  test("shows the digest if there is one", async () => {
    await alter(service, id, (db, row) => generateDigest(db, row, NOW, builtinProvider));
    const { out } = await show(["compare", id, "--all"]);
    const recommendation = out.slice(out.indexOf("Recommendation (low confidence):")).replaceAll("\n", " ");
    expect(recommendation).toContain(
      "Keep running: bright leads, but more crashes are not ruled out. Day 1 retention is 70.0",
    );
    await alter(service, id, (db, row) => generateDigest(db, row, NOW - 2 * DAY, builtinProvider));
    expect((await show(["compare", id, "--all"])).out).toMatch(
      /Recommendation of \S.* \(\S.*; the figures above may be newer\): /,
    );
  });

  test("writes plain numbers to csv, and the full response as JSON", async () => {
    const csv = (await run(["compare", id, "--format", "csv"])).out.split("\n");
    expect(csv[0]).toContain(
      '"key","playerCount","sessionCount","retention.1","retention.2","retention.7","engagementPct","crashRate"',
    );
    expect(csv[1]).toBe('"control",40,44,0.1,0,0,50,0');
    const json = JSON.parse((await run(["compare", id, "--json"])).out);
    expect(json.comparison.verdict).toMatchObject({ decision: "keep running", variant: "bright" });
  });

  test("names an uneven allocation as the reason to keep running", async () => {
    for (let device = 0; device < 30; device += 1) {
      await sit(service, "ember", { deviceId: `x${device}`, at: NOW - DAY, tags: { [early]: "control" } });
    }
    for (const key of ["control", "bright"]) {
      await sit(service, "ember", { deviceId: "both", at: NOW - DAY, tags: { [early]: key } });
    }
    const { out } = await show(["compare", early]);
    expect(out).toMatch(
      /^◐ KEEP RUNNING {3}players are not distributed as allocated \(p = \S+\), so the figures mislead$/m,
    );
  });

  test("lists experiments of the same name", async () => {
    const twin = await experiment(service, "ember");
    const { code, err } = await run(["compare", "Caves", "--game", "ember"]);
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/2 experiments of game "ember" are named "Caves": exp_\w+ \(running\), exp_/),
    ]);
    await alter(service, twin, async (db, row) => {
      await db
        .updateTable("experiments")
        .set({ deleted_at: NOW })
        .where("game_id", "=", row.game_id)
        .where("id", "=", row.id)
        .execute();
    });
  });

  test("exits with code 44 for an unknown experiment and names it", async () => {
    const { code, err } = await run(["compare", "exp_unknown"]);
    expect([code, err]).toEqual([44, expect.stringContaining("No experiment exp_unknown")]);
  });
});

describe("experiments list", () => {
  test("shows all experiments of the game", async () => {
    const { out } = await show(["list", "--wide", "--game", "ember"]);
    expect(
      out.match(/exp_\w+ +running +control 50%, bright 50% .*everybody.* (?:Caves|Shorter Bridge)/g),
    ).toHaveLength(2);
    expect((await show(["list", "--game", "empty"])).err).toContain("No experiments yet.");
  });
});

describe("experiments assign", () => {
  test("shows the same variants as a game client gets", async () => {
    const json = JSON.parse((await run(["assign", "dev_1", "-g", "ember", "--json"])).out);
    expect(Object.keys(json.experiments).sort()).toEqual([id, early].sort());
    const { out } = await show(["assign", "dev_1", "-g", "ember"]);
    for (const [key, variant] of Object.entries(json.experiments))
      expect(out).toMatch(new RegExp(`${key} +${variant}\\b`));
    expect((await show(["assign", "dev_1", "-g", "empty"])).err).toContain("No running experiment");
  });

  test("requires an ingest key", async () => {
    const { code, err } = await run(["assign", "dev_1", "-g", "ember"], {
      env: { PLAYTEST_INGEST_KEY: undefined },
    });
    expect([code, err]).toEqual([3, expect.stringContaining("PLAYTEST_INGEST_KEY")]);
  });

  test("rejects a build that is too long before any request", async () => {
    const { code, err } = await run(["assign", "d", "-g", "ember", "--build", "x".repeat(65)]);
    expect([code, err]).toEqual([2, expect.stringContaining("buildVersion")]);
  });
});
