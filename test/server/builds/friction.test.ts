/** The friction diff over the API: how testers are counted, by environment and build. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BuildComparison } from "../../../src/contract/builds.ts";
import { frictionTypes, type InsightType, insightTypes } from "../../../src/contract/insights.ts";
import { createForm } from "../../../src/server/feedback/forms.ts";
import { insertInsights } from "../../../src/server/insights/insight-queries.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { changeSession, readSessionRow, sendTelemetry } from "../telemetry-helpers.ts";

describe("GET /api/v1/builds/compare", () => {
  let service: TestService;
  let inserted = 0;

  /** Stores a session of a build with insights of these tags. */
  async function sit(
    gameVersion: string,
    deviceId: string | null,
    tags: readonly string[],
    environment = "production",
  ) {
    const body = {
      gameId: "maze",
      environment,
      sessionMetadata: { gameVersion },
      ...(deviceId ? { deviceId } : {}),
    };
    const row = await readSessionRow(service, await sendTelemetry(service, body));
    for (const tag of tags) {
      inserted += 1;
      const { game_id, account_id, build, tester } = row;
      const type = tag.split(":")[0] as InsightType;
      const finding = {
        type,
        tag,
        sentiment: "negative" as const,
        confidence: 1,
        title: "t",
        evidence: "e",
        claims: "[]",
        created_at: NOW,
        after_ms: null,
      };
      await insertInsights(service.service.store.writeDb, [
        {
          game_id,
          id: `ins_${inserted}`,
          account_id,
          session_id: row.id,
          build,
          environment,
          tester,
          ...finding,
        },
      ]);
    }
  }

  const compare = async (search: string): Promise<BuildComparison> => {
    const answer = await service.get(`/api/v1/builds/compare?game=maze&${search}`);
    expect(answer.status).toBe(200);
    return answer.json;
  };

  beforeAll(async () => {
    service = await startTestService();
    await service.addGame("maze");
    for (const type of insightTypes) await sit("types", "d", [`${type}:x`]);
    await sit("1", "ann", ["stuck-point:hall", "stuck-point:hall", "confusion:menu"]);
    await sit("1", "ann", ["stuck-point:hall"]);
    await sit("1", "bob", []);
    await sit("1", null, ["confusion:menu"]);
    await sit("1", null, []);
    await sit("2", "ann", ["confusion:menu"]);
    await sit("2", "eve", [], "staging");
    await sit("3", "eve", ["bug-report:crash"], "staging");
  });

  afterAll(async () => {
    expect(service.faults).toEqual([]);
    await service.stop();
  });

  it("counts each device as one tester, and each session without a device as its own tester", async () => {
    const { buildA, environment, game } = await compare("a=1&b=2");
    expect([environment, game.slug]).toEqual(["production", "maze"]);
    expect(buildA).toEqual({
      version: "1",
      testersInBatch: 4,
      sessionCount: 5,
      analysisVersions: [],
      testersWithoutDevice: 2,
      byTag: [
        {
          tag: "confusion:menu",
          testersWithTag: 2,
          testersInBatch: 4,
          pct: 50,
          insightCount: 2,
        },
        {
          tag: "stuck-point:hall",
          testersWithTag: 1,
          testersInBatch: 4,
          pct: 25,
          insightCount: 3,
        },
      ],
    });
  });

  it("compares the shares in one environment (default: production)", async () => {
    const { diff, buildB } = await compare("a=1&b=2");
    expect(buildB).toMatchObject({ testersInBatch: 1, sessionCount: 1 });
    expect(diff.changes).toEqual([
      {
        ...{ kind: "got_larger", tag: "confusion:menu", title: "Confusion in menu", deltaPct: 50 },
        ...{ testersA: 2, testersB: 1 },
      },
      {
        ...{ kind: "resolved", tag: "stuck-point:hall", title: "Stuck point in hall", deltaPct: -25 },
        ...{ testersA: 1, testersB: 0 },
      },
    ]);
    expect(diff.totals).toEqual({ resolved: 1, gotSmaller: 0, carriedOver: 0, gotLarger: 1, introduced: 0 });
  });

  it("combines all environments with env=all, and returns an empty diff for an environment without testers", async () => {
    const all = await compare("a=1&b=2&env=all");
    expect([all.environment, all.buildB.testersInBatch, all.diff.changes[0]?.tag]).toEqual([
      "all",
      2,
      "stuck-point:hall",
    ]);
    const staging = await compare("a=2&b=3&env=staging");
    expect([staging.buildA.testersInBatch, staging.buildB.testersInBatch]).toEqual([1, 1]);
    expect(staging.diff.changes).toEqual([
      {
        kind: "introduced",
        tag: "bug-report:crash",
        title: "Crashes",
        deltaPct: 100,
        testersA: 0,
        testersB: 1,
      },
    ]);
    const nobody = await compare("a=1&b=3");
    expect(nobody.buildB).toMatchObject({ version: "3", testersInBatch: 0, sessionCount: 0, byTag: [] });
    expect(nobody.diff.totals).toMatchObject({ resolved: 2 });
  });

  it("titles tags about answers with the question, or with the id of the field if forms ask different questions", async () => {
    const { store } = service.service;
    const game = await store.readDb.selectFrom("games").select("id").executeTakeFirstOrThrow();
    const addForm = async (label: string) => {
      const fields = [{ id: "more", label, kind: "long-text" }];
      const form = { name: "f", fields, triggerHint: "", active: true };
      await createForm(store.writeDb, service.service, game.id, form);
    };
    await sit("answers", "ann", ["confusion:feedback-more"]);
    const readTitle = async () => (await compare("a=answers&b=answers")).diff.changes[0]?.title;
    const unknown = "Confusion reported in answers (form field: more)";
    expect(await readTitle()).toBe(unknown);
    await addForm(`Anything\n${"else ".repeat(99)}?`);
    expect(await readTitle()).toMatch(/^Confusion reported in answers to “Anything (else ?)+…”$/);
    await addForm("Anything to add?");
    expect(await readTitle()).toBe(unknown);
  });

  it("lists the versions of the rules that analyzed the sessions of each side", async () => {
    const play = async (version: number | null, gameVersion: string, environment = "production") => {
      const body = { gameId: "maze", environment, sessionMetadata: { gameVersion } };
      await changeSession(service, await sendTelemetry(service, body), { analysis_version: version });
    };
    for (const version of [10, 2, null, 10]) await play(version, "mixed");
    await play(1, "mixed", "staging");
    await play(2, "current");
    const { buildA, buildB } = await compare("a=mixed&b=current");
    expect([buildA.analysisVersions, buildB.analysisVersions]).toEqual([[2, 10], [2]]);
    expect((await compare("a=mixed&b=current&env=all")).buildA.analysisVersions).toEqual([1, 2, 10]);
  });

  it("counts only friction types", async () => {
    const { buildA, diff } = await compare("a=types&b=types");
    expect(buildA.byTag?.map(({ tag }) => tag)).toEqual([...frictionTypes].sort().map((type) => `${type}:x`));
    expect(diff.totals).toEqual({
      resolved: 0,
      gotSmaller: 0,
      carriedOver: frictionTypes.length,
      gotLarger: 0,
      introduced: 0,
    });
  });

  it("finds builds of any environment, and returns 404 for unknown builds", async () => {
    for (const search of ["a=none&b=1", "a=1&b=none"]) {
      expect((await service.get(`/api/v1/builds/compare?game=maze&${search}`)).status).toBe(404);
    }
    expect((await service.get("/api/v1/builds/compare?game=maze&a=1&b=3&env=nowhere")).status).toBe(200);
  });
});
