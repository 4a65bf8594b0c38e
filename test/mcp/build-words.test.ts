/** Tools accept `latest` and `previous` wherever they name a build. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDemo } from "../cli/demo.ts";
import type { TestService } from "../harness.ts";
import { callTool, connect, textOf } from "./connect.ts";

let service: TestService;
beforeAll(async () => {
  service = await startDemo("studio");
});
afterAll(() => service.stop());

const ask = async (tool: string, args: Record<string, unknown>) => {
  const { client } = await connect(service);
  return textOf(await callTool(client, tool, { game: "ember", ...args }));
};

test.each([
  ["get_build_summary", { version: "latest" }, { version: "0.9.0" }],
  ["get_build_summary", { version: "previous" }, { version: "0.8.0" }],
  ["compare_builds", { a: "previous", b: "latest" }, { a: "0.8.0", b: "0.9.0" }],
  ["compare_builds", { a: "previous", b: "0.8.0" }, { a: "0.7.5", b: "0.8.0" }],
  ["list_sessions", { build: "latest", env: "production" }, { build: "0.9.0", env: "production" }],
  ["get_status", { build: "previous" }, { build: "0.8.0" }],
])("%s with %j answers as with versions", async (tool, words, versions) => {
  expect(await ask(tool, words)).toBe(await ask(tool, versions));
});

test.each(["list_sessions", "list_insights", "get_heatmap", "get_event_counts"])(
  "%s names a build that does not exist",
  async (tool) => {
    const { client } = await connect(service);
    const result = await callTool(client, tool, { game: "ember", build: "nope" });
    expect(textOf(result)).toContain('message: "No build nope in ember"');
    expect(textOf(result)).toMatch(/list_builds|list_sessions/);
    expect(result.isError).toBe(true);
  },
);

test("a build that exists may have nothing of what a call asks for", async () => {
  const text = await ask("list_insights", { build: "0.9.0", from: 4_102_444_800_000 });
  expect(text).toContain("total: 0");
});

test("an environment without such a build is an error that names it", async () => {
  expect(await ask("get_build_suggestions", { a: "previous", b: "latest", env: "staging" })).toContain(
    "no previous build",
  );
});
