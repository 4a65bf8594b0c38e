/** Assignment of devices to variants, by status, audience, account and game. */
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { issueKey } from "../../../src/server/accounts/keys.ts";
import type { Predicate } from "../../../src/server/experiments/audiences.ts";
import { computeBucket } from "../../../src/server/experiments/bucketing.ts";
import {
  createAudience,
  deleteExperiment,
  resumeExperiment,
  stopExperiment,
} from "../../../src/server/experiments/lifecycle.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { sendTelemetry } from "../telemetry-helpers.ts";
import { alter, change, experiment, gameOf } from "./helpers.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

const ask = async (gameId: string, deviceId: string, extra = "", key = service.keys.ingest) =>
  await service.get(`/api/telemetry/experiments?gameId=${gameId}&deviceId=${deviceId}${extra}`, { key });
const assigned = async (gameId: string, deviceId: string, extra = "") =>
  (await ask(gameId, deviceId, extra)).json.experiments;

describe("assignment", () => {
  it("is an empty map if no experiment runs, and can be cached for a minute", async () => {
    await service.addGame("quiet");
    await experiment(service, "quiet", { draft: true });
    const answer = await ask("quiet", "d");
    expect(answer.json).toEqual({ experiments: {} });
    expect(answer.headers.get("cache-control")).toBe("private, max-age=60");
  });

  it("depends on the bucket of the device, and is the same for a game's id and slug", async () => {
    const gameId = await service.addGame("maze");
    const id = await experiment(service, "maze");
    for (const device of ["a", "b", "c", "d", "e", "f"]) {
      const expected = { [id]: computeBucket(id, gameId, device) < 0.5 ? "control" : "bright" };
      expect(await assigned("maze", device)).toEqual(expected);
      expect(await assigned(gameId, device)).toEqual(expected);
    }
    const keys = await Promise.all(
      ["a", "b", "c", "d", "e", "f"].map(async (d) => (await assigned("maze", d))[id]),
    );
    expect(new Set(keys).size).toBe(2);
  });

  it("ends when the experiment is stopped, is the same after resuming, and ends with deletion", async () => {
    await service.addGame("tower");
    const id = await experiment(service, "tower");
    const before = await assigned("tower", "d");
    expect(Object.keys(before)).toEqual([id]);
    await alter(service, id, (db, row) => stopExperiment(db, row, NOW));
    expect(await assigned("tower", "d")).toEqual({});
    await alter(service, id, (db, row) => resumeExperiment(db, row));
    expect(await assigned("tower", "d")).toEqual(before);
    await alter(service, id, (db, row) => deleteExperiment(db, row, NOW));
    expect(await assigned("tower", "d")).toEqual({});
  });

  it("returns 404 for a key of another game", async () => {
    await service.addGame("bound");
    const other = await service.addGame("other");
    const key = await issueKey(service.service.store.writeDb, service.accountId, "ingest", 0, other);
    expect((await ask("bound", "d", "", key)).status).toBe(404);
    expect((await ask("other", "d", "", key)).status).toBe(200);
  });

  test.each([
    "gameId=maze",
    "deviceId=d",
    "gameId=maze&deviceId=",
    `gameId=maze&deviceId=${"x".repeat(129)}`,
  ])("requires a game and a device: %s", async (query) => {
    const answer = await service.get(`/api/telemetry/experiments?${query}`, { key: service.keys.ingest });
    expect(answer.status).toBe(400);
  });

  it("limits the length of the build", async () => {
    expect((await ask("maze", "d", `&buildVersion=${"x".repeat(64)}`)).status).toBe(200);
    expect((await ask("maze", "d", `&buildVersion=${"x".repeat(65)}`)).status).toBe(400);
  });
});

describe("an audience", () => {
  let slug = "";
  let made = 0;
  /** Whether a device is assigned to an experiment with these predicates. */
  async function isIn(predicates: Predicate[], device: string, extra = ""): Promise<boolean> {
    const game = await gameOf(service, slug);
    made += 1;
    const audience = await change(service, (db) =>
      createAudience(db, service.service, game, { name: `audience ${made}`, predicates }),
    );
    const id = await experiment(service, slug, { audienceId: audience.id });
    return id in (await assigned(slug, device, extra));
  }

  beforeAll(async () => {
    slug = "audience";
    await service.addGame(slug);
    const session = (at: number, environment: string, country: string, platform: string) =>
      sendTelemetry(service, {
        gameId: slug,
        deviceId: "known",
        startedAt: at,
        environment,
        country,
        sessionMetadata: { gameVersion: "0.9.0", platform },
      });
    await session(NOW - 1000, "staging", "DE", "windows");
    await session(NOW - 5000, "production", "FR", "linux");
  });

  test.each<[Predicate, string, boolean]>([
    [{ field: "build", op: "in", values: ["0.8.0", "0.9.0"] }, "&buildVersion=0.9.0", true],
    [{ field: "build", op: "in", values: ["0.8.0", "0.9.0"] }, "&buildVersion=0.9.01", false],
    [{ field: "build", op: "in", values: ["0.9.0"] }, "", false],
    [{ field: "build", op: "prefix", values: ["1.", "0.9."] }, "&buildVersion=0.9.7-beta", true],
    [{ field: "build", op: "prefix", values: ["0.9."] }, "&buildVersion=0.90", false],
    [{ field: "platform", op: "in", values: ["windows"] }, "", true],
    [{ field: "platform", op: "in", values: ["linux"] }, "", false],
    [{ field: "environment", op: "in", values: ["staging", "qa"] }, "", true],
    [{ field: "environment", op: "in", values: ["production"] }, "", false],
    [{ field: "country", op: "in", values: ["DE"] }, "", true],
    [{ field: "country", op: "in", values: ["FR"] }, "", false],
  ])("of %j includes a known device with query %s: %s", async (predicate, extra, expected) => {
    expect(await isIn([predicate], "known", extra)).toBe(expected);
  });

  it("with other conditions than the build excludes an unknown device", async () => {
    expect(await isIn([{ field: "country", op: "in", values: ["DE"] }], "unknown")).toBe(false);
    expect(await isIn([{ field: "build", op: "in", values: ["2"] }], "unknown", "&buildVersion=2")).toBe(
      true,
    );
  });

  it("matches if any predicate of a field matches", async () => {
    const builds: Predicate[] = [
      { field: "build", op: "in", values: ["2.0"] },
      { field: "build", op: "prefix", values: ["3."] },
    ];
    expect(await isIn(builds, "d", "&buildVersion=2.0")).toBe(true);
    expect(await isIn(builds, "d", "&buildVersion=3.1")).toBe(true);
    expect(await isIn(builds, "d", "&buildVersion=2.1")).toBe(false);
  });

  it("requires a match in every field", async () => {
    const both = (country: string): Predicate[] => [
      { field: "build", op: "prefix", values: ["0.9"] },
      { field: "country", op: "in", values: [country] },
    ];
    expect(await isIn(both("DE"), "known", "&buildVersion=0.9.0")).toBe(true);
    expect(await isIn(both("FR"), "known", "&buildVersion=0.9.0")).toBe(false);
    expect(await isIn(both("DE"), "known", "&buildVersion=0.8.0")).toBe(false);
  });
});
