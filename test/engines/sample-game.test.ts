/** The sample game for Godot 3, started as its README says, without a window. It plays by itself. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { gateVerdict } from "../../src/gate/verdict.ts";
import { playtest } from "../cli/program.ts";
import { readSessions, startGateway } from "../clients/gateway.ts";
import { freshFolder } from "../harness.ts";
import { requireProgram } from "../require-program.ts";

const start = join(import.meta.dirname, "..", "..", "examples", "godot3", "start.mjs");

/** Without a window, and with folders of its own. */
function createEnv(): NodeJS.ProcessEnv {
  const home = freshFolder();
  return {
    ...process.env,
    ...{ XDG_DATA_HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home, GODOT: "godot3-server" },
  };
}

test("gate run judges runs of the game that end by themselves, and ends others", async () => {
  await requireProgram("godot3-server", "godot3-server");
  const run = async (seconds: number, ...flags: string[]) => {
    const own = ["gate", "run", "--temporary", "--game", "sample", "--build-version", "b1", "--json"];
    const expected = ["--expect", "level_started", "--expect", "player_pos>=5"];
    const game = [process.execPath, start, "--bot", `--seconds=${seconds}`];
    const argv = [...own, ...expected, ...flags, "--", ...game];
    const { exitCode, stdout } = await playtest(argv, { env: createEnv() });
    return { exitCode, verdict: gateVerdict.parse(JSON.parse(String(stdout))) };
  };
  const file = join(freshFolder(), "baseline.json");
  const ended = await run(4, "--runs", "2", "--save", file);
  expect([ended.exitCode, ended.verdict.reasons]).toEqual([0, []]);
  expect(ended.verdict.b).toMatchObject({ testers: 2, ended: 2, analyzed: 2 });
  const endless = await run(600, "--runs", "1", "--against", `@${file}`, "--run-timeout", "4s");
  expect([endless.exitCode, endless.verdict.reasons]).toEqual([
    10,
    [expect.stringContaining("still running after 4s")],
  ]);
  const { stdout } = await execa("ps", ["-A", "-o", "args="]);
  expect(stdout).not.toContain("--seconds=600");
});

test("what is played arrives", async () => {
  await requireProgram("godot3-server", "godot3-server");
  const gateway = await startGateway();
  await gateway.service.addGame("sample");
  const game = spawn(process.execPath, [start, "--bot"], {
    env: {
      ...createEnv(),
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
