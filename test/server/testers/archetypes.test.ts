/** Archetypes: the reasons for having none, the groups, and the requests to the model. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  clusterGreedily,
  groupIntoArchetypes,
  MIN_SIMILARITY,
} from "../../../src/server/testers/archetypes.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import {
  configure,
  embeds,
  hangs,
  raw,
  type ScriptedModel,
  startModel,
  status,
} from "../analysis/provider/scripted.ts";
import { sendTelemetry } from "../telemetry-helpers.ts";

let service: TestService;
let model: ScriptedModel;
let gameId: string;

async function summarize(game: string, device: string, narrative: string, environment = "production") {
  const row = { game_id: game, device_id: device, environment, narrative, generated_at: NOW };
  await service.service.store.writeDb.insertInto("tester_summaries").values(row).execute();
}

beforeAll(async () => {
  service = await startTestService();
  model = await startModel();
  gameId = await service.addGame("ember");
  for (const [at, kind] of ["hard", "easy", "hard", "easy", "hard"].entries()) {
    const events = ["death", "death", "death", "death", "death", "death"].map((name, index) => ({
      id: `e${index}`,
      name: kind === "hard" ? name : "walk",
      timestamp: NOW + index * 60_000,
      data: { room: "cellar" },
    }));
    await sendTelemetry(service, { gameId: "ember", deviceId: `d${at}`, sessionEnded: true, events });
    await summarize(gameId, `d${at}`, `${kind} player ${at}`);
  }
  await service.analysis.drain();
  const four = await service.addGame("four");
  for (const device of ["a", "b", "c", "d"]) await summarize(four, device, "plays");
  await summarize(four, "e", "plays", "staging");
});

afterAll(async () => {
  await service.stop();
  await model.stop();
});

beforeEach(() => {
  model.asked.length = 0;
});

const get = async (search = "", game = "ember") =>
  (await service.get(`/api/v1/testers/${game}/archetypes${search}`)).json;

const byKind = embeds((text) => (text.startsWith("hard") ? [1, 0.1, 0] : [0, 0.1, 1]));

describe("reasons", () => {
  it("reports a missing provider before missing data", async () => {
    const none = { archetypes: [], testerCount: 0, modelId: "", reason: "requires_byo_key" };
    expect(await get()).toEqual(none);
    expect(await get("", "four")).toEqual(none);
  });

  it("requires five testers in the environment", async () => {
    await configure(service, "embedding", { base_url: model.baseUrl, model: "e1" });
    model.play(embeds(() => [1]));
    const few = { archetypes: [], testerCount: 4, modelId: "e1", reason: "insufficient_data" };
    expect(await get("", "four")).toEqual(few);
    expect(model.asked).toEqual([]);
    expect(await get("?env=all", "four")).toMatchObject({ testerCount: 5, modelId: "e1" });
    expect((await get("?env=staging")).testerCount).toBe(0);
  });

  it.each([
    ["fails", status(500)],
    ["is busy", status(429)],
    ["hangs", hangs],
    ["answers NaN", raw('{"data":[{"embedding":[NaN]}]}')],
    ["answers short vectors", embeds((text) => (text.includes("0") ? [1] : [1, 2]))],
    ["answers too few", raw('{"data":[]}')],
  ])("returns api_error with status 200 if the model %s", async (_, script) => {
    await configure(service, "embedding", { base_url: model.baseUrl, model: "broken", timeout_ms: 1500 });
    model.play(script);
    const failed = { archetypes: [], testerCount: 5, modelId: "broken", reason: "api_error" };
    expect(await get()).toEqual(failed);
    expect(service.faults).toEqual([]);
  });
});

describe("groups", () => {
  it("contain similar summaries, with a label from their friction and their average play time", async () => {
    await configure(service, "embedding", { base_url: model.baseUrl, model: "e2" });
    model.play(byKind);
    const answer = await get();
    expect(answer).toMatchObject({ testerCount: 5, modelId: "e2" });
    expect(answer.reason).toBeUndefined();
    const [hard, easy] = answer.archetypes;
    expect(hard).toMatchObject({ label: "Difficulty spike in cellar", testerCount: 3, avgSessionCount: 1 });
    expect(hard.commonFrictionTags[0]).toBe("difficulty-spike:cellar");
    expect(hard.commonFrictionTitles[0]).toBe("Difficulty spike in cellar");
    expect(hard.avgActivePlayMinutes).toBe(5);
    expect(hard.representativeTesters[0]).toEqual({ handle: "d0", summary: "hard player 0" });
    expect(easy).toMatchObject({
      testerCount: 2,
      label: "No common friction",
      commonFrictionTags: [],
      commonFrictionTitles: [],
    });
  });

  it("are deterministic, and no text is sent twice", async () => {
    await configure(service, "embedding", { base_url: model.baseUrl, model: "e3" });
    model.play(byKind);
    const first = await get();
    expect(await get()).toEqual(first);
    expect(model.asked).toHaveLength(1);
    await service.service.store.writeDb
      .updateTable("tester_summaries")
      .set({ narrative: "hard again" })
      .where("game_id", "=", gameId)
      .where("device_id", "=", "d1")
      .execute();
    expect((await get()).archetypes[0].testerCount).toBe(4);
    expect(model.asked.map(({ body }) => body.input.length)).toEqual([5, 1]);
  });
});

describe("clustering", () => {
  const at = (degrees: number) => [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const edge = (Math.acos(MIN_SIMILARITY) * 180) / Math.PI;

  it("joins vectors whose similarity reaches the threshold", () => {
    expect(clusterGreedily([at(0), at(edge - 0.01)])).toEqual([[0, 1]]);
    expect(clusterGreedily([at(0), at(edge + 0.01)])).toEqual([[0], [1]]);
  });

  it("joins the most similar group, regardless of vector lengths", () => {
    expect(clusterGreedily([at(0), at(60), at(40), at(10).map((part) => part * 1000)])).toEqual([
      [0, 3],
      [1, 2],
    ]);
  });

  it("adds other friction to the label if archetypes have the same most common friction", () => {
    const tester = { handle: "h", narrative: "n", sessions: 1, activeMs: 1 };
    const archetypes = groupIntoArchetypes(
      [
        { ...tester, deviceId: "a", tags: ["difficulty-spike:cave", "stuck-point:hall"] },
        { ...tester, deviceId: "b", tags: ["difficulty-spike:cave"] },
      ],
      [
        [1, 0],
        [0, 1],
      ],
      new Map(),
    );
    expect(archetypes.map(({ label }) => label)).toEqual([
      "Difficulty spike in cave; Stuck point in hall",
      "Difficulty spike in cave",
    ]);
  });

  it("makes repeated labels unique", () => {
    const tester = { handle: "h", narrative: "n", sessions: 1, activeMs: 1, tags: [] };
    const archetypes = groupIntoArchetypes(
      ["a", "b"].map((deviceId) => ({ ...tester, deviceId })),
      [
        [1, 0],
        [0, 1],
      ],
      new Map(),
    );
    expect(new Set(archetypes.map(({ label }) => label)).size).toBe(2);
    expect(new Set(archetypes.map(({ id }) => id)).size).toBe(2);
  });
});
