/** The topics of `playtest help`: answered at once, and nothing that the program goes by is missing in them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { environment } from "../../src/cli/environment.ts";
import { cliErrors } from "../../src/cli/errors.ts";
import { outputFormats } from "../../src/cli/global-flags.ts";
import { helpTexts, topicTexts } from "../../src/cli/help.generated.ts";
import { sessionStatuses } from "../../src/contract/sessions.ts";
import { script } from "../client/script.ts";
import { runCli } from "../harness.ts";

async function help(...words: string[]) {
  const { transport, requests } = script({});
  const run = await runCli(["help", ...words], { transport });
  expect(requests).toEqual([]);
  return run;
}

test.each(Object.keys(topicTexts))(
  "%s is printed, fits 80 columns, and is listed in the help",
  async (name) => {
    const { code, out, err } = await help(name);
    expect([code, out, err]).toEqual([0, topicTexts[name], ""]);
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    expect(helpTexts[""]).toMatch(new RegExp(`^  ${name} +\\S`, "m"));
  },
);

test("a topic that is mistyped is met with the one that was meant", async () => {
  const { code, err } = await help("exit-code");
  expect([code, err.split("\n")[0]]).toEqual([
    2,
    "error: Unknown command 'exit-code' (Did you mean exit-codes?)",
  ]);
});

describe("they hold all of", () => {
  test("the exit codes", () => {
    const text = (topicTexts["exit-codes"] ?? "").replace(/\s+/g, " ");
    for (const [code, { exit, hint }] of Object.entries(cliErrors)) {
      expect(text).toContain(`(${code}`);
      expect(text).toContain(hint);
      expect(topicTexts["exit-codes"]).toMatch(new RegExp(`^  ${exit} `, "m"));
    }
  });

  test("the environment's variables", () => {
    for (const name of Object.keys(environment))
      expect(topicTexts.environment).toMatch(new RegExp(`^  ${name}\\b`, "m"));
  });

  test("the formats, the filters and their values", () => {
    for (const format of outputFormats)
      expect(topicTexts.formatting).toMatch(new RegExp(`^  ${format} `, "m"));
    const text = (topicTexts.filters ?? "").replace(/\s+/g, " ");
    expect(text).toContain(sessionStatuses.join(", "));
    expect(text).toContain("--build <version> exact build version, 1 to 120 characters.");
    expect(text).toContain("36h 2026-02-28T00:00:00Z");
  });
});

/** The files of a folder that hold code. */
const sources = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.includes(".generated."))
    .map((name) => [name, readFileSync(join(folder, name), "utf8")] as const);

test("no source names a variable of playtest's that the table does not hold", () => {
  const named = sources(join(import.meta.dirname, "..", "..", "src")).flatMap(([file, text]) =>
    [...text.matchAll(/\b(?:PLAYTEST|XDG)_[A-Z_]+\b/g)].map(([name]) => `${name} in ${file}`),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((line) => !Object.hasOwn(environment, line.split(" ")[0] ?? ""))).toEqual([]);
});
