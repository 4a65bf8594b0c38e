/** `server start`: log flags, output on stderr, and shutdown. */
import { once } from "node:events";
import { afterEach, expect, it } from "vitest";
import { freshFolder, runCli } from "../../harness.ts";
import { end, endAll, type RealServer, serve } from "../real-server.ts";

afterEach(endAll);

const start = (...flags: string[]) => serve(freshFolder(), "watched", { flags });

const readLogLines = (server: RealServer) =>
  server
    .stderr()
    .trimEnd()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

it("with --log-format json, every line on stderr is JSON without keys", async () => {
  const server = await start("--log-format", "json");
  const headers = { authorization: `Bearer ${server.managementKey}` };
  await fetch(`${server.url}/api/v1/games?key=${server.ingestKey}`, { headers });
  await fetch(`${server.url}/api/webhooks/${server.managementKey}?key=${server.managementKey}`);
  await fetch(`${server.url}/healthz`);
  await end(server.process, "SIGTERM");
  const lines = readLogLines(server);
  expect(lines.map(({ event, endpoint, message }) => endpoint ?? message ?? event)).toEqual([
    "listGames",
    "unknown",
    "Stopped.",
  ]);
  for (const line of lines) expect(line).toMatchObject({ time: expect.any(String), level: "info" });
  for (const key of [server.managementKey ?? "?", server.ingestKey ?? "?"])
    expect(server.stderr()).not.toContain(key);
});

it("--log-level sets the minimum level of lines", async () => {
  const server = await start("--log-format", "json", "--log-level", "error");
  await fetch(`${server.url}/api/v1/games`);
  await end(server.process, "SIGTERM");
  expect(server.stderr()).toBe("");
});

it("does not log requests in text format", async () => {
  const server = await start();
  await fetch(`${server.url}/api/v1/games`);
  await end(server.process, "SIGTERM");
  expect(server.stderr()).toBe("Stopped.\n");
});

it("refuses --log-level without JSON", async () => {
  const { code, err } = await runCli(["server", "start", "--log-level", "debug"]);
  expect([code, err.split("\n")[0]]).toEqual([2, "error: --log-level requires --log-format json"]);
});

it("reports a startup error as a JSON line, with the usual exit code", async () => {
  const flags = ["server", "start", "--database", "/dev/null/x", "--port", "0", "--log-format", "json"];
  const { code, err } = await runCli(flags);
  expect(code).toBe(3);
  expect(JSON.parse(err)).toMatchObject({ level: "error", event: "error", error: { code: "config" } });
});

it("serves metrics with --metrics", async () => {
  const [with_, without] = await Promise.all([start("--metrics"), start()]);
  const text = await (await fetch(`${with_.url}/metrics`)).text();
  expect(text).toContain("playtest_sessions_due 0");
  expect(text).toContain("process_cpu_seconds_total");
  expect((await fetch(`${without.url}/metrics`)).status).toBe(404);
});

it("during the drain delay reports unready, keeps serving, and closes connections", async () => {
  const server = await start("--drain-delay", "3000");
  const headers = { authorization: `Bearer ${server.managementKey}` };
  const ready = () => fetch(`${server.url}/readyz`);
  expect((await ready()).status).toBe(200);
  const exited = once(server.process, "exit");
  server.process.kill("SIGTERM");
  let answer = await ready();
  while (answer.status === 200) answer = await ready();
  expect([answer.status, await answer.json()]).toEqual([503, { status: "unready", reason: "stopping" }]);
  const served = await fetch(`${server.url}/api/v1/games`, { headers });
  expect([served.status, served.headers.get("connection")]).toEqual([200, "close"]);
  const [code] = await exited;
  expect(code).not.toBeNull();
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
});
