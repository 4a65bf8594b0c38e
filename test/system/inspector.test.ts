/** Both MCP transports with the command line of the MCP inspector, which needs the newer Node from the package `node`. */
import { join } from "node:path";
import { execa } from "execa";
import { beforeAll, describe, expect, test } from "vitest";
import { program, type Ready, startServer } from "../cli/program.ts";
import { createTempFolder } from "./packed.ts";

const INSPECTOR = "2.12.0";

let node: string;
let inspector: string;
beforeAll(async () => {
  const prefix = await createTempFolder();
  const packages = ["node@24", `@modelcontextprotocol/inspector@${INSPECTOR}`];
  // Install scripts are allowed, because the package `node` installs its binary with one.
  await execa("npm", ["install", "--prefix", prefix, "--no-save", ...packages], { cwd: prefix });
  const at = (...parts: string[]) => join(prefix, "node_modules", ...parts);
  node = at("node", "bin", "node");
  inspector = at("@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js");
});

/** Runs the inspector with these arguments in a new home folder, over stdio or HTTP. */
async function inspect(ready: Ready, transport: "stdio" | "http", ...args: string[]) {
  const home = await createTempFolder();
  const key = ready.managementKey ?? "";
  const target =
    transport === "http"
      ? [`${ready.url}/mcp`, "--transport", "http", "--header", `Authorization: Bearer ${key}`, ...args]
      : [
          ...args,
          ...["-e", `PLAYTEST_KEY=${key}`, "-e", `PLAYTEST_BASE_URL=${ready.url}`],
          ...["--", process.execPath, program, "mcp"],
        ];
  const { stdout, stderr, exitCode } = await execa(node, [inspector, "--cli", ...target], {
    cwd: home,
    extendEnv: false,
    reject: false,
    env: { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home },
  });
  let json: Record<string, never> = {};
  try {
    json = JSON.parse(stdout);
  } catch {}
  return { json: json as Record<string, unknown>, stderr, exitCode };
}

describe.each(["stdio", "http"] as const)("the inspector over %s", (transport) => {
  test("lists and calls tools, lists and reads resources, and gets prompts", async () => {
    const { ready } = await startServer(["--demo", "--port", "0"]);
    const ask = (...args: string[]) => inspect(ready, transport, "--method", ...args);

    const listed = await ask("tools/list", "--strict");
    // The inspector reports no schema that clients may not support. A list of types is legal, and half as long as the choice
    // that it prefers for fields that may be null.
    const issues = listed.stderr.match(/(?<=^ *Issue: ).*/gm) ?? [];
    const others = issues.filter((issue) => !issue.startsWith("`type` is an array"));
    expect([listed.exitCode, others]).toEqual([0, []]);
    expect(listed.json.tools).toHaveLength(22);

    const called = await ask(
      "tools/call",
      "--tool-name",
      "compare_builds",
      "--tool-arg",
      "game=ember",
      "a=0.8.0",
      "b=0.9.0",
    );
    expect(called.exitCode).toBe(0);
    expect(called.json).toMatchObject({
      content: [{ type: "text", text: expect.stringContaining("<playtest-data>") }],
      structuredContent: { buildA: { version: "0.8.0" }, buildB: { version: "0.9.0" } },
    });

    const missing = await ask("tools/call", "--tool-name", "get_game", "--tool-arg", "id=nosuch");
    expect(missing.json).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("status: 404") }],
    });

    const { json: listing } = await ask("resources/list");
    expect(listing.resources).toContainEqual(expect.objectContaining({ uri: "playtest://games/ember" }));
    const { json: game } = await ask("resources/read", "--uri", "playtest://games/ember");
    expect(game.contents).toEqual([
      expect.objectContaining({ text: expect.stringContaining("Ember Hollow") }),
    ]);

    const { json: prompt } = await ask(
      "prompts/get",
      "--prompt-name",
      "weekly_digest",
      "--prompt-args",
      "game=ember",
    );
    expect(JSON.stringify(prompt.messages)).toContain("list_insights");
  });
});
