/** Responses with 100 KB of text in every field work in every format. */
import { describe, test } from "vitest";
import { combiningCommands, expectCombinedHarmless, expectHarmless } from "../cli/hostile-responses.ts";
import { readCommands } from "../cli/read-commands.ts";

const text = "long ".repeat(20_000);

test.each(Object.entries(readCommands))("%s with 100 KB in every field", async (line, name) => {
  await expectHarmless(line, name, text);
});

describe("commands that combine several responses", () => {
  test.each(combiningCommands)("%s with 100 KB in every field", async (line) => {
    await expectCombinedHarmless(line, text);
  });
});
