/** Summaries of builds and testers are written in the background: when a build is quiet, a few in each pass, by one server only. */
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  claimSummaries,
  MAX_WAIT_MS,
  QUIET_MS,
  RENEW_INTERVAL_MS,
} from "../../../src/server/analysis/summary-queue-queries.ts";
import { SUMMARY_VERSION } from "../../../src/server/analysis/version.ts";
import { MAX_SUMMARIES, MIN_BUILD_SESSIONS } from "../../../src/server/builds/summary-pass.ts";
import { countOutdatedSummaries } from "../../../src/server/builds/summary-queries.ts";
import { eraseTester } from "../../../src/server/erasure/erase-tester.ts";
import { freshFolder, runCli, startTestService, type TestService } from "../../harness.ts";
import { configure, says, startModel } from "../analysis/provider/scripted.ts";
import { createEvents, sendTelemetry } from "../telemetry-helpers.ts";

let database: string;
let service: TestService;
let gameId: string;

beforeEach(async () => {
  database = join(freshFolder(), "play.db");
  service = await startTestService({ database });
  gameId = await service.addGame("maze");
});
afterEach(() => service.stop());

let played = 0;

/** Plays and analyzes ended sessions of a build, each on a device of its own. */
async function play(sessions: number, build = "1.0", device = (at: number) => `dev_${at}`): Promise<void> {
  for (let at = 0; at < sessions; at += 1) {
    played += 1;
    await sendTelemetry(service, {
      ...{ gameId: "maze", clientSessionId: `s${played}`, deviceId: device(played), sessionEnded: true },
      sessionMetadata: { gameVersion: build, platform: "linux" },
      events: createEvents(["room_enter", "player_death"]),
    });
  }
  await service.analysis.drain();
}

async function pass(afterMs = QUIET_MS): Promise<void> {
  service.clock.now += afterMs;
  await service.summaries.drain();
}

const buildSummaries = () =>
  service.service.store.readDb.selectFrom("build_summaries").selectAll().orderBy("build").execute();
const testerSummaries = () =>
  service.service.store.readDb.selectFrom("tester_summaries").selectAll().orderBy("device_id").execute();
const readDevices = async () =>
  (await service.service.store.readDb.selectFrom("sessions").select("device_id").execute()).flatMap(
    ({ device_id }) => device_id ?? [],
  );
const queue = () => service.service.store.readDb.selectFrom("summary_queue").selectAll().execute();

describe("summaries", () => {
  it("are written by rules when enough sessions are analyzed and the build is quiet", async () => {
    await play(MIN_BUILD_SESSIONS);
    await pass(QUIET_MS - 1);
    expect(await buildSummaries()).toEqual([]);
    await pass(1);
    expect(await buildSummaries()).toMatchObject([
      { build: "1.0", narrative: expect.stringContaining("5 testers"), generated_at: service.clock.now },
    ]);
    expect(await testerSummaries()).toHaveLength(MIN_BUILD_SESSIONS);
    expect(await queue()).toEqual([]);
    const shown = await runCli(["builds", "get", "1.0", "--game", "maze"], { service });
    expect(shown.out).toContain("5 testers in 5 sessions");
  });

  it("of a build wait for enough sessions, and those of its testers do not", async () => {
    await play(MIN_BUILD_SESSIONS - 1);
    await pass();
    expect(await buildSummaries()).toEqual([]);
    expect(await testerSummaries()).toHaveLength(MIN_BUILD_SESSIONS - 1);
    await play(1);
    await pass();
    expect(await buildSummaries()).toHaveLength(1);
  });

  it("are written although a build never becomes quiet", async () => {
    await play(MIN_BUILD_SESSIONS);
    for (let waited = 0; waited < MAX_WAIT_MS; waited += QUIET_MS / 2) {
      expect(await buildSummaries()).toEqual([]);
      await pass(QUIET_MS / 2);
      await play(1);
    }
    await pass(0);
    expect(await buildSummaries()).toHaveLength(1);
  });

  it("are renewed after new sessions, but not more often than once in an interval", async () => {
    await play(MIN_BUILD_SESSIONS);
    await pass();
    await play(1);
    await pass();
    expect(await buildSummaries()).toMatchObject([{ narrative: expect.stringContaining("5 testers") }]);
    expect(await testerSummaries()).toHaveLength(MIN_BUILD_SESSIONS + 1);
    // The build waits without being claimed in each pass.
    expect(await queue()).toMatchObject([{ due_at: service.clock.now - QUIET_MS + RENEW_INTERVAL_MS }]);
    await pass(RENEW_INTERVAL_MS);
    expect(await buildSummaries()).toMatchObject([{ narrative: expect.stringContaining("6 testers") }]);
    expect(await queue()).toEqual([]);
  });

  it("are written a few in each pass", async () => {
    await play(MAX_SUMMARIES + 3);
    await pass();
    expect([(await buildSummaries()).length, (await testerSummaries()).length]).toEqual([
      1,
      MAX_SUMMARIES - 1,
    ]);
    await pass(0);
    expect([(await buildSummaries()).length, (await testerSummaries()).length]).toEqual([
      1,
      MAX_SUMMARIES + 3,
    ]);
    expect(await queue()).toEqual([]);
  });

  it("of older rules are written again, without asking a model", async () => {
    await play(MIN_BUILD_SESSIONS);
    await pass();
    const before = [await buildSummaries(), await testerSummaries()];
    const { writeDb } = service.service.store;
    const old = { narrative: "Old words.", rules_version: SUMMARY_VERSION - 2 };
    await writeDb.updateTable("build_summaries").set(old).execute();
    await writeDb.updateTable("tester_summaries").set(old).execute();
    const model = await startModel();
    await configure(service, "chat", { base_url: model.baseUrl });
    expect(await countOutdatedSummaries(writeDb, 100)).toBe(1 + MIN_BUILD_SESSIONS);
    await pass(0);
    await model.stop();
    expect(model.asked).toEqual([]);
    expect([await buildSummaries(), await testerSummaries()]).toEqual(before);
    expect(await countOutdatedSummaries(writeDb, 100)).toBe(0);
  });

  it("are written again if a repeated analysis finds another length of a session", async () => {
    await play(MIN_BUILD_SESSIONS);
    await pass();
    const before = [await buildSummaries(), await testerSummaries()];
    const [device = ""] = await readDevices();
    const { writeDb } = service.service.store;
    await writeDb
      .updateTable("sessions")
      .set({ active_ms: 5_000_000, wall_ms: 5_000_000 })
      .where("device_id", "=", device)
      .execute();
    for (const table of ["build_summaries", "tester_summaries"] as const)
      await writeDb.updateTable(table).set({ narrative: "Wrong length." }).execute();
    await writeDb.updateTable("sessions").set({ analysis_version: 1 }).execute();
    await pass(0);
    expect(await buildSummaries()).toMatchObject([{ narrative: "Wrong length." }]);
    await service.analysis.drain({ outdated: true });
    await pass(RENEW_INTERVAL_MS);
    const [builds, testers] = [await buildSummaries(), await testerSummaries()];
    expect(builds).toMatchObject([{ narrative: before[0]?.[0]?.narrative }]);
    const narratives = new Map(testers.map((row) => [row.device_id, row.narrative]));
    expect(narratives.get(device)).toContain("1 session with");
    expect([...narratives.values()].filter((text) => text === "Wrong length.")).toHaveLength(
      MIN_BUILD_SESSIONS - 1,
    );
  });

  it("are written by one of several servers", async () => {
    await play(MIN_BUILD_SESSIONS);
    const other = await startTestService({ database, continues: service });
    const model = await startModel();
    const narrative = says({ narrative: "A steep start." });
    model.play((asked, response, request) => {
      void other.summaries.drain().then(() => narrative(asked, response, request));
    }, narrative);
    await configure(service, "chat", { base_url: model.baseUrl });
    await pass();
    await other.stop();
    await model.stop();
    expect(model.asked).toHaveLength(1 + MIN_BUILD_SESSIONS);
    expect(await buildSummaries()).toMatchObject([{ narrative: expect.stringContaining("A steep start.") }]);
  });

  it("are claimed by the first of two servers that found them due", async () => {
    await play(1);
    const [found] = await queue();
    if (found === undefined) throw new Error("Nothing is queued");
    const claim = () => service.service.store.write((db) => claimSummaries(db, found, service.clock.now));
    expect([await claim(), await claim()]).toEqual([expect.objectContaining({ build: "1.0" }), undefined]);
  });

  it("are written later if something else of the game was erased meanwhile", async () => {
    await play(MIN_BUILD_SESSIONS);
    await play(1, "2.0", () => "dev_other");
    const model = await startModel();
    const narrative = says({ narrative: "A steep start." });
    model.play((asked, response, request) => {
      const target = { accountId: service.accountId, gameIds: [gameId], name: "dev_other" };
      void eraseTester(service.service, target).then(() => narrative(asked, response, request));
    }, narrative);
    await configure(service, "chat", { base_url: model.baseUrl });
    await pass();
    await pass();
    await model.stop();
    expect(await buildSummaries()).toMatchObject([{ build: "1.0" }]);
    expect(await testerSummaries()).toHaveLength(MIN_BUILD_SESSIONS);
    expect(await queue()).toEqual([]);
  });

  it("of an erased tester do not come back, also if the model was just asked about them", async () => {
    await play(MIN_BUILD_SESSIONS);
    const model = await startModel();
    const [device = ""] = (await readDevices()).toSorted();
    const narrative = says({ narrative: "A steep start." });
    model.play((asked, response, request) => {
      const target = { accountId: service.accountId, gameIds: [gameId], name: device };
      void eraseTester(service.service, target).then(() => narrative(asked, response, request));
    }, narrative);
    await configure(service, "chat", { base_url: model.baseUrl });
    await pass();
    await model.stop();
    expect(await buildSummaries()).toEqual([]);
    const devices = (await testerSummaries()).map(({ device_id }) => device_id);
    expect(devices).toHaveLength(MIN_BUILD_SESSIONS - 1);
    expect(devices).not.toContain(device);
  });
});
