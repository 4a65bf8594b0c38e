/** The built-in provider: similar texts have similar vectors, and the result is deterministic. */
import { describe, expect, it } from "vitest";
import { BUILTIN, hashWords } from "../../../../src/server/analysis/provider/builtin.ts";
import { askModel, embed } from "../../../../src/server/analysis/provider/provider.ts";
import { cosineSimilarity } from "../../../../src/server/testers/archetypes.ts";

const provider = { base_url: BUILTIN, model: BUILTIN, api_key: "", timeout_ms: 1000 };
const [stuck = [], alike = [], other = [], none = []] = hashWords([
  "Fails at the furnace 5 times and gives up",
  "gives up and fails 12 times at the FURNACE",
  "Praises the gardens, explores every corner happily",
  "12 a b 7",
]);

describe("embeddings", () => {
  it("are equal for the same words in another order, ignoring numbers", () => {
    expect(cosineSimilarity(stuck, alike)).toBeCloseTo(1, 10);
  });

  it("differ for other words", () => {
    expect(cosineSimilarity(stuck, other)).toBeLessThan(0.6);
  });

  it("have length 1, even without words", () => {
    for (const vector of [stuck, other, none]) expect(Math.hypot(...vector)).toBeCloseTo(1, 10);
  });

  it("are returned by the built-in provider", async () => {
    expect(await embed(provider, ["Fails at the furnace 5 times and gives up"])).toEqual([stuck]);
  });
});

it("declines every question, so that the rules are used", async () => {
  const question = { name: "x", instructions: "", material: {}, schema: null as never };
  await expect(askModel(provider, question)).rejects.toMatchObject({ reason: "declined" });
});
