/** The lifecycle of an experiment: transitions, locked allocations, and invalid input. */
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import type { Variant } from "../../../src/contract/experiments.ts";
import {
  changeAllocations,
  createAudience,
  declareWinner,
  deleteExperiment,
  resumeExperiment,
  startExperiment,
  stopExperiment,
} from "../../../src/server/experiments/lifecycle.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import { alter, change, experiment, gameOf, HALVES } from "./helpers.ts";

let service: TestService;
let id: string;
beforeEach(async () => {
  service = await startTestService();
  await service.addGame("maze");
  id = await experiment(service, "maze", { draft: true });
});
afterEach(() => service.stop());

const steps = {
  start: () => alter(service, id, (db, row) => startExperiment(db, row, NOW + 1)),
  stop: () => alter(service, id, (db, row) => stopExperiment(db, row, NOW + 2)),
  resume: () => alter(service, id, (db, row) => resumeExperiment(db, row)),
  winner: () => alter(service, id, (db, row) => declareWinner(db, service.service, row, "bright")),
  allocate: () => alter(service, id, (db, row) => changeAllocations(db, row, new Map([["control", 90]]))),
  delete: () => alter(service, id, (db, row) => deleteExperiment(db, row, NOW + 3)),
};
type Step = keyof typeof steps;

const readExperiment = async () => (await service.get("/api/v1/games/maze/experiments")).json.experiments[0];

describe("an experiment", () => {
  test.each<[Step[], Step[]]>([
    [[], ["start", "allocate", "delete"]],
    [["start"], ["stop", "winner", "delete"]],
    [
      ["start", "stop"],
      ["resume", "winner", "allocate", "delete"],
    ],
    [
      ["start", "stop", "resume"],
      ["stop", "winner", "delete"],
    ],
  ])("after %j only allows %j", async (before, allowed) => {
    for (const step of Object.keys(steps) as Step[]) {
      id = await experiment(service, "maze", { draft: true });
      for (const one of before) await steps[one]();
      if (allowed.includes(step)) await steps[step]();
      else await expect(steps[step]()).rejects.toMatchObject({ code: "conflict" });
    }
  });

  it("reports when it was first started and when it was stopped", async () => {
    expect(await readExperiment()).toMatchObject({ status: "draft", startedAt: null, stoppedAt: null });
    await steps.start();
    expect(await readExperiment()).toMatchObject({ status: "running", startedAt: NOW + 1, stoppedAt: null });
    await steps.stop();
    expect(await readExperiment()).toMatchObject({
      status: "stopped",
      startedAt: NOW + 1,
      stoppedAt: NOW + 2,
    });
    await steps.winner();
    expect(await readExperiment()).toMatchObject({ status: "stopped", winnerVariantKey: "bright" });
    await steps.resume();
    expect(await readExperiment()).toMatchObject({
      startedAt: NOW + 1,
      stoppedAt: null,
      winnerVariantKey: null,
    });
  });

  it("locks its allocations while it runs", async () => {
    await steps.allocate();
    const allocations = async () =>
      (await readExperiment()).variants.map((variant: Variant) => variant.allocation);
    expect(await allocations()).toEqual([90, 50]);
    await steps.start();
    const locked = alter(service, id, (db, row) => changeAllocations(db, row, new Map([["control", 10]])));
    await expect(locked).rejects.toMatchObject({ code: "conflict" });
    expect(await allocations()).toEqual([90, 50]);
  });

  it("rejects unknown variants", async () => {
    await steps.start();
    await expect(
      alter(service, id, (db, row) => declareWinner(db, service.service, row, "dark")),
    ).rejects.toMatchObject({
      code: "not_found",
      hint: "Available variants: control, bright.",
    });
  });

  test.each<[string, Variant[]]>([
    ["one variant", HALVES.slice(0, 1)],
    ["21 variants", Array.from({ length: 21 }, (_, at) => ({ key: `v${at}`, name: "v", allocation: 1 }))],
    ["two of one key", [...HALVES, ...HALVES]],
    ["a key with a space", [...HALVES, { key: "a b", name: "", allocation: 1 }]],
    ["an empty key", [...HALVES, { key: "", name: "", allocation: 1 }]],
    ["an allocation of 0", [...HALVES, { key: "c", name: "", allocation: 0 }]],
    ["an allocation above 100", [...HALVES, { key: "c", name: "", allocation: 100.5 }]],
    ["an allocation that is no number", [...HALVES, { key: "c", name: "", allocation: Number.NaN }]],
  ])("cannot be created with %s", async (_, variants) => {
    await expect(experiment(service, "maze", { variants })).rejects.toMatchObject({ code: "invalid" });
  });

  it("accepts only an audience of its own game, and returns its name", async () => {
    await service.addGame("tower");
    const [maze, tower] = [await gameOf(service, "maze"), await gameOf(service, "tower")];
    const predicates = [{ field: "country", op: "in", values: ["DE"] }] as const;
    const make = (game: typeof maze) =>
      change(service, (db) => createAudience(db, service.service, game, { name: "Germans", predicates }));
    const [own, other] = [await make(maze), await make(tower)];
    await expect(experiment(service, "maze", { audienceId: other.id })).rejects.toMatchObject({
      code: "not_found",
    });
    service.clock.now += 1;
    await experiment(service, "maze", { audienceId: own.id });
    expect(await readExperiment()).toMatchObject({ audienceId: own.id, audienceName: "Germans" });
  });

  it("requires an audience to have conditions", async () => {
    const game = await gameOf(service, "maze");
    const created = change(service, (db) =>
      createAudience(db, service.service, game, { name: "All", predicates: [] }),
    );
    await expect(created).rejects.toMatchObject({ code: "invalid" });
  });
});
