/** The sample game for Godot 3, started as its README says, without a window. It plays by itself. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSessions, startGateway } from "../clients/gateway.ts";
import { freshFolder } from "../harness.ts";
import { requireProgram } from "../require-program.ts";

const start = join(import.meta.dirname, "..", "..", "examples", "godot3", "start.mjs");

test("what is played arrives", async () => {
  await requireProgram("godot3-server", "godot3-server");
  const gateway = await startGateway();
  await gateway.service.addGame("sample");
  const home = freshFolder();
  const game = spawn(process.execPath, [start, "--bot"], {
    env: {
      ...process.env,
      ...{ XDG_DATA_HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home, GODOT: "godot3-server" },
      ...{ PLAYTEST_BASE_URL: gateway.url, PLAYTEST_INGEST_KEY: gateway.service.keys.ingest },
    },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const chunks: Buffer[] = [];
  for (const stream of [game.stdout, game.stderr]) stream.on("data", (chunk) => chunks.push(chunk));
  try {
    const counts = async () => (await readSessions(gateway, "sample"))[0]?.event_counts ?? {};
    await expect.poll(async () => (await counts()).player_pos ?? 0, { timeout: 60_000 }).toBeGreaterThan(20);
    expect(await counts()).toMatchObject({ session_start: 1, level_started: expect.any(Number) });
  } finally {
    if (game.pid !== undefined) process.kill(-game.pid, "SIGKILL");
    await gateway.stop();
  }
  expect(Buffer.concat(chunks).toString()).not.toMatch(/SCRIPT ERROR|Parse Error/);
  expect(gateway.service.faults).toEqual([]);
});
