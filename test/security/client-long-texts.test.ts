/** Responses with long texts in every field work in every format, and are truncated in output for people. */
import { describe, expect, test } from "vitest";
import { MAX_TEXT_LENGTH } from "../../src/render/text.ts";
import {
  combiningCommands,
  env,
  expectCombinedHarmless,
  expectHarmless,
  replaceStrings,
  run,
  runs,
} from "../cli/hostile-responses.ts";
import { readCommands } from "../cli/read-commands.ts";
import { findEndpoint, responseBodies } from "../client/response-fixtures.ts";
import { script } from "../client/script.ts";
import { freshFolder, runCli } from "../harness.ts";

const text = "long ".repeat(20_000);
const isLong = process.env.PLAYTEST_FAULTS === "long";

test.each(Object.entries(readCommands))("%s with 100 KB in every field", async (line, name) => {
  const body = replaceStrings(responseBodies[name], text);
  for (const one of runs) await expectHarmless(line, body, one);
});

describe("commands that combine several responses", () => {
  test.each(combiningCommands)("%s with 100 KB in every field", async (line) => {
    await expectCombinedHarmless(line, text);
  });
});

/** The characters of 400 KB texts that make slow code slow: runs of white space, markup, marks and halves of pairs. */
const RUNS = [
  " ",
  "\n",
  "\r",
  "\t",
  ":",
  ".",
  "-",
  "_",
  "/",
  "{",
  "(",
  "[",
  "<",
  "@",
  "#",
  "*",
  "`",
  "\\",
  "0",
  "a",
  "=",
  "\x1b",
  "\u0301",
  "\u200d",
  "\ud83d",
  "\u{1f469}\u200d",
  "\u2028",
  "::",
  "\r:",
  " \n",
  "- ",
  "a_",
  "www.",
  "##[",
] as const;
const LENGTH = 400_000;

/** The longest escape of a character, such as an `@` with the comment that breaks up a mention in Markdown. */
const MAX_ESCAPE_LENGTH = 12;

function countStrings(value: unknown): number {
  if (typeof value === "string") return 1;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, child) => sum + 1 + countStrings(child), 0);
}

const endsWith = (run: string, end: string) => run.repeat(LENGTH / run.length) + end;

/** In the short form, every command gets some of the texts, and every text some of the commands. */
const textsFor = (index: number) =>
  RUNS.filter((_, at) => isLong || at % 17 === index % 17).flatMap((one) =>
    isLong ? [endsWith(one, ""), endsWith(one, "x")] : [endsWith(one, "x")],
  );

test.each(Object.entries(readCommands).map(([line, name], index) => [line, name, index] as const))(
  "%s truncates 400 KB in every field for people",
  async (line, name, index) => {
    for (const long of textsFor(index)) {
      const body = replaceStrings(responseBodies[name], long);
      const limit = (countStrings(body) + 20) * 2 * MAX_TEXT_LENGTH * MAX_ESCAPE_LENGTH;
      for (const [flags, tty] of [
        [[], true],
        [[], false],
        [["--wide"], true],
        [["--format", "md"], false],
      ] as const) {
        const { code, out } = await run(line, [...flags], { body }, tty);
        expect(code).toBe(0);
        expect(out.length).toBeLessThan(Math.min(limit, LENGTH * countStrings(body)));
      }
    }
  },
);

test.each(
  [
    ...combiningCommands,
    "gate 1 2",
    "gate 1 2 --format md",
    "gate 1 2 --report junit=gate.xml --report github --report md=gate.md --report json=gate.json",
    "experiments compare exp_x",
    "doctor",
  ].map((line, index) => [line, index] as const),
)("%s ends with 400 KB in every field", async (line, index) => {
  for (const long of textsFor(index)) {
    const { transport } = script(({ url }) => ({
      body: replaceStrings(responseBodies[findEndpoint(url)], long),
    }));
    const { code, out, err } = await runCli(line.split(" "), {
      env,
      transport,
      tty: true,
      columns: 80,
      cwd: freshFolder(),
    });
    expect([line, code, code === 1 || code === 2 ? err : ""]).toEqual([line, expect.any(Number), ""]);
    if (!line.includes("json"))
      expect(out.length + err.length).toBeLessThan(60 * MAX_TEXT_LENGTH * MAX_ESCAPE_LENGTH);
  }
});
