/** Tests of admin experiments, audiences and digests, checked with responses of the service. */
import { beforeEach, describe, expect, test } from "vitest";
import { NOW } from "../harness.ts";
import { type AdminFixture, setUpAdminFixture } from "./admin-fixture.ts";

let fixture: AdminFixture;
setUpAdminFixture((made) => {
  fixture = made;
});

/** Runs a command that must succeed. Returns its JSON. */
async function run(...argv: string[]) {
  const { code, err, json } = await fixture.run(argv);
  expect([argv, code, err]).toEqual([argv, 0, ""]);
  return json;
}

beforeEach(async () => {
  await run("games", "create", "ember");
});

const create = (...flags: string[]) => run("experiments", "create", "Caves", "--game", "ember", ...flags);
const halves = ["--variant", "control=50", "--variant", "bright=50:Brighter caves: all of them"];

/** The assignments that a game client receives. */
async function assigned(query: string) {
  const { key } = await run("keys", "create", "--game", "ember");
  return await fixture.withService(async (service) => {
    const answer = await service.get(`/api/telemetry/experiments?gameId=ember&${query}`, { key });
    expect(answer.status).toBe(200);
    return answer.json.experiments;
  });
}

describe("remote config values", () => {
  const values = ["--config", "control.speed=2", "--config", "bright.speed=3.5"];
  const more = [
    "--config",
    "bright.hint=true",
    "--config",
    'bright.label="7"',
    "--config",
    "bright.text=a=b",
  ];

  test("belong to variants, and are sent to game clients", async () => {
    const { experiment } = await create(...halves, ...values, ...more);
    expect(experiment.variants.map(({ config }: { config: object }) => config)).toEqual([
      { speed: 2 },
      { speed: 3.5, hint: true, label: "7", text: "a=b" },
    ]);
    await run("experiments", "start", experiment.id);
    const { key } = await run("keys", "create", "--bind", "ember");
    await fixture.withService(async (service) => {
      // The key is limited to the game, so the request needs no gameId.
      const answer = await service.get("/api/telemetry/experiments?deviceId=d1", { key });
      const [[id, variant] = []] = Object.entries(answer.json.experiments);
      const { config } = experiment.variants.find((candidate: { key: string }) => candidate.key === variant);
      expect([answer.status, id, answer.json.config]).toEqual([
        200,
        experiment.id,
        { [experiment.id]: config },
      ]);
    });
  });

  test("can be changed and removed, but not while the experiment runs", async () => {
    const { experiment } = await create(...halves, ...values);
    const changed = await run("experiments", "configure", experiment.id, "bright.speed=", "control.speed=5");
    expect(changed.experiment.variants).toEqual([
      { key: "control", name: "control", allocation: 50, config: { speed: 5 } },
      { key: "bright", name: "Brighter caves: all of them", allocation: 50 },
    ]);
    await run("experiments", "start", experiment.id);
    const refused = await fixture.run(["experiments", "configure", experiment.id, "control.speed=6"]);
    expect([refused.code, refused.err]).toEqual([45, expect.stringContaining("config values are locked")]);
  });

  test.each([
    ["other.speed=1", "has no variant"],
    ["control.a b=1", "Invalid config key"],
    ["control.__proto__=1", "Invalid config key"],
    [`control.a=${"x".repeat(1001)}`, "1001 characters"],
  ])("are rejected: %s", async (value, message) => {
    const argv = ["experiments", "create", "X", "--game", "ember", ...halves, "--config", value];
    expect((await fixture.run(argv)).err).toContain(message);
  });
});

describe("the settings for SDKs", () => {
  test("have defaults, and keep the settings that are not changed", async () => {
    const defaults = {
      crashesEnabled: true,
      crashRecentEventsCount: 20,
      crashSampleRate: 1,
      showBranding: false,
    };
    expect((await run("games", "sdk", "ember")).settings).toEqual(defaults);
    const flags = ["--crashes", "off", "--crash-sample-rate", "0.25", "--snapshot-event", "save"];
    const changed = { ...defaults, crashesEnabled: false, crashSampleRate: 0.25, snapshotEventName: "save" };
    expect((await run("games", "sdk", "ember", ...flags)).settings).toEqual(changed);
    const { snapshotEventName: _name, ...rest } = changed;
    expect((await run("games", "sdk", "ember", "--snapshot-event", "none")).settings).toEqual(rest);
  });
});

describe("experiments", () => {
  test("are created as drafts, with their variants in order", async () => {
    const { experiment } = await create(...halves);
    expect(experiment).toEqual({
      id: expect.stringMatching(/^exp_[0-9a-f]+$/),
      name: "Caves",
      status: "draft",
      variants: [
        { key: "control", name: "control", allocation: 50 },
        { key: "bright", name: "Brighter caves: all of them", allocation: 50 },
      ],
      audienceId: null,
      audienceName: null,
      winnerVariantKey: null,
      startedAt: null,
      stoppedAt: null,
    });
    expect((await run("experiments", "list", "--game", "ember")).experiments).toEqual([experiment]);
  });

  test("have a margin of the crash rate if it is set", async () => {
    const { id } = (await create(...halves)).experiment;
    expect((await run("experiments", "margin", id, "3")).experiment.crashMargin).toBe(0.03);
    for (const points of ["101", "x", ""]) {
      const { code, err } = await fixture.run(["experiments", "margin", id, points]);
      expect([code, err]).toEqual([2, expect.stringContaining("is not a valid margin")]);
    }
    expect((await run("experiments", "delete", id, "--yes")).deleted.id).toBe(id);
  });

  test("have equal allocations by default", async () => {
    const { experiment } = await create(...["a", "b", "c", "d"].flatMap((key) => ["--variant", key]));
    expect(experiment.variants.map((one: { allocation: number }) => one.allocation)).toEqual([
      25, 25, 25, 25,
    ]);
  });

  test("can be started, stopped, resumed, won and deleted", async () => {
    const { id } = (await create(...halves)).experiment;
    const step = async (verb: string, ...more: string[]) =>
      (await run("experiments", verb, id, ...more)).experiment;
    expect(await step("allocate", "control=90", "bright=10")).toMatchObject({
      variants: [{ allocation: 90 }, { allocation: 10 }],
    });
    expect(await step("start")).toMatchObject({ status: "running", startedAt: NOW });
    expect(Object.keys(await assigned("deviceId=d"))).toEqual([id]);
    fixture.clock.now += 5;
    expect(await step("stop")).toMatchObject({ status: "stopped", startedAt: NOW, stoppedAt: NOW + 5 });
    expect(await step("winner", "bright")).toMatchObject({ winnerVariantKey: "bright" });
    expect(await step("resume")).toMatchObject({
      status: "running",
      stoppedAt: null,
      winnerVariantKey: null,
    });
    const { deleted } = await run("experiments", "delete", id, "--yes");
    expect(deleted).toMatchObject({ id, name: "Caves", status: "running" });
    expect((await run("experiments", "list", "--game", "ember")).experiments).toEqual([]);
    expect(await fixture.run(["experiments", "start", id])).toMatchObject({ code: 44, json: null });
  });

  test("are reported as deleted", async () => {
    const { id } = (await create(...halves)).experiment;
    expect(await fixture.show(["experiments", "delete", id, "--yes"])).toBe(
      `Deleted the experiment Caves (${id}).\n`,
    );
  });

  test("explain why they cannot be changed", async () => {
    const { id } = (await create(...halves)).experiment;
    await run("experiments", "start", id);
    const allocate = await fixture.run(["experiments", "allocate", id, "control=90"]);
    expect([allocate.code, allocate.err]).toEqual([
      45,
      expect.stringContaining("allocations are locked while an experiment runs; stop it first"),
    ]);
    const winner = await fixture.run(["experiments", "winner", id, "dark"]);
    expect([winner.code, winner.err]).toEqual([44, expect.stringContaining('no variant "dark"')]);
  });

  test("of another account are not found", async () => {
    const { id } = (await create(...halves)).experiment;
    await run("accounts", "create", "Other");
    for (const argv of [
      ["experiments", "start", id],
      ["experiments", "delete", id],
      ["digests", "generate", id],
    ]) {
      expect((await fixture.run([...argv, "--account", "Other"])).code).toBe(44);
    }
    expect((await run("experiments", "list", "--game", "ember")).experiments[0].status).toBe("draft");
  });

  test.each([
    [["--variant", "control=50"]],
    [["--variant", "control=50", "--variant", "bright"]],
    [["--variant", "control=50", "--variant", "control=50"]],
    [["--variant", "control=0", "--variant", "bright=50"]],
    [["--variant", "control=x", "--variant", "bright=50"]],
    [["--variant", "=50", "--variant", "bright=50"]],
    [["--variant", "a b=50", "--variant", "bright=50"]],
    [[]],
  ])("are not created from %j", async (flags) => {
    const refused = await fixture.run(["experiments", "create", "Caves", "--game", "ember", ...flags]);
    expect([refused.code, refused.json]).toEqual([2, null]);
    expect(refused.err).toMatch(/^\S/);
  });

  test.each(["", "  ", "x".repeat(121)])("are not called %j", async (name) => {
    const refused = await fixture.run(["experiments", "create", name, "--game", "ember", ...halves]);
    expect([refused.code, refused.json]).toEqual([2, null]);
  });

  test("are shown as a table", async () => {
    await create(...halves);
    const shown = await fixture.show(["experiments", "list", "--game", "ember"]);
    expect(shown).toMatch(/ID +STATUS +VARIANTS +WINNER +STARTED +NAME/);
    expect(shown).toMatch(/exp_\w+ +draft +control 50%, bright 50% +- +- +Caves/);
  });
});

describe("audiences", () => {
  test("have conditions, which decide who is in an experiment", async () => {
    const { audience } = await run(
      ...["audiences", "create", "New", "--game", "ember"],
      ...["--build", "2.0", "--build-prefix", "3.", "--country", "DE", "--country", "AT"],
      ...["--platform", "linux", "--env", "staging"],
    );
    expect(audience).toEqual({
      id: expect.stringMatching(/^aud_[0-9a-f]+$/),
      gameId: expect.stringMatching(/^game_/),
      name: "New",
      predicates: [
        { field: "build", op: "in", values: ["2.0"] },
        { field: "build", op: "prefix", values: ["3."] },
        { field: "platform", op: "in", values: ["linux"] },
        { field: "environment", op: "in", values: ["staging"] },
        { field: "country", op: "in", values: ["DE", "AT"] },
      ],
      createdAt: NOW,
    });
    expect((await run("audiences", "list", "--game", "ember")).audiences).toEqual([audience]);
    expect(await fixture.show(["audiences", "list", "--game", "ember"])).toContain(
      "build (2.0 or 3.*) and platform linux and environment staging and",
    );
  });

  test("by build use the build in the request", async () => {
    const { audience } = await run("audiences", "create", "Two", "--game", "ember", "--build", "2.0");
    const { experiment } = await create(...halves, "--audience", audience.id);
    expect(experiment).toMatchObject({ audienceId: audience.id, audienceName: "Two" });
    await run("experiments", "start", experiment.id);
    expect(Object.keys(await assigned("deviceId=d&buildVersion=2.0"))).toEqual([experiment.id]);
  });

  test("without conditions, and unknown ones, are rejected", async () => {
    expect((await fixture.run(["audiences", "create", "All", "--game", "ember"])).code).toBe(2);
    const unknown = await fixture.run([
      "experiments",
      "create",
      "X",
      "-g",
      "ember",
      ...halves,
      "--audience",
      "aud_0",
    ]);
    expect([unknown.code, unknown.err]).toEqual([44, expect.stringContaining("No audience aud_0")]);
    // The suggested command uses the same game and database.
    expect(unknown.err).toContain(
      `hint: Run \`playtest admin audiences list --game ember --database ${fixture.file}\` to list audiences`,
    );
  });
});

describe("digests", () => {
  test("are generated from the data so far", async () => {
    const { experiment } = await create(...halves);
    await run("experiments", "start", experiment.id);
    const { digest } = await run("digests", "generate", experiment.id);
    expect(digest).toMatchObject({ status: "ok", confidenceLabel: "insufficient", generatedAt: NOW });
    expect(digest.digest.perVariant).toEqual([
      { key: "control", headline: "No sessions yet." },
      { key: "bright", headline: "No sessions yet." },
    ]);
    const { key } = await run("keys", "rotate", "--yes");
    await fixture.withService(async (service) => {
      const answer = await service.get(`/api/v1/experiments/${experiment.id}/comparison`, { key });
      expect(answer.json.digest).toEqual(digest);
    });
    const shown = await fixture.show(["digests", "generate", experiment.id]);
    expect(shown).toMatch(/Recommendation +Keep running: the smallest variant has 0 players who joined/);
  });
});
