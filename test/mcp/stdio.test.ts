/** `playtest mcp` as a process: what it writes to stdout and stderr, and when it exits. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, test } from "vitest";
import { listening, playtest, program } from "../cli/program.ts";
import { answers } from "../client/answers.ts";
import { freshFolder } from "../harness.ts";
import { callTool, closing, textOf } from "./connect.ts";

/**
 * Starts a service that lists one game after it has rejected some requests with the rate limit. Returns the environment
 * variables for it.
 */
async function startService(rejections = 0): Promise<Record<string, string>> {
  let remaining = rejections;
  const port = await listening((_request, response) => {
    response.statusCode = remaining > 0 ? 429 : 200;
    response.end(
      JSON.stringify(
        remaining > 0 ? { error: "Rate limit exceeded", retryAfterMs: 10, scope: "key" } : answers.listGames,
      ),
    );
    remaining -= 1;
  });
  return { PLAYTEST_BASE_URL: `http://127.0.0.1:${port}`, PLAYTEST_KEY: "k" };
}

const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
const initialize = line({
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "0" } },
});
const call = (id: number) => line({ id, method: "tools/call", params: { name: "list_games" } });
const parseLines = (out: unknown) =>
  String(out)
    .split("\n")
    .map((text) => JSON.parse(text) as { id: number; result?: object; error?: object });

describe("playtest mcp", () => {
  test("works with the client of the SDK", async () => {
    const home = freshFolder();
    const env = {
      PATH: process.env.PATH ?? "",
      HOME: home,
      XDG_CONFIG_HOME: home,
      XDG_STATE_HOME: home,
      ...(await startService()),
    };
    const client = new Client({ name: "test", version: "0" });
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [program, "mcp"], env }),
    );
    closing(() => client.close());
    expect(client.getServerVersion()).toMatchObject({
      name: "playtest",
      version: expect.stringMatching(/^\d/),
    });
    expect((await client.listTools()).tools).toHaveLength(21);
    const results = await Promise.all(Array.from({ length: 200 }, () => callTool(client, "list_games")));
    expect(new Set(results.map(textOf)).size).toBe(1);
    expect(textOf(results[0] ?? { content: [] })).toContain('"Ember Hollow"');
  });

  test("writes only protocol messages to stdout, and everything else to stderr", async () => {
    const input = [initialize, "no JSON\n", "[1]\n", call(2), "\n"].join("");
    const { stdout, stderr, exitCode } = await playtest(["mcp", "--debug"], {
      input,
      env: await startService(1),
    });
    expect(parseLines(stdout).map(({ id }) => id)).toEqual([1, 2]);
    expect(stderr).toMatch(/Rate limit exceeded: trying again in 0\.0 s/);
    expect(stderr).toMatch(/fault in the protocol/);
    expect(exitCode).toBe(0);
  });

  test("responds to all requests before it exits at the end of its input", async () => {
    const input = initialize + Array.from({ length: 20 }, (_, index) => call(index + 2)).join("");
    const { stdout, stderr, exitCode } = await playtest(["mcp"], { input, env: await startService() });
    expect(
      parseLines(stdout)
        .map(({ id }) => id)
        .sort((a, b) => a - b),
    ).toEqual(Array.from({ length: 21 }, (_, index) => index + 1));
    expect([stderr, exitCode]).toEqual(["", 0]);
  });

  test("accepts a last line without line feed and a byte order mark, and rejects each request of a batch", async () => {
    const batch = `${JSON.stringify([call(7), call(8)].map((text) => JSON.parse(text)))}\n`;
    const input = `\uFEFF${initialize}${batch}${call(2).trimEnd()}`;
    const { stdout, exitCode } = await playtest(["mcp"], { input, env: await startService() });
    const responses = parseLines(stdout).map(({ id, error }) => [
      id,
      error === undefined ? "result" : "error",
    ]);
    expect(responses.sort(([a], [b]) => Number(a) - Number(b))).toEqual([
      [1, "result"],
      [2, "result"],
      [7, "error"],
      [8, "error"],
    ]);
    expect(exitCode).toBe(0);
  });

  test.each(["SIGTERM", "SIGINT"] as const)("exits on %s even if calls are waiting", async (signal) => {
    const child = playtest(["mcp"], { stdin: "pipe", env: await startService(1_000_000) });
    child.stdin?.write(initialize + call(2));
    await new Promise<void>((resolve) => child.stderr?.once("data", () => resolve()));
    child.kill(signal);
    const { exitCode, stdout } = await child;
    expect(exitCode).toBe(0);
    expect(parseLines(stdout).map(({ id }) => id)).toEqual([1]);
  });

  test("exits when its stdout is closed", async () => {
    const child = playtest(["mcp"], { stdin: "pipe", env: await startService() });
    child.stdout?.destroy();
    child.stdin?.write(initialize);
    expect((await child).exitCode).toBe(0);
  });

  test("fails without a configured service, and writes nothing to stdout", async () => {
    const { stdout, stderr, exitCode } = await playtest(["mcp"], { input: initialize });
    expect([stdout, exitCode]).toEqual(["", 3]);
    expect(stderr).toMatch(/^error: No service is set/);
  });

  test("returns heatmaps as images", async () => {
    const port = await listening((_request, response) => response.end(JSON.stringify(answers.getHeatmap)));
    const env = { PLAYTEST_BASE_URL: `http://127.0.0.1:${port}`, PLAYTEST_KEY: "k" };
    const params = { name: "get_heatmap", arguments: { game: "ember", image: true } };
    const input = initialize + line({ id: 2, method: "tools/call", params });
    const { stdout } = await playtest(["mcp"], { input, env });
    const { content = [] } = (parseLines(stdout)[1]?.result ?? {}) as {
      content?: { type: string; data?: string }[];
    };
    expect(content.map(({ type }) => type)).toEqual(["text", "image"]);
    expect(
      Buffer.from(content[1]?.data ?? "", "base64")
        .subarray(1, 4)
        .toString(),
    ).toBe("PNG");
  });
});
