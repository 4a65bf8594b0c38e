/** Analyses that are repeated: those of older rules and requested ones, after all sessions that are due. */
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { requestReanalysis } from "../../../src/server/analysis/queue-queries.ts";
import { ANALYSIS_VERSION } from "../../../src/server/analysis/version.ts";
import { noopObserver, type ReanalysisCounts } from "../../../src/server/core/observer.ts";
import { startMetrics } from "../../../src/server/observability/metrics.ts";
import { engine, freshFolder, NOW, runCli, startTestService, type TestService } from "../../harness.ts";
import { changeSession, readSession, readSessionRow, sendTelemetry } from "../telemetry-helpers.ts";
import { configure, type ScriptedModel, says, startModel } from "./provider/scripted.ts";

const HOUR = 3_600_000;

let service: TestService;
let analyzed: string[];
let reports: ReanalysisCounts[];
/** Runs before each analysis, after the session was claimed. */
let whenClaimed: () => Promise<void>;

const observer = {
  ...noopObserver,
  analysis: async (id: string, analyze: () => Promise<void>) => {
    analyzed.push(id);
    await whenClaimed();
    await analyze();
  },
  reanalysis: (counts: ReanalysisCounts) => void reports.push(counts),
};

const start = (options: Parameters<typeof startTestService>[0] = {}) => {
  const clock = options.continues?.clock ?? { now: NOW };
  return startTestService({
    ...{ sharesDatabase: true, clock, dependencies: { observer, now: () => clock.now } },
    ...options,
  });
};

beforeEach(async () => {
  [analyzed, reports] = [[], []];
  whenClaimed = async () => {};
});

const events = [0, 1, 2, 3, 4].map((at) => ({
  ...{ id: `e${at}`, name: "death", timestamp: NOW + at * 20_000, data: { room: "cave" } },
}));

/** Sends and analyzes sessions, and returns their ids. */
async function playAndAnalyze(count: number): Promise<string[]> {
  const ids = [];
  for (let at = 0; at < count; at += 1) {
    const startedAt = NOW + at * 1000;
    ids.push(
      await sendTelemetry(service, {
        ...{ gameId: "maze", deviceId: `d${at}`, clientSessionId: `c${at}` },
        ...{ sessionEnded: true, startedAt, events },
        sessionMetadata: { gameVersion: "1.0", platform: "linux" },
      }),
    );
  }
  await service.analysis.drain();
  [analyzed, reports] = [[], []];
  return ids;
}

const setVersion = async (version: number) => {
  await service.service.store.writeDb.updateTable("sessions").set({ analysis_version: version }).execute();
};

describe("in the foreground", () => {
  beforeEach(async () => {
    service = await start();
    await service.addGame("maze");
  });
  afterEach(() => service.stop());

  it("stores the version of the rules, and returns it with the session", async () => {
    const id = await sendTelemetry(service, { gameId: "maze", events });
    expect((await readSession(service, id)).session.analysisVersion).toBeNull();
    service.clock.now += HOUR;
    await service.analysis.drain();
    expect((await readSession(service, id)).session.analysisVersion).toBe(ANALYSIS_VERSION);
  });

  it("repeats outdated analyses, the newest session first, after those that are due", async () => {
    const ids = await playAndAnalyze(3);
    await setVersion(1);
    await service.analysis.drain();
    expect(analyzed).toEqual([]);
    const due = await sendTelemetry(service, { gameId: "maze", sessionEnded: true, events });
    await service.analysis.drain({ outdated: true });
    expect(analyzed).toEqual([due, ...ids.toReversed()]);
    for (const id of ids) {
      const row = await readSessionRow(service, id);
      const done = { status: "analyzed", analysis_lease: null, analysis_attempts: 0, reanalysis_due: null };
      expect(row).toMatchObject({ ...done, analysis_version: ANALYSIS_VERSION });
    }
    expect(reports).toEqual([{ done: 3, remaining: 0 }]);
  });

  it("keeps the status and the insights while an analysis is repeated", async () => {
    const [id = ""] = await playAndAnalyze(1);
    const before = await readSession(service, id);
    await setVersion(1);
    let during: unknown;
    whenClaimed = async () => {
      during = await readSession(service, id);
    };
    service.clock.now += HOUR;
    await service.analysis.drain({ outdated: true });
    expect(during).toEqual({ ...before, session: { ...before.session, analysisVersion: 1 } });
    // Insights that are found again keep their time of creation.
    expect(await readSession(service, id)).toEqual(before);
  });

  it("repeats an analysis again if that is requested while it runs", async () => {
    const [id = ""] = await playAndAnalyze(1);
    const gameId = (await readSessionRow(service, id)).game_id;
    const request = () => requestReanalysis(service.service.store.writeDb, gameId, [id], service.clock.now);
    await request();
    whenClaimed = async () => {
      whenClaimed = async () => {};
      await request();
    };
    await service.analysis.drain();
    expect(analyzed).toEqual([id, id]);
    expect((await readSessionRow(service, id)).reanalysis_due).toBeNull();
  });

  it("discards the results if new events arrive while an analysis is repeated", async () => {
    const [id = ""] = await playAndAnalyze(1);
    await setVersion(1);
    whenClaimed = async () => {
      whenClaimed = async () => {};
      const more = [{ id: "more", name: "walk", timestamp: NOW }];
      await sendTelemetry(service, { gameId: "maze", clientSessionId: "c0", events: more });
    };
    await service.analysis.drain({ outdated: true });
    expect(analyzed).toEqual([id, id]);
    expect((await readSession(service, id)).session).toMatchObject({
      ...{ status: "analyzed", analysisVersion: ANALYSIS_VERSION },
      event_counts: { death: 5, walk: 1 },
    });
  });

  it("keeps the version of sessions whose events are pruned, and says so", async () => {
    const [pruned = "", kept = ""] = await playAndAnalyze(2);
    await setVersion(1);
    await changeSession(service, pruned, { events_pruned_at: NOW });
    const metrics = startMetrics();
    const counts = async () => {
      const { text } = await metrics.scrape(service.service);
      const { json } = await service.get("/api/v1/status/maze");
      const { outdated, outdatedPruned } = json.build;
      const [again] = /^playtest_sessions_outdated \d+/m.exec(text) ?? [];
      const [never] = /^playtest_sessions_outdated_pruned \d+/m.exec(text) ?? [];
      return [outdated, again, outdatedPruned, never];
    };
    const [repeated, forever] = ["playtest_sessions_outdated", "playtest_sessions_outdated_pruned"];
    expect(await counts()).toEqual([1, `${repeated} 1`, 1, `${forever} 1`]);
    const { out } = await runCli(["status", "--game", "maze"], { service, columns: 200 });
    expect(out).toContain("1 session analyzed by older rules, to be analyzed again");
    expect(out).toContain("1 session only analyzed by older rules: the events are pruned");
    await service.analysis.drain({ outdated: true });
    expect(analyzed).toEqual([kept]);
    expect((await readSession(service, pruned)).session.analysisVersion).toBe(1);
    expect(await counts()).toEqual([0, `${repeated} 0`, 1, `${forever} 1`]);
    metrics.stop();
  });

  it("stops after five failures, and removes the insights of older rules", async () => {
    const [id = ""] = await playAndAnalyze(1);
    await setVersion(1);
    whenClaimed = async () => {
      throw new Error("broken");
    };
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      expect((await readSession(service, id)).session.status).toBe("analyzed");
      await service.analysis.drain({ outdated: true });
      expect(analyzed).toHaveLength(attempt);
      service.clock.now += HOUR;
    }
    const { session, insights } = await readSession(service, id);
    expect([session.status, session.analysisVersion, insights]).toEqual(["failed", null, []]);
    await service.analysis.drain({ outdated: true });
    expect(analyzed).toHaveLength(5);
  });

  it("repeats outdated results of a session whose last analysis failed", async () => {
    const [id = ""] = await playAndAnalyze(1);
    await changeSession(service, id, { status: "failed", analysis_attempts: 6, analysis_version: 1 });
    await service.analysis.drain({ outdated: true });
    expect((await readSession(service, id)).session).toMatchObject({
      ...{ status: "analyzed", analysisVersion: ANALYSIS_VERSION },
    });
  });

  it("takes over a repeated analysis whose process has died, once its lease has expired", async () => {
    const [id = ""] = await playAndAnalyze(1);
    const dead = {
      analysis_version: 1,
      reanalysis_due: NOW,
      analysis_lease: NOW + 1000,
      analysis_attempts: 1,
    };
    await changeSession(service, id, dead);
    await service.analysis.drain({ outdated: true });
    expect(analyzed).toEqual([]);
    service.clock.now += 1000;
    await service.analysis.drain({ outdated: true });
    expect(analyzed).toEqual([id]);
  });

  it("does not ask the model again, and keeps its findings", async () => {
    const model: ScriptedModel = await startModel();
    await configure(service, "chat", { base_url: model.baseUrl });
    const found = { type: "confusion", sentiment: "negative", confidence: 0.7, where: "door" };
    model.play(says({ insights: [{ ...found, title: "Did not find the door", evidence: ["e1"] }] }));
    const [id = ""] = await playAndAnalyze(1);
    const before = await readSession(service, id);
    expect(before.insights).toContainEqual(expect.objectContaining({ tag: "confusion:door", claims: [] }));
    const asked = model.asked.length;
    await setVersion(1);
    await service.analysis.drain({ outdated: true });
    expect(await readSession(service, id)).toEqual(before);
    expect(model.asked).toHaveLength(asked);
    await model.stop();
  });
});

describe("in the background", () => {
  it("repeats outdated analyses after a restart, and counts them in the metrics", async () => {
    const database = join(freshFolder(), "play.db");
    service = await start({ database });
    await service.addGame("maze");
    const ids = await playAndAnalyze(4);
    await setVersion(1);
    await service.stop();

    const metrics = startMetrics();
    const resting = await start({ database, continues: service, metrics: metrics.scrape });
    const scrape = async () => (await resting.get("/metrics", { key: null })).text;
    expect(await scrape()).toContain("playtest_sessions_outdated 4\n");
    await resting.stop();

    const next = await start({
      database,
      continues: service,
      sharesDatabase: false,
      metrics: metrics.scrape,
    });
    await expect.poll(() => reports).toEqual([{ done: 4, remaining: 0 }]);
    expect(analyzed.toSorted()).toEqual(ids.toSorted());
    expect((await next.get("/metrics", { key: null })).text).toContain("playtest_sessions_outdated 0\n");
    await next.stop();
    metrics.stop();
    expect(next.faults).toEqual([]);
  });

  it.runIf(engine === "postgres")("repeats each analysis on one of several servers", async () => {
    const database = join(freshFolder(), "play.db");
    service = await start({ database });
    await service.addGame("maze");
    const ids = await playAndAnalyze(30);
    await setVersion(1);
    const second = await start({ database, continues: service });
    await Promise.all([service, second].map(({ analysis }) => analysis.drain({ outdated: true })));
    expect(analyzed.toSorted()).toEqual(ids.toSorted());
    await second.stop();
    await service.stop();
    expect([service.faults, second.faults]).toEqual([[], []]);
  });
});
