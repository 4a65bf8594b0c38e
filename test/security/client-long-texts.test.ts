/** 100 KB in every field of every answer is harmless in every format. */
import { describe, test } from "vitest";
import { expectGatheredHarmless, expectHarmless, gatheringLines } from "../cli/infested.ts";
import { readLines } from "../cli/read-lines.ts";

const text = "long ".repeat(20_000);

test.each(Object.entries(readLines))("%s with 100 KB in every field", async (line, name) => {
  await expectHarmless(line, name, text);
});

describe("what is made of several answers", () => {
  test.each(gatheringLines)("%s with 100 KB in every field", async (line) => {
    await expectGatheredHarmless(line, text);
  });
});
