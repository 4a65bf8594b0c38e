/** The order of steps in docs/host/install.md: keys that exist before the first start appear in no log. */
import { expect, test } from "vitest";
import { playtest } from "../cli/program.ts";
import { freshFolder } from "../harness.ts";

test("a server whose keys were created before its first start logs no key, and accepts these keys", async () => {
  const home = freshFolder();
  const env = { HOME: home, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home };
  const create = async (...argv: string[]) => {
    const { exitCode, stdout, stderr } = await playtest([...argv, "--json"], { env });
    expect([exitCode, stderr]).toEqual([0, stderr]);
    return JSON.parse(String(stdout));
  };
  await create("admin", "games", "create", "ember");
  const management = await create("admin", "keys", "rotate");
  const ingest = await create("admin", "keys", "create");

  const server = playtest(["server", "start", "--port", "0", "--log-format", "json"], { env });
  const [announcement] = await new Promise<string[]>((resolve) => {
    server.stdout?.once("data", (chunk) => resolve([String(chunk)]));
  });
  const [url = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(announcement ?? "") ?? [];
  const bearer = (key: string) => ({ authorization: `Bearer ${key}`, "content-type": "application/json" });
  expect((await fetch(`${url}/api/v1/games/ember`, { headers: bearer(management.key) })).status).toBe(200);
  const events = [{ id: "e1", name: "jump", timestamp: Date.now() }];
  const sent = await fetch(`${url}/api/telemetry`, {
    method: "POST",
    headers: bearer(ingest.key),
    body: JSON.stringify({ gameId: "ember", clientSessionId: "one", events }),
  });
  expect(sent.status).toBe(202);
  server.kill("SIGTERM");
  const { exitCode, stdout, stderr } = await server;
  expect(exitCode).toBe(0);
  expect(`${stdout}\n${stderr}`).toContain('"endpoint":"sendTelemetry"');
  expect(`${stdout}\n${stderr}`).not.toMatch(/pt_\w+_/);
});
