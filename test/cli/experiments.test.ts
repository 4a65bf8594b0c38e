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
  test("shows the verdict, intervals, differences and friction", async () => {
    const { code, out } = await show(["compare", id]);
    expect(code).toBe(0);
    expect(out.replaceAll("\n", " ")).toMatch(
      /^No leader yet: variant bright \(“Brighter caves”\) is ahead, but it is not known whether its sessions crash more often: its crash rate could still be up to \d+\.\d points higher, and a leader needs less than 1\.0\. 70\.0 percentage points more of its players return on day 1 than in control \(interval: \+\S+ to \+\S+\)\. The experiment does not have the players that it needs yet\./,
    );
    expect(out).toMatch(/^VARIANT +control +bright$/m);
    expect(out).toMatch(/^Players +40 +40$/m);
    expect(out).toMatch(
      /^Day 1\ncontrol +10\.0% \(4\.0% to 23\.1%\) +4 of 40 +─+●─+\nbright +80\.0% \(65\.2% to 89\.5%\)/m,
    );
    expect(out).toMatch(/^Day 2\ncontrol +0\.0% \(0\.0% to 8\.8%\)/m);
    expect(out).toContain("Differences of bright from control (percentage points)");
    expect(out).toMatch(/^Returned on day 1 \(decides\) +\+70\.0 +\+\S+ to \+\S+ +<0\.001 +yes$/m);
    expect(out).toMatch(/^Returned on day 1 +45\.0% +5\.0 +[\d,]+ per variant +\d+\.\d$/m);
    expect(out).not.toMatch(/^Crash rate +1\.0%/m);
    expect(out.replaceAll("\n", " ")).toMatch(
      / To show that the crash rate rises by less than 1\.0 point with a probability of 80%, the experiment needs [\d,]+ players per variant \(assumed crash rate: 1\.0%\)\. The current number of players is only enough to rule out a rise of \d+\.\d points or more\. /,
    );
    expect(out.replaceAll("\n", " ")).toContain(
      "Sample ratio check with 80 players: if 5% of a variant's players are missing from the data, the check notices it with a probability of 0%. It notices with a probability of 80% if 63.2% are missing.",
    );
    expect(out).toMatch(/^Engagement +50\.0% \(\d+\.\d% to \d+\.\d%\)/m);
    expect(out).toMatch(/Engagement +0\.0 .* no/);
    expect(out).toContain("Friction: Difficulty spike in cave (difficulty-spike:cave), 1 insight");
    expect(out).not.toContain("Warning");
    expect(out).not.toContain("Recommendation");
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
    expect((await show(["compare", "caves", "-g", "ember"])).out).toContain("Caves: player retention");
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

  test("fits its tables into 80 columns", async () => {
    const { out } = await run(["compare", id], { tty: true, columns: 80 });
    expect(out).toMatch(/^METRIC +DIFF \(PP\) +95% INTERVAL +P-VALUE +SIGNIFICANT$/m);
    expect(Math.max(...out.split("\n").map(displayWidth))).toBeLessThanOrEqual(80);
  });

  test("says in one sentence that an experiment has no players", async () => {
    const { out } = await show(["compare", early]);
    expect(out).toBe(`Experiment ${early} has no players yet, so there is nothing to compare.\n`);
  });

  test("shows the digest if there is one", async () => {
    await alter(service, id, (db, row) => generateDigest(db, row, NOW, builtinProvider));
    const { out } = await show(["compare", id]);
    const [, lead] = /(\d+\.\d percentage points) more of its players/.exec(out.replaceAll("\n", " ")) ?? [];
    const recommendation = out.slice(out.indexOf("Recommendation (low confidence):")).replaceAll("\n", " ");
    expect(recommendation).toContain(`day 1 retention is ${lead} higher`);
    await alter(service, id, (db, row) => generateDigest(db, row, NOW - 2 * DAY, builtinProvider));
    expect((await show(["compare", id])).out).toMatch(
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
    expect(json.comparison.lead).toMatchObject({ variant: "bright", guardrail: { status: "unknown" } });
  });

  test("warns of crossovers and uneven allocation", async () => {
    for (let device = 0; device < 30; device += 1) {
      await sit(service, "ember", { deviceId: `x${device}`, at: NOW - DAY, tags: { [early]: "control" } });
    }
    for (const key of ["control", "bright"]) {
      await sit(service, "ember", { deviceId: "both", at: NOW - DAY, tags: { [early]: key } });
    }
    const { out } = await show(["compare", early]);
    expect(out).toMatch(
      /Warning: 1 device was .* excluded\.\nWarning: the player counts do not match the allocation \(p = /,
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
    expect([code, err]).toEqual([44, expect.stringContaining('experiment "exp_unknown"')]);
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
