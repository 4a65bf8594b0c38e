/** --jq is limited in time and memory. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { responseBodies } from "../client/response-fixtures.ts";
import { script } from "../client/script.ts";
import { runCli } from "../harness.ts";
import { env } from "./hostile-responses.ts";

async function run(expression: string, ...flags: string[]) {
  const { transport } = script({ body: responseBodies.listGames });
  return await runCli(["games", "list", "--jq", expression, ...flags], { env, transport });
}

const endless = [
  "def f: f; f",
  "last(repeat(1))",
  "[range(30)] | combinations(30)",
  "until(false; .)",
  "repeat(.)",
];

test.each(endless)("%s ends at --timeout", async (expression) => {
  const { code, out, err } = await run(expression, "--timeout", "200ms");
  expect([code, out]).toEqual([52, ""]);
  expect(err.split("\n").slice(0, 2)).toEqual([
    `error: --jq ${JSON.stringify(expression)}: no result within 0.2 s`,
    "hint: Simplify the expression, or set a longer --timeout.",
  ]);
});

describe("an expression that needs too much memory", () => {
  afterEach(() => void vi.restoreAllMocks());

  test.each([
    "[range(1e12)]",
    '"a" * 1000000000',
    "def f: [f]; f",
    '[limit(100000000; "a" * 1000000 | repeat(. + "a"))]',
  ])("%s is rejected, and does not affect later expressions", async (expression) => {
    const print = vi.spyOn(console, "error");
    const { code, out, err } = await run(expression);
    expect([code, out, print.mock.calls]).toEqual([2, "", []]);
    expect(err).toContain(
      `error: --jq ${JSON.stringify(expression)}: the expression needs too much memory\n`,
    );
    expect((await run("[range(1000)] | length")).out).toBe("1000\n");
  });
});

test("--timeout 0 sets no limit", async () => {
  expect((await run("[range(100000)] | length", "--timeout", "0")).out).toBe("100000\n");
});
