/**
 * admin digests generate with a model: its words behind the rules', degraded where it gives none, nothing when
 * interrupted.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { fail } from "../../src/cli/errors.ts";
import { NOW } from "../harness.ts";
import { answers, declines, type ScriptedModel, startModel } from "../server/analysis/provider/scripted.ts";
import { eachPlace, type Place } from "./local-admin.ts";

let place: Place;
let model: ScriptedModel;
let id: string;
let key: string;

eachPlace((made) => {
  place = made;
});
beforeAll(async () => {
  model = await startModel();
});
afterAll(() => model.stop());

beforeEach(async () => {
  await place.run(["games", "create", "ember"]);
  const halves = ["--variant", "control=50", "--variant", "bright=50"];
  const made = await place.run(["experiments", "create", "Caves", "--game", "ember", ...halves]);
  id = made.json.experiment.id;
  ({ key } = (await place.run(["keys", "rotate"])).json);
});

const use = (url: string) =>
  place.run(["providers", "set", "--url", url, "--model", "m", "--deadline", "10m"], { stdin: "sk" });
const generate = (signal?: AbortSignal) =>
  place.run(["digests", "generate", id], signal === undefined ? {} : { signal });
const kept = () =>
  place.served(async (service) => {
    const answer = await service.get(`/api/v1/experiments/${id}/comparison`, { key });
    return answer.json.digest;
  });

test("a model's words stand behind the rules', and the service answers them", async () => {
  await use(model.baseUrl);
  model.play(
    answers(({ variants }) => ({
      recommendation: "Wait for players.",
      perVariant: variants.map((one: { id: string }) => ({ id: one.id, headline: "Still empty." })),
      sharedThemes: [],
      sentimentShift: "None yet.",
    })),
  );
  const { code, json } = await generate();
  expect(code).toBe(0);
  expect(json.digest).toMatchObject({ status: "ok", confidenceLabel: "insufficient", generatedAt: NOW });
  expect(json.digest.digest.recommendation).toMatch(/^Start the experiment\. .* Wait for players\.$/);
  expect(json.digest.digest.perVariant).toEqual([
    { key: "control", headline: "No sessions yet. Still empty." },
    { key: "bright", headline: "No sessions yet. Still empty." },
  ]);
  expect(await kept()).toEqual(json.digest);
});

test("where a model declines the rules' digest is kept as degraded; with the built-in one it is what was chosen", async () => {
  const byRules = (await generate()).json.digest;
  expect(byRules.status).toBe("ok");
  await use(model.baseUrl);
  model.play(declines);
  expect((await generate()).json.digest).toEqual({ ...byRules, status: "degraded" });
  expect(await kept()).toEqual({ ...byRules, status: "degraded" });
  await use("builtin:words");
  expect((await generate()).json.digest).toEqual(byRules);
});

test("an interrupt ends the wait for a model that hangs, and keeps nothing", async () => {
  await use(model.baseUrl);
  const interrupt = new AbortController();
  model.play(() => interrupt.abort(fail("interrupted")));
  expect((await generate(interrupt.signal)).code).toBe(130);
  expect(await kept()).toBeNull();
});
