/** `playtest mcp` as a process: stdout contains only protocol messages, and the process exits when assistants stop it. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, test } from "vitest";
import { version } from "../../src/shared/version.prepared.ts";
import { listening, playtest, program } from "../cli/program.ts";
import { responseBodies } from "../client/response-fixtures.ts";
import { freshFolder } from "../harness.ts";
import { callTool, closing, textOf } from "./connect.ts";

/** Starts a service that lists one game, after it has refused the first requests with the rate limit. */
async function service(refusals = 0): Promise<Record<string, string>> {
  let left = refusals;
  const port = await listening((_request, response) => {
    response.statusCode = left > 0 ? 429 : 200;
    response.end(
      JSON.stringify(
        left > 0
          ? { error: "Rate limit exceeded", retryAfterMs: 10, scope: "key" }
          : responseBodies.listGames,
      ),
    );
    left -= 1;
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
const parsed = (out: unknown) =>
  String(out)
    .split("\n")
    .map((message) => JSON.parse(message) as { id: number; result?: object; error?: object });

describe("playtest mcp", () => {
  test("works with the SDK's own client", async () => {
    const home = freshFolder();
    const env = {
      PATH: process.env.PATH ?? "",
      HOME: home,
      XDG_CONFIG_HOME: home,
      XDG_STATE_HOME: home,
      ...(await service()),
    };
    const client = new Client({ name: "test", version: "0" });
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [program, "mcp"], env }),
    );
    closing(() => client.close());
    expect(client.getServerVersion()).toMatchObject({
      name: "playtest",
      version,
    });
    expect((await client.listTools()).tools).toHaveLength(22);
    const results = await Promise.all(Array.from({ length: 200 }, () => callTool(client, "list_games")));
    expect(new Set(results.map(textOf)).size).toBe(1);
    expect(textOf(results[0] ?? { content: [] })).toContain('"Ember Hollow"');
  });

  test("lists at most 40 kB of tools, and more tools only with --toolsets", async () => {
    const input = initialize + line({ id: 2, method: "tools/list" });
    const list = async (...flags: string[]) => {
      const { stdout } = await playtest(["mcp", ...flags], { input, env: await service() });
      const message = String(stdout).split("\n")[1] ?? "";
      const { result } = JSON.parse(message) as { result: { tools: { name: string }[] } };
      return { bytes: Buffer.byteLength(message), names: result.tools.map(({ name }) => name) };
    };
    const [basic, more] = [await list("--allow-ingest"), await list("--toolsets", "analytics,players")];
    expect(basic.bytes).toBeLessThanOrEqual(40_000);
    expect(basic.names).toContain("get_status");
    expect(basic.names).not.toContain("get_trend");
    expect(more.names).toEqual(expect.arrayContaining(["get_trend", "list_testers"]));
    expect(more.names).not.toContain("tail_telemetry");
  });

  test("writes only protocol messages to stdout, even if there are notices and errors", async () => {
    const input = [initialize, "no JSON\n", "[1]\n", call(2), "\n"].join("");
    const { stdout, stderr, exitCode } = await playtest(["mcp", "--debug"], { input, env: await service(1) });
    expect(parsed(stdout).map(({ id }) => id)).toEqual([1, 2]);
    expect(stderr).toMatch(/Rate limit exceeded. Retrying in 0\.0 s/);
    expect(stderr).toMatch(/error in the MCP protocol/);
    expect(exitCode).toBe(0);
  });

  test("responds to all messages when its input ends, then exits", async () => {
    const input = initialize + Array.from({ length: 20 }, (_, at) => call(at + 2)).join("");
    const { stdout, stderr, exitCode } = await playtest(["mcp"], { input, env: await service() });
    expect(
      parsed(stdout)
        .map(({ id }) => id)
        .sort((a, b) => a - b),
    ).toEqual(Array.from({ length: 21 }, (_, at) => at + 1));
    expect([stderr, exitCode]).toEqual(["", 0]);
  });

  test("accepts a last line without line end, skips a byte order mark, and rejects each message of a batch", async () => {
    const batch = `${JSON.stringify([call(7), call(8)].map((message) => JSON.parse(message)))}\n`;
    const input = `\uFEFF${initialize}${batch}${call(2).trimEnd()}`;
    const { stdout, exitCode } = await playtest(["mcp"], { input, env: await service() });
    const outcomes = parsed(stdout).map(({ id, error }) => [id, error === undefined ? "result" : "error"]);
    expect(outcomes.sort(([a], [b]) => Number(a) - Number(b))).toEqual([
      [1, "result"],
      [2, "result"],
      [7, "error"],
      [8, "error"],
    ]);
    expect(exitCode).toBe(0);
  });

  test.each(["SIGTERM", "SIGINT"] as const)("exits on %s, even during a call", async (signal) => {
    const child = playtest(["mcp"], { stdin: "pipe", env: await service(1_000_000) });
    child.stdin?.write(initialize + call(2));
    await new Promise<void>((resolve) => child.stderr?.once("data", () => resolve()));
    child.kill(signal);
    const { exitCode, stdout } = await child;
    expect(exitCode).toBe(0);
    expect(parsed(stdout).map(({ id }) => id)).toEqual([1]);
  });

  test("exits when its stdout is closed", async () => {
    const child = playtest(["mcp"], { stdin: "pipe", env: await service() });
    child.stdout?.destroy();
    child.stdin?.write(initialize);
    expect((await child).exitCode).toBe(0);
  });

  test("reports a missing key on stderr, with an empty stdout", async () => {
    const { stdout, stderr, exitCode } = await playtest(["mcp"], { input: initialize });
    expect([stdout, exitCode]).toEqual(["", 3]);
    expect(stderr).toMatch(/^error: No service configured/);
  });

  test("returns heatmaps as images", async () => {
    const port = await listening((_request, response) =>
      response.end(JSON.stringify({ ...(responseBodies.getHeatmap as object), applied: { source: "all" } })),
    );
    const env = { PLAYTEST_BASE_URL: `http://127.0.0.1:${port}`, PLAYTEST_KEY: "k" };
    const params = { name: "get_heatmap", arguments: { game: "ember", image: true } };
    const input = initialize + line({ id: 2, method: "tools/call", params });
    const { stdout } = await playtest(["mcp"], { input, env });
    const { content = [] } = (parsed(stdout)[1]?.result ?? {}) as {
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
