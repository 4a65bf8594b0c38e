/** What a notification has readers copy: a version, which anybody who plays can choose, is never part of a command. */
import { expect, test } from "vitest";
import { toVerdictMessage } from "../../src/cli/commands/gate/conclusion.ts";
import { richVerdict } from "./samples.ts";

const commandOf = (version: string) => {
  const verdict = richVerdict();
  const gate = { ...verdict, b: { ...verdict.b, version } };
  return toVerdictMessage("gate.finished", gate, { settings: { baseUrl: null } }).command;
};

test("names the build in the suggested command", () => {
  expect(commandOf("0.9.1")).toContain(" 0.9.1");
});

test.each(["--$(touch x)", "--game", "-x", "`id`", "$(id)", "a b; id"])("quotes or omits %s", (version) => {
  const command = commandOf(version) ?? "";
  expect(command.replaceAll(/'[^']*'/g, "")).not.toMatch(/[$;`]|\(|-x/);
});
