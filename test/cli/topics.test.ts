/** Tests of the topics of `playtest help`: they are complete. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { environment } from "../../src/cli/environment.ts";
import { cliErrors } from "../../src/cli/errors.ts";
import { outputFormats } from "../../src/cli/global-flags.ts";
import { helpTexts } from "../../src/cli/help-texts.prepared.ts";
import { topicTexts } from "../../src/cli/topic-texts.prepared.ts";
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

test("suggests the right topic for a mistyped one", async () => {
  const { code, err } = await help("exit-code");
  expect([code, err.split("\n")[0]]).toEqual([
    2,
    'error: Unknown command "exit-code". Did you mean exit-codes?',
  ]);
});

describe("the topics contain all", () => {
  test("exit codes", () => {
    const text = (topicTexts["exit-codes"] ?? "").replace(/\s+/g, " ");
    for (const [code, { exit, hint }] of Object.entries(cliErrors)) {
      expect(text).toContain(`(${code}`);
      expect(text).toContain(hint);
      expect(topicTexts["exit-codes"]).toMatch(new RegExp(`^  ${exit} `, "m"));
    }
  });

  test("environment variables", () => {
    for (const name of Object.keys(environment))
      expect(topicTexts.environment).toMatch(new RegExp(`^  ${name}\\b`, "m"));
  });

  test("formats, filters and their values", () => {
    for (const format of outputFormats)
      expect(topicTexts.formatting).toMatch(new RegExp(`^  ${format} `, "m"));
    const text = (topicTexts.filters ?? "").replace(/\s+/g, " ");
    expect(text).toContain(sessionStatuses.join(", "));
    expect(text).toContain("--build <version> build version, `latest` or `previous`, 1 to 120 characters.");
    expect(text).toContain("36h 2026-02-28T00:00:00Z");
  });
});

/** The source files in a folder. */
const sources = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => [name, readFileSync(join(folder, name), "utf8")] as const);

test("every environment variable in the sources is in the table", () => {
  const named = sources(join(import.meta.dirname, "..", "..", "src")).flatMap(([file, text]) =>
    [...text.matchAll(/\b(?:PLAYTEST|XDG)_[A-Z_]+\b/g)].map(([name]) => `${name} in ${file}`),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((line) => !Object.hasOwn(environment, line.split(" ")[0] ?? ""))).toEqual([]);
});
