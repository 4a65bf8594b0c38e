/** Tester text in a CI log cannot run commands of the CI service. */
import { describe, expect, test } from "vitest";
import { responseBodies } from "../client/response-fixtures.ts";
import { script } from "../client/script.ts";
import { runCli } from "../harness.ts";
import { readCommands } from "./read-commands.ts";

const COMMAND = "::error::x\n##[error]y ##vso[task.complete]z";
const commands = /^\s*::|##(vso)?\[/m;
const env = { PLAYTEST_BASE_URL: "http://127.0.0.1:1", PLAYTEST_KEY: "k", PLAYTEST_GAME: "ember" };

function infested(value: unknown): unknown {
  if (typeof value === "string") return COMMAND;
  if (Array.isArray(value)) return value.map(infested);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, infested(child)]));
}

const run = async (line: string, flags: readonly string[], status: number, body: unknown) =>
  await runCli([...line.split(" "), ...flags], {
    env: { ...env, PLAYTEST_INGEST_KEY: "i" },
    transport: script({ status, body }).transport,
  });

describe.each(Object.entries(readCommands))("%s in a CI log", (line, endpoint) => {
  const body = infested(responseBodies[endpoint]);

  test.each([[[]], [["--wide"]], [["--plain"]], [["--format", "md"]]])(
    "contains no CI command: %j",
    async (flags) => {
      const { code, out } = await run(line, flags, 200, body);
      expect(code).toBe(0);
      expect(out).not.toMatch(commands);
    },
  );

  test("contains no CI command as JSON, and keeps the value", async () => {
    const { out } = await run(line, ["--json"], 200, body);
    expect(out).not.toMatch(commands);
    const holds = (value: unknown) => JSON.stringify(value).includes(JSON.stringify(COMMAND));
    expect(holds(JSON.parse(out))).toBe(holds(body));
  });
});

test("an error contains no CI command, and its JSON keeps the value", async () => {
  const { err } = await run("games list", ["--json"], 400, { error: COMMAND });
  expect(err).not.toMatch(commands);
  expect(JSON.parse(err.trimEnd().split("\n").at(-1) ?? "").error.message).toContain("##[error]y");
});

test("the text output of --jq is unchanged, because it is for programs", async () => {
  const { out } = await run(
    "games list",
    ["--jq", ".games[0].name"],
    200,
    infested(responseBodies.listGames),
  );
  expect(out).toBe(`${COMMAND}\n`);
});
