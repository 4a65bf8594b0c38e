/** Rollups of builds, testers and games: counts, first and last times, means and medians, countries and summaries. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { computeStats } from "../../../src/server/sessions/play-time-queries.ts";
import { median } from "../../../src/statistics/averages.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import fc from "../../property.ts";
import { sendTelemetry } from "../telemetry-helpers.ts";

describe("the median", () => {
  it.each<[number[], number]>([
    [[], 0],
    [[7], 7],
    [[1, 2], 1.5],
    [[9, 1, 5], 5],
    [[10, 9, 1, 2], 5.5],
    [[100, 20, 3], 20],
    [[2, 2, 2, 100], 2],
  ])("of %j is %d", (values, expected) => expect(median(values)).toBe(expected));

  it("has at most half of the values below it and at most half above it", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100), { minLength: 1 }), (values) => {
        const middle = median(values);
        const [below, above] = [
          values.filter((value) => value < middle).length,
          values.filter((value) => value > middle).length,
        ];
        expect(Math.max(below, above)).toBeLessThanOrEqual(values.length / 2);
        expect(median(values.toReversed())).toBe(middle);
      }),
    );
  });
});

describe("stats", () => {
  const ms = (wall: number, active: number) => ({ wall_ms: wall, active_ms: active });

  it("are in seconds, with rounded totals, and exact means and medians", () => {
    expect(computeStats([ms(10_400, 5200), ms(20_400, 0), ms(500, 500)])).toEqual({
      totalWallSec: 31,
      totalActiveSec: 6,
      avgWallSec: 31_300 / 3 / 1000,
      avgActiveSec: 1.9,
      medianWallSec: 10.4,
      medianActiveSec: 0.5,
      engagementRate: 5700 / 31_300,
    });
    expect(computeStats([ms(1000, 0), ms(2000, 1000)])).toMatchObject({
      medianWallSec: 1.5,
      medianActiveSec: 0.5,
    });
  });

  it("are 0 without any play time", () => {
    const zero = {
      totalWallSec: 0,
      totalActiveSec: 0,
      avgWallSec: 0,
      avgActiveSec: 0,
      medianWallSec: 0,
      medianActiveSec: 0,
      engagementRate: 0,
    };
    expect(computeStats([])).toEqual(zero);
    expect(computeStats([ms(0, 0)])).toEqual(zero);
  });
});

describe("the endpoints", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
    await service.addGame("maze");
    await service.addGame("empty");
    const addSession = (n: number, seconds: number, body: object) =>
      sendTelemetry(service, {
        gameId: "maze",
        startedAt: NOW + n,
        sessionMetadata: { gameVersion: "1" },
        events: [
          { id: "a", name: "x", timestamp: NOW },
          { id: "b", name: "x", timestamp: NOW + seconds * 1000 },
        ],
        ...body,
      });
    await addSession(5, 10, { deviceId: "ann", country: "DE", region: "BE", city: "Berlin" });
    await addSession(9, 30, {
      deviceId: "ann",
      environment: "staging",
      sessionMetadata: { gameVersion: "2" },
    });
    await addSession(2, 20, { deviceId: "bob", country: "AT" });
    await addSession(7, 60, { country: "AT" });
    await addSession(1, 0, { country: "DE", environment: "staging" });
    const { game_id } = await service.service.store.readDb
      .selectFrom("sessions")
      .select("game_id")
      .executeTakeFirstOrThrow();
    const common = { game_id, generated_at: NOW };
    const { writeDb: write } = service.service.store;
    await write
      .insertInto("build_summaries")
      .values({ ...common, build: "1", environment: "production", narrative: "Calm" })
      .execute();
    await write
      .insertInto("tester_summaries")
      .values({ ...common, device_id: "ann", environment: "staging", narrative: "Keen" })
      .execute();
  });

  afterAll(async () => {
    expect(service.faults).toEqual([]);
    await service.stop();
  });

  it("return the rollup of a build over all environments, regardless of env", async () => {
    const { json } = await service.get("/api/v1/builds/maze/1");
    expect(json.rollup).toEqual({
      version: "1",
      sessionCount: 4,
      uniqueDevices: 2,
      testerCount: 4,
      environments: ["production", "staging"],
      firstSeen: NOW + 1,
      lastSeen: NOW + 7,
      sampleCountry: "AT",
      stats: {
        totalWallSec: 90,
        totalActiveSec: 90,
        avgWallSec: 22.5,
        avgActiveSec: 22.5,
        medianWallSec: 15,
        medianActiveSec: 15,
        engagementRate: 1,
      },
    });
    for (const env of ["staging", "all", "none"]) {
      expect((await service.get(`/api/v1/builds/maze/1?env=${env}`)).json.rollup).toEqual(json.rollup);
    }
    expect((await service.get("/api/v1/builds/maze/2")).json.rollup).toMatchObject({
      sessionCount: 1,
      sampleCountry: null,
    });
  });

  it("return the rollup of a tester with all sessions, newest first, and the last known location", async () => {
    const { json } = await service.get("/api/v1/testers/maze/ann");
    expect(json.rollup).toMatchObject({
      deviceId: "ann",
      sessionCount: 2,
      firstSeen: NOW + 5,
      lastSeen: NOW + 9,
      lastBuild: "2",
      country: "DE",
      region: "BE",
      city: "Berlin",
    });
    expect(json.rollup.stats).toMatchObject({ totalWallSec: 40, medianWallSec: 20 });
    expect(json.sessions.map(({ recordedAt }: { recordedAt: number }) => recordedAt)).toEqual([
      NOW + 9,
      NOW + 5,
    ]);
  });

  it("return the summary of the environment (default: production), or null if there is none", async () => {
    const summary = async (path: string) => (await service.get(`/api/v1/${path}`)).json.summary;
    expect(await summary("builds/maze/1")).toEqual({ narrative: "Calm", generatedAt: NOW });
    expect(await summary("builds/maze/1?env=staging")).toBeNull();
    expect(await summary("builds/maze/2")).toBeNull();
    expect(await summary("testers/maze/ann?env=staging")).toEqual({ narrative: "Keen", generatedAt: NOW });
    expect(await summary("testers/maze/ann")).toBeNull();
  });

  it("return the newest summary of all environments with env=all", async () => {
    const db = service.service.store.writeDb;
    const game_id = (await service.get("/api/v1/games/maze")).json.game.id;
    const both = { game_id, environment: "beta", narrative: "Later", generated_at: NOW + 1 };
    const earlier = { ...both, environment: "alpha", narrative: "Earlier", generated_at: NOW - 1 };
    const summary = async (path: string) => (await service.get(`/api/v1/${path}?env=all`)).json.summary;
    expect(await summary("builds/maze/1")).toEqual({ narrative: "Calm", generatedAt: NOW });
    expect(await summary("testers/maze/ann")).toEqual({ narrative: "Keen", generatedAt: NOW });
    expect(await summary("builds/maze/2")).toBeNull();
    for (const row of [earlier, both]) {
      await db
        .insertInto("build_summaries")
        .values({ ...row, build: "1" })
        .execute();
      await db
        .insertInto("tester_summaries")
        .values({ ...row, device_id: "ann" })
        .execute();
    }
    const later = { narrative: "Later", generatedAt: NOW + 1 };
    expect(await summary("builds/maze/1")).toEqual(later);
    expect(await summary("testers/maze/ann")).toEqual(later);
  });

  it("return the number of sessions, builds and testers of a game", async () => {
    expect((await service.get("/api/v1/games/maze")).json.counts).toEqual({
      sessionCount: 5,
      buildCount: 2,
      testerCount: 4,
    });
    expect((await service.get("/api/v1/games/empty")).json.counts).toEqual({
      sessionCount: 0,
      buildCount: 0,
      testerCount: 0,
    });
  });
});
