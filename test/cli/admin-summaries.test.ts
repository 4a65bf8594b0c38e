/** Tests of admin summaries generate: by rules, by a model, and by rules if the model fails. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { NOW } from "../harness.ts";
import { type ScriptedModel, says, startModel, status } from "../server/analysis/provider/scripted.ts";
import { sendTelemetry } from "../server/telemetry-helpers.ts";
import { type AdminFixture, setUpAdminFixture } from "./admin-fixture.ts";

let fixture: AdminFixture;
let model: ScriptedModel;
let ingestKey: string;
let managementKey: string;

setUpAdminFixture((made) => {
  fixture = made;
});

beforeAll(async () => {
  model = await startModel();
});

afterAll(() => model.stop());

const GAME = ["--game", "ember"];
const generate = (...more: string[]) => fixture.run(["summaries", "generate", ...GAME, ...more]);
const setModel = () =>
  fixture.run(["providers", "set", "--url", model.baseUrl, "--model", "m"], { stdin: "sk-secret" });

beforeEach(async () => {
  model.asked.length = 0;
  const made = await fixture.run(["accounts", "create", "studio"]);
  ({ managementKey, ingestKey } = made.json);
  await fixture.run(["games", "create", "ember", "--account", "studio"]);
  await fixture.withService(async (service) => {
    const post: typeof service.post = (path, body) => service.post(path, body, { key: ingestKey });
    for (const [device, build] of [
      ["d1", "0.1"],
      ["d1", "0.2"],
      ["d2", "0.2"],
    ]) {
      await sendTelemetry(
        { ...service, post },
        {
          gameId: "ember",
          deviceId: device,
          sessionMetadata: { gameVersion: build },
          sessionEnded: true,
          events: [1, 2, 3, 4, 5, 6].map((at) => ({
            id: `e${at}`,
            name: "death",
            timestamp: NOW + at * 10_000,
            data: { room: "cellar" },
          })),
        },
      );
    }
    await service.analysis.drain();
  });
});

const here = ["--account", "studio"];

test("without a model, generates rule-based summaries of every build and tester", async () => {
  const { code, json } = await generate("--all", ...here);
  expect(code).toBe(0);
  expect(json.summaries.map((one: { kind: string; name: string }) => `${one.kind} ${one.name}`)).toEqual([
    "build 0.1",
    "build 0.2",
    "tester d1",
    "tester d2",
  ]);
  const build = json.summaries[1];
  expect(build).toMatchObject({ source: "rules", degraded: null });
  expect(build.narrative).toMatch(
    /^2 testers in 2 sessions with 1m 40s of active play\. Top friction: repeated failures in cellar \(2 testers\)/,
  );
  await fixture.withService(async (service) => {
    const read = (path: string) => service.get(path, { key: managementKey });
    const expected = { narrative: build.narrative, generatedAt: NOW };
    expect((await read("/api/v1/builds/ember/0.2")).json.summary).toEqual(expected);
    expect((await read("/api/v1/testers/ember/d1")).json.summary.narrative).toMatch(
      /from build 0\.1 to 0\.2/,
    );
  });
});

test("adds the text of the model to the counts", async () => {
  await fixture.run(["providers", "set", "--url", model.baseUrl, "--model", "m", ...here], { stdin: "sk" });
  model.play(says({ narrative: "They struggle in the cellar." }));
  const { json } = await generate("--device", "d2", ...here);
  expect(json.summaries).toMatchObject([{ source: "ai", degraded: null }]);
  expect(json.summaries[0].narrative).toBe(
    "1 session with 50s of active play on build 0.2. They struggle in the cellar.",
  );
});

test("ignores a model that invents counts or refuses", async () => {
  await fixture.run(["providers", "set", "--url", model.baseUrl, "--model", "m", ...here], { stdin: "sk" });
  model.play(says({ narrative: "All 7321 testers love it." }));
  expect((await generate("--build", "0.1", ...here)).json.summaries).toMatchObject([
    { source: "rules", degraded: "invalid" },
  ]);
  model.asked.length = 0;
  model.play(status(401));
  const { json } = await generate("--all", ...here);
  expect(json.summaries.map((one: { degraded: string }) => one.degraded)).toEqual(
    Array(4).fill("unavailable"),
  );
  expect(model.asked).toHaveLength(1);
});

test("requires exactly one subject that exists", async () => {
  await setModel();
  for (const more of [
    [],
    ["--all", "--build", "1"],
    ["--build", "1", "--device", "d"],
    ["--all", "--env", "all"],
  ]) {
    expect([more, (await generate(...more, ...here)).code]).toEqual([more, 2]);
  }
  expect((await generate("--build", "9", ...here)).code).toBe(44);
  expect((await generate("--build", "0.1", "--env", "staging", ...here)).code).toBe(44);
  expect((await generate("--all", "--env", "staging", ...here)).json.summaries).toEqual([]);
});
