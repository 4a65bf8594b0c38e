/** The comparison: players per variant, exact retention windows, and the metrics of a variant. */
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { changeCrashMargin, deleteExperiment } from "../../../src/server/experiments/lifecycle.ts";
import { createForm } from "../../../src/server/feedback/forms.ts";
import { wilsonInterval } from "../../../src/statistics/intervals.ts";
import { clusteredInterval, sumContributions } from "../../../src/statistics/rates.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { sendTelemetry } from "../telemetry-helpers.ts";
import {
  alter,
  change,
  compare,
  copySession,
  DAY,
  experiment,
  gameOf,
  HALVES,
  type Sitting,
  sit,
} from "./helpers.ts";

let service: TestService;
let id: string;
beforeEach(async () => {
  service = await startTestService();
  await service.addGame("maze");
  id = await experiment(service, "maze");
});
afterEach(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

const START = NOW - 20 * DAY;
const visit = (deviceId: string | undefined, key: string | null, more: Partial<Sitting> = {}) =>
  sit(service, "maze", {
    at: START,
    ...(deviceId === undefined ? {} : { deviceId }),
    ...(key === null ? {} : { tags: { [id]: key } }),
    ...more,
  });
const variant = async (key: string) =>
  (await compare(service, id)).comparison.variants.find((one: { key: string }) => one.key === key);

describe("players", () => {
  it("are listed by variant in declared order, even without players", async () => {
    const { comparison, digest } = await compare(service, id);
    const game = await gameOf(service, "maze");
    expect(digest).toBeNull();
    expect(comparison).toMatchObject({ experimentId: id, gameId: game.id, generatedAt: NOW });
    expect(comparison).toMatchObject({ name: "Caves", game: "maze", verdict: { decision: "keep running" } });
    expect(comparison.sampleRatio).toBeNull();
    expect(comparison.crossovers).toEqual({ devices: 0, share: 0, warning: false });
    expect(
      comparison.variants.map(({ key, name, allocation }: (typeof HALVES)[number]) => ({
        key,
        name,
        allocation,
      })),
    ).toEqual(HALVES);
    for (const one of comparison.variants) {
      expect(one).toMatchObject({
        sessionCount: 0,
        playerCount: 0,
        engagementPct: 0,
        crashRate: 0,
        topFriction: [],
        topPraise: [],
        sampleQuotes: [],
      });
      expect(
        one.retention.map(({ day, eligible, rate }: Record<string, number>) => [day, eligible, rate]),
      ).toEqual([
        [1, 0, 0],
        [2, 0, 0],
        [7, 0, 0],
      ]);
    }
  });

  it("are counted once, with all their exposed sessions", async () => {
    await visit("a", "control");
    await visit("a", "control", { at: START + 5000 });
    await visit("a", null, { at: START + 9000 });
    await visit("b", "bright");
    expect(await variant("control")).toMatchObject({ playerCount: 1, sessionCount: 2 });
    expect(await variant("bright")).toMatchObject({ playerCount: 1, sessionCount: 1 });
  });

  it("who were seen in several variants are excluded, with a warning above 1%", async () => {
    await visit("a", "control");
    await visit("a", "bright", { at: START + 5000 });
    for (let device = 0; device < 99; device += 1) await visit(`d${device}`, "control");
    const { comparison } = await compare(service, id);
    expect(comparison.crossovers).toEqual({ devices: 1, share: 0.01, warning: false });
    expect(comparison.variants.map((one: { sessionCount: number }) => one.sessionCount)).toEqual([99, 0]);
    await visit("d0", "bright", { at: START + 5000 });
    expect((await compare(service, id)).comparison.crossovers).toEqual({
      devices: 2,
      share: 0.02,
      warning: true,
    });
  });

  it("whose session changed its variant count as seen in both", async () => {
    const tagged = (key: string) => ({
      gameId: "maze",
      clientSessionId: "c",
      deviceId: "a",
      experimentTags: { [id]: key },
    });
    await sendTelemetry(service, tagged("control"));
    expect(await variant("control")).toMatchObject({ playerCount: 1 });
    await sendTelemetry(service, tagged("bright"));
    await sendTelemetry(service, tagged("control"));
    expect((await compare(service, id)).comparison.crossovers.devices).toBe(1);
    expect(await variant("control")).toMatchObject({ playerCount: 0, sessionCount: 0 });
  });

  it("without a device are counted only in sessions", async () => {
    await visit(undefined, "control", { events: ["crash_reported"] });
    const one = await variant("control");
    expect(one).toMatchObject({ playerCount: 0, sessionCount: 1, crashRate: 1 });
    expect(one.retention[0].eligible).toBe(0);
  });

  it("of unknown variants, other experiments and other games are excluded", async () => {
    await visit("a", "other");
    await visit("b", null, { tags: { exp_unknown: "control", ["__proto__"]: "control" } });
    await service.addGame("tower");
    await sit(service, "tower", { at: START, deviceId: "c", tags: { [id]: "control" } });
    const { comparison } = await compare(service, id);
    expect(comparison.variants.map((one: { sessionCount: number }) => one.sessionCount)).toEqual([0, 0]);
    const rows = await service.service.store.readDb.selectFrom("exposures").selectAll().execute();
    expect(rows).toEqual([]);
  });
});

describe("retention", () => {
  const daysOf = async () =>
    Object.fromEntries(
      (await variant("control")).retention.map(({ day, eligible, retained }: Record<string, number>) => [
        day,
        [eligible, retained],
      ]),
    );

  test.each([
    [1, DAY - 1, 0],
    [1, DAY, 1],
    [1, 2 * DAY - 1, 1],
    [1, 2 * DAY, 0],
    [2, 2 * DAY - 1, 0],
    [2, 2 * DAY, 1],
    [2, 3 * DAY - 1, 1],
    [2, 3 * DAY, 0],
    [7, 7 * DAY - 1, 0],
    [7, 7 * DAY, 1],
    [7, 8 * DAY - 1, 1],
    [7, 8 * DAY, 0],
  ])("of day %i with a session %i ms after the first is %i", async (day, after, retained) => {
    await visit("a", "control");
    // Any session counts, with or without an exposure.
    await visit("a", null, { at: START + after });
    expect((await daysOf())[day]).toEqual([1, retained]);
  });

  test.each([1, 2, 7])("of day %i has no eligible players until its window ends", async (day) => {
    const closes = START + (day + 1) * DAY;
    await visit("a", "control");
    service.clock.now = closes - 1;
    expect((await daysOf())[day]).toEqual([0, 0]);
    service.clock.now = closes;
    expect((await daysOf())[day]).toEqual([1, 0]);
  });

  it("starts at the first exposed session, not at the first session", async () => {
    await visit("a", null, { at: START - DAY });
    await visit("a", "control");
    await visit("a", "control", { at: START + DAY });
    expect(await daysOf()).toEqual({ 1: [1, 1], 2: [1, 0], 7: [1, 0] });
  });

  it("is a rate with an interval", async () => {
    for (const device of ["a", "b", "c", "d"]) await visit(device, "control");
    await visit("a", "control", { at: START + DAY });
    const [first] = (await variant("control")).retention;
    expect(first).toEqual({ day: 1, eligible: 4, retained: 1, rate: 0.25, interval: wilsonInterval(1, 4) });
  });
});

describe("a variant", () => {
  it("has the active share of the total session time as engagement", async () => {
    await visit("a", "control", { lasts: [100, 100] });
    await visit("b", "control", { lasts: [300, 0] });
    expect((await variant("control")).engagementPct).toBe(25);
  });

  it("counts sessions with crashes, not crashes or errors", async () => {
    await visit("a", "control", { events: ["crash_reported", "crash_reported"] });
    await visit("a", "control", { at: START + 9000, events: ["application_error", "x_crash_reported"] });
    await visit("b", "control");
    await visit("c", "control");
    const one = await variant("control");
    expect(one.crashRate).toBe(0.25);
    expect(one.crashInterval).toEqual(
      clusteredInterval(
        sumContributions([
          { part: 1, whole: 2 },
          { part: 0, whole: 1 },
          { part: 0, whole: 1 },
        ]),
      ),
    );
  });

  it("has the friction of its own players, by number of players", async () => {
    const deaths = Array.from({ length: 6 }, () => "death");
    for (const device of ["a", "b"]) await visit(device, "control", { events: deaths });
    await visit("a", "control", { at: START + 9000, events: deaths });
    await visit("c", "bright", { events: deaths });
    await service.analysis.drain();
    const found = async (key: string) =>
      (await variant(key)).topFriction.find((one: { tag: string }) => one.tag === "difficulty-spike:cave");
    expect(await found("control")).toEqual({
      type: "difficulty-spike",
      tag: "difficulty-spike:cave",
      count: 2,
    });
    expect((await found("bright")).count).toBe(1);
  });
});

describe("quotes", () => {
  it("are at most 5 unique player texts, newest first, truncated if long", async () => {
    const { id: gameId } = await gameOf(service, "maze");
    const form = await change(service, (db) =>
      createForm(db, service.service, gameId, {
        name: "After",
        fields: [
          { id: "fun", label: "Fun?", kind: "rating-1-5" },
          { id: "why", label: "Why?", kind: "short-text" },
          { id: "more", label: "More?", kind: "long-text" },
        ],
        triggerHint: "session_end",
        active: true,
      }),
    );
    const own = await visit("a", "control");
    const other = await visit("b", "bright");
    const elsewhere = await visit("c", null);
    const say = async (sessionId: string, responses: Record<string, string>) => {
      service.clock.now += 1000;
      const body = {
        requestId: `r${service.clock.now}`,
        formId: form.id,
        sessionId,
        responses: Object.entries(responses).map(([fieldId, value]) => ({ fieldId, value })),
      };
      const answer = await service.post("/api/telemetry/feedback", body);
      expect([answer.status, answer.text]).toEqual([200, answer.text]);
    };
    for (const why of ["one", "two", "three", "four"]) await say(own, { fun: "5", why });
    await say(own, { why: "four", more: "x".repeat(300) });
    await say(other, { why: "elsewhere" });
    await say(elsewhere, { why: "nowhere" });
    const [first, ...others] = (await variant("control")).sampleQuotes;
    expect([first, ...others].sort()).toEqual(["four", "one", "three", "two", `${"x".repeat(279)}…`]);
    expect(others.slice(1)).toEqual(["three", "two", "one"]);
    await say(own, { why: "six" });
    expect((await variant("control")).sampleQuotes).toHaveLength(5);
    expect((await variant("control")).sampleQuotes[0]).toBe("six");
    expect((await variant("bright")).sampleQuotes).toEqual(["elsewhere"]);
  });
});

describe("differences", () => {
  /** Stores sessions in both variants: the number of players, and how many of them return the next day. */
  async function play2(players: number, control: number, bright: number) {
    for (const [key, back] of [
      ["control", control],
      ["bright", bright],
    ] as const) {
      await copySession(service, await visit(key, key), players - 1);
      if (back > 0) await copySession(service, await visit(key, key, { at: START + DAY }), back - 1);
    }
    return (await compare(service, id)).comparison;
  }
  type Row = { metric: string; delta: number; interval: unknown; significant: boolean };
  const first = (comparison: { differences: Row[] }) =>
    comparison.differences.find(({ metric }) => metric === "retention-1");

  it("compare every metric with the first variant", async () => {
    const comparison = await play2(40, 4, 32);
    expect(comparison.differences.map(({ metric }: Row) => metric)).toEqual([
      "retention-1",
      "retention-2",
      "retention-7",
      "crash-rate",
      "engagement",
    ]);
    expect(first(comparison)).toMatchObject({ baseline: "control", variant: "bright", significant: true });
    expect(first(comparison)?.delta).toBeCloseTo(0.7, 12);
    expect(first(comparison)).toMatchObject({ role: "primary" });
    expect(comparison.sampleRatio).toMatchObject({
      chiSquare: 0,
      pValue: 1,
      expected: [40, 40],
      warning: false,
    });
  });

  it("ignore sessions without a device, which may all belong to one person", async () => {
    await play2(40, 4, 32);
    const before = await compare(service, id);
    for (let session = 0; session < 40; session += 1)
      await visit(undefined, "bright", { events: ["crash_reported"] });
    const { comparison } = await compare(service, id);
    expect(comparison.differences).toEqual(before.comparison.differences);
    const { crashInterval } = before.comparison.variants[1];
    expect(comparison.variants[1].crashInterval).toEqual(crashInterval);
  });

  it("are unknown with fewer than 30 players per variant", async () => {
    const few = await play2(29, 0, 29);
    expect([first(few)?.interval, few.verdict.lead]).toEqual([null, null]);
  });
});

describe("the verdict", () => {
  /** Stores players of a variant, of whom some return the next day. */
  async function play(key: string, players: number, back: number) {
    const first = await visit(key, key);
    const second = await visit(key, null, { at: START + DAY });
    await service.analysis.drain();
    await copySession(service, first, players - 1);
    await copySession(service, second, back - 1);
  }

  it("is to ship a variant that leads with enough players", async () => {
    await play("control", 600, 100);
    await play("bright", 600, 300);
    expect((await compare(service, id)).comparison.verdict).toMatchObject({
      ...{ decision: "ship", variant: "bright", reason: "bright leads, and nothing speaks against it" },
      guards: [{ status: "ruled out", safe: true }],
    });
  });

  it("is to stop if the first variant leads", async () => {
    await play("control", 600, 300);
    await play("bright", 600, 100);
    const { verdict } = (await compare(service, id)).comparison;
    expect(verdict).toMatchObject({ decision: "stop", variant: "control", reason: "control leads" });
  });

  it("is to keep running while more crashes are not ruled out, or players are not distributed as allocated", async () => {
    await play("control", 40, 4);
    await play("bright", 40, 32);
    expect((await compare(service, id)).comparison.verdict.reason).toBe(
      "bright leads, but more crashes are not ruled out",
    );
    await copySession(service, await visit("other", "control"), 79);
    const { sampleRatio, verdict } = (await compare(service, id)).comparison;
    expect([sampleRatio.warning, verdict.decision, verdict.lead]).toEqual([true, "keep running", null]);
    expect(verdict.reason).toMatch(/^players are not distributed as allocated \(p = /);
  });

  it("is to stop with a significantly higher crash rate, unless the margin allows it", async () => {
    await play("control", 40, 4);
    await play("bright", 40, 32);
    const crashed = { at: START + 10 * DAY, events: ["crash_reported"] };
    await visit("bright", "bright", crashed);
    for (let device = 0; device < 39; device += 1) await visit(`bright_${device}`, "bright", crashed);
    const { verdict } = (await compare(service, id)).comparison;
    expect(verdict).toMatchObject({ decision: "stop", reason: "bright is worse: Crashes, Bugs: cave" });
    const { json } = await service.get(`/api/v1/experiments/${id}/comparison?crashMargin=0.9`);
    expect(json.applied).toEqual({ crashMargin: "0.9" });
    expect(json.comparison.verdict).toMatchObject({
      ...{ reason: "bright is worse: Bugs: cave", guards: [{ status: "worse", safe: true, margin: 0.9 }] },
    });
    await alter(service, id, (db, row) => changeCrashMargin(db, row, 0.8));
    expect((await compare(service, id)).comparison.verdict).toMatchObject({
      guards: [{ safe: true, margin: 0.8 }],
    });
    const invalid = await service.get(`/api/v1/experiments/${id}/comparison?crashMargin=5`);
    expect(invalid.status).toBe(400);
  });
});

describe("the scorecards", () => {
  const DEATHS = Array.from({ length: 6 }, () => "death");

  /** Stores players of a variant, of whom some failed again and again. */
  async function fail(key: string, failed: number, players: number) {
    for (let player = 0; player < players; player += 1)
      await visit(`${key}${player}`, key, { events: player < failed ? DEATHS : ["death"] });
  }

  it("find friction that more players of a variant had, and stop the experiment", async () => {
    const uneven = HALVES.map((half, at) => ({ ...half, allocation: at === 0 ? 69 : 31 }));
    id = await experiment(service, "maze", { variants: uneven });
    await fail("control", 31, 89);
    await fail("bright", 26, 40);
    await service.analysis.drain();
    const { scorecards, verdict } = (await compare(service, id)).comparison;
    const [{ rows, ...scorecard }] = scorecards;
    expect(scorecard).toMatchObject({ variant: "bright", baseline: "control" });
    expect(rows[0]).toMatchObject({
      ...{ id: "difficulty-spike:cave", title: "Difficulty spike in cave", status: "worse" },
      ...{ a: { count: 31, total: 89 }, b: { count: 26, total: 40 } },
    });
    expect(new Set(rows.map(({ name }: { name: string }) => name))).toEqual(
      new Set(["friction", "quit", "completion"]),
    );
    expect(verdict).toMatchObject({ decision: "stop", reason: "bright is worse: Difficulty spike in cave" });
  });

  it("leave out players who were seen in several variants, and sessions without a device", async () => {
    await fail("control", 3, 4);
    await fail("bright", 3, 4);
    await visit("bright0", "control", { events: DEATHS });
    await visit(undefined, "bright", { events: DEATHS });
    await service.analysis.drain();
    const { scorecards } = (await compare(service, id)).comparison;
    expect(
      scorecards[0].rows.find((row: { id: string }) => row.id === "difficulty-spike:cave"),
    ).toMatchObject({
      ...{ a: { count: 3, total: 4 }, b: { count: 2, total: 3 } },
    });
  });
});

describe("an experiment", () => {
  it("that was deleted is not listed and has no comparison", async () => {
    const kept = await experiment(service, "maze", { draft: true });
    await alter(service, id, (db, row) => deleteExperiment(db, row, NOW));
    const answer = await service.get(`/api/v1/experiments/${id}/comparison`);
    expect([answer.status, answer.text]).toEqual([404, '{"error":"Not found"}']);
    const { experiments } = (await service.get("/api/v1/games/maze/experiments")).json;
    expect(experiments.map((one: { id: string }) => one.id)).toEqual([kept]);
  });

  it("is listed newest first, with all fields", async () => {
    service.clock.now += 1000;
    const newer = await experiment(service, "maze", { draft: true });
    const { experiments } = (await service.get("/api/v1/games/maze/experiments")).json;
    expect(experiments).toEqual([
      {
        id: newer,
        name: "Caves",
        status: "draft",
        variants: HALVES,
        audienceId: null,
        audienceName: null,
        winnerVariantKey: null,
        startedAt: null,
        stoppedAt: null,
      },
      {
        id,
        name: "Caves",
        status: "running",
        variants: HALVES,
        audienceId: null,
        audienceName: null,
        winnerVariantKey: null,
        startedAt: NOW,
        stoppedAt: null,
      },
    ]);
  });
});
