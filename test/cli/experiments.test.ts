/** experiments list, compare and assign: output and required keys. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
    expect(out).toMatch(/^Returned on day 1 \(decides\) +bright +\+70\.0 +\+\S+ to \+\S+ +<0\.001 +yes$/m);
    expect(out).toMatch(/^Returned on day 1 +45\.0% +5\.0 +control [\d,]+, bright [\d,]+ +\d+\.\d$/m);
    expect(out).not.toMatch(/^Crash rate +1\.0%/m);
    expect(out.replaceAll("\n", " ")).toMatch(
      / To show that the crash rate rises by less than 1\.0 point with a probability of 80%, the experiment needs [\d,]+ players per variant \(assumed crash rate: 1\.0%\)\. The current players can show that it rises by less than \d+\.\d points\. /,
    );
    expect(out.replaceAll("\n", " ")).toContain(
      "Sample ratio check with 80 players: if 5% of a variant's players are missing from the data, the check notices it with a probability of 0%. It notices with a probability of 80% if 63.2% are missing.",
    );
    expect(out).toMatch(/^Engagement +50\.0% \(\d+\.\d% to \d+\.\d%\)/m);
    expect(out).toMatch(/Engagement +bright +0\.0 .* no/);
    expect(out).toContain("Friction: Difficulty spike in cave (difficulty-spike:cave), 1 insight");
    expect(out).not.toContain("Warning");
    expect(out).not.toContain("Recommendation");
  });

  test("reports that there is not enough data", async () => {
    expect((await show(["compare", early])).out.replaceAll("\n", " ")).toMatch(
      /^Not enough data: the smallest variant has 0 players who joined at least 2 days ago, so that their day 1 is over; at least 30 per variant are required\. /,
    );
  });

  test("shows no numbers and no scale without players", async () => {
    const { out } = await show(["compare", early]);
    expect(out).toMatch(/^Engagement +- +-$/m);
    expect(out).toMatch(/^Returned on day 1 \(decides\) +bright +- +- +- +no$/m);
    expect(out).not.toContain("SCALE");
  });

  test("shows the digest if there is one", async () => {
    await alter(service, early, (db, row) => generateDigest(db, row, NOW, builtinProvider));
    expect((await show(["compare", early])).out).toContain(
      "Recommendation (not enough data): Keep the experiment running:",
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

  test("exits with code 44 for an unknown experiment and names it", async () => {
    const { code, err } = await run(["compare", "exp_unknown"]);
    expect([code, err]).toEqual([44, expect.stringContaining('experiment "exp_unknown"')]);
  });
});

describe("experiments list", () => {
  test("shows all experiments of the game", async () => {
    const { out } = await show(["list", "--wide", "--game", "ember"]);
    expect(out.match(/exp_\w+ +Caves +running +control 50%, bright 50% .*everybody/g)).toHaveLength(2);
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
