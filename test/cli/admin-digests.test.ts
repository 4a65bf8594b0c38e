/** Tests of admin digests generate with a model: added text, degraded digests and interruption. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { fail } from "../../src/cli/errors.ts";
import { NOW } from "../harness.ts";
import { answers, declines, type ScriptedModel, startModel } from "../server/analysis/provider/scripted.ts";
import { type AdminFixture, setUpAdminFixture } from "./admin-fixture.ts";

let fixture: AdminFixture;
let model: ScriptedModel;
let id: string;
let key: string;

setUpAdminFixture((made) => {
  fixture = made;
});
beforeAll(async () => {
  model = await startModel();
});
afterAll(() => model.stop());

beforeEach(async () => {
  await fixture.run(["games", "create", "ember"]);
  const halves = ["--variant", "control=50", "--variant", "bright=50"];
  const made = await fixture.run(["experiments", "create", "Caves", "--game", "ember", ...halves]);
  id = made.json.experiment.id;
  ({ key } = (await fixture.run(["keys", "rotate", "--yes"])).json);
});

const use = (url: string) =>
  fixture.run(
    [
      "providers",
      "set",
      "--url",
      url,
      ...(url === "builtin:words" ? [] : ["--model", "m"]),
      "--deadline",
      "10m",
    ],
    { stdin: "sk" },
  );
const generate = (signal?: AbortSignal) =>
  fixture.run(["digests", "generate", id], signal === undefined ? {} : { signal });
const storedDigest = () =>
  fixture.withService(async (service) => {
    const answer = await service.get(`/api/v1/experiments/${id}/comparison`, { key });
    return answer.json.digest;
  });

test("adds the text of the model to the rule-based digest", async () => {
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
  expect(await storedDigest()).toEqual(json.digest);
});

test("stores a degraded rule-based digest if the model refuses, but not with the built-in model", async () => {
  const byRules = (await generate()).json.digest;
  expect(byRules.status).toBe("ok");
  await use(model.baseUrl);
  model.play(declines);
  expect((await generate()).json.digest).toEqual({ ...byRules, status: "degraded" });
  expect(await storedDigest()).toEqual({ ...byRules, status: "degraded" });
  await use("builtin:words");
  expect((await generate()).json.digest).toEqual(byRules);
});

test("stores nothing when it is interrupted while the model does not respond", async () => {
  await use(model.baseUrl);
  const interrupt = new AbortController();
  model.play(() => interrupt.abort(fail("interrupted")));
  expect((await generate(interrupt.signal)).code).toBe(130);
  expect(await storedDigest()).toBeNull();
});
