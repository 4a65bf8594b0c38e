/** Kills the command line while it writes: telemetry is stored once, and its own files are complete. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listen } from "../../src/server/http/listen.ts";
import { playtest } from "../cli/program.ts";
import { freshFolder, startTestService, type TestService } from "../harness.ts";
import fc from "../property.ts";
import { killAt, type Moment } from "./kill-process.ts";

const KILLS = process.env.PLAYTEST_FAULTS === "long" ? 200 : 6;

const { seed } = fc.readConfigureGlobal();
console.info(`Kills at random moments, PLAYTEST_SEED=${seed}`);
/** Moments of the kills, as fractions of the duration of a run. */
const moments = fc.sample(fc.double({ min: 0, max: 1, noNaN: true }), KILLS);

let service: TestService;
let served: { url: string; close(): Promise<void> };
beforeAll(async () => {
  service = await startTestService();
  await service.addGame("ember");
  served = await listen(service.app, { host: "127.0.0.1", port: 0 });
});
afterAll(async () => {
  await served.close();
  await service.stop();
});

const SESSIONS = 30;
const EVENTS = 20;

/** Writes a telemetry file of one build, with one line per session. */
function writeTelemetryFile(cwd: string, build: string): string {
  const lines = Array.from({ length: SESSIONS }, (_, nth) => ({
    gameId: "ember",
    clientSessionId: `${build}-${nth}`,
    sessionMetadata: { gameVersion: build, platform: "linux" },
    sessionEnded: true,
    events: Array.from({ length: EVENTS }, (_, at) => ({
      id: `e${at}`,
      name: "jump",
      timestamp: service.clock.now + at,
    })),
  }));
  writeFileSync(join(cwd, "telemetry.ndjson"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return build;
}

const createEnv = (home: string) => ({
  HOME: home,
  XDG_CONFIG_HOME: home,
  XDG_STATE_HOME: home,
  PLAYTEST_BASE_URL: served.url,
  PLAYTEST_KEY: service.keys.management,
  PLAYTEST_INGEST_KEY: service.keys.ingest,
});

const ingest = (cwd: string) =>
  playtest(["ingest", "telemetry", "telemetry.ndjson", "--json"], { cwd, env: createEnv(cwd) });

test(
  "ingest telemetry stores each event once when it is killed and run again",
  async () => {
    const undisturbed = freshFolder();
    writeTelemetryFile(undisturbed, "undisturbed");
    const started = performance.now();
    expect((await ingest(undisturbed)).exitCode).toBe(0);
    const durationMs = performance.now() - started;
    let kills = 0;
    for (const [nth, moment] of moments.entries()) {
      const cwd = freshFolder();
      const build = writeTelemetryFile(cwd, `killed-${nth}`);
      const child = ingest(cwd);
      await sleep(moment * durationMs);
      child.kill("SIGKILL");
      if ((await child).signal === "SIGKILL") kills += 1;
      const rerun = await ingest(cwd);
      expect([rerun.exitCode, JSON.parse(String(rerun.stdout))]).toEqual([
        0,
        expect.objectContaining({ rejected: 0, badLines: 0 }),
      ]);
      const { json } = await service.get(`/api/v1/events/ember?build=${build}`);
      expect([build, json.sessionCount, json.total]).toEqual([build, SESSIONS, SESSIONS * EVENTS]);
      expect(readdirSync(join(cwd, "playtest", "ingest")).filter((name) => name.endsWith(".json"))).toEqual(
        [],
      );
    }
    expect(kills).toBeGreaterThan(0);
  },
  60_000 + KILLS * 5000,
);

/** Returns the JSON files in a folder with their modes. Throws if one of them is not valid JSON. */
function readJsonFiles(folder: string): { name: string; mode: string }[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => {
      const path = join(folder, name);
      expect(() => JSON.parse(readFileSync(path, "utf8"))).not.toThrow();
      return { name, mode: (statSync(path).mode & 0o777).toString(8) };
    });
}

/** Runs a command line and kills it. */
const runAndKill = async (argv: string[], home: string, moment: Moment, input = "") =>
  await killAt(playtest(argv, { env: createEnv(home), input }), moment);

describe("files of the command line are complete and private after a kill", () => {
  const lines = (nth: number): readonly (readonly [argv: string[], input: string])[] => [
    [["config", "set", "game", `game-${nth}`], ""],
    [["login", "--base-url", served.url], `${service.keys.management}\n`],
    [["login", "--profile", `p${nth}`, "--base-url", served.url], `${service.keys.management}\n`],
    [["config", "unset", "game"], ""],
    [["logout", "--profile", `p${nth}`], ""],
  ];

  test(
    "config.json",
    async () => {
      const home = freshFolder();
      const folder = join(home, "playtest");
      const first = await playtest(["login", "--base-url", served.url], {
        env: createEnv(home),
        input: `${service.keys.management}\n`,
      });
      expect(first.exitCode).toBe(0);
      const started = performance.now();
      await playtest(["config", "set", "tz", "Europe/Berlin"], { env: createEnv(home) });
      const durationMs = performance.now() - started;
      let kills = 0;
      for (const [nth, moment] of moments.entries()) {
        const [argv = [], input] = lines(nth)[nth % 5] ?? [];
        const when =
          nth % 2 === 0
            ? { folder, event: 1 + Math.floor(moment * 3) }
            : { ms: (0.5 + moment / 2) * durationMs };
        if ((await runAndKill([...argv], home, when, input)).signal === "SIGKILL") kills += 1;
        expect(readJsonFiles(folder)).toEqual([{ name: "config.json", mode: "600" }]);
        const { profiles } = JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));
        expect([nth, profiles.default.keys.management.key, profiles.default.tz]).toEqual([
          nth,
          service.keys.management,
          "Europe/Berlin",
        ]);
      }
      expect(kills).toBeGreaterThan(0);
      // Temporary files of killed commands do not get in the way.
      expect((await playtest(["config", "set", "game", "ember"], { env: createEnv(home) })).exitCode).toBe(0);
      for (const name of readdirSync(folder))
        expect([name, statSync(join(folder, name)).mode & 0o077]).toEqual([name, 0]);
    },
    60_000 + KILLS * 5000,
  );

  test(
    "the cache of completions",
    async () => {
      const home = freshFolder();
      const folder = join(home, "playtest", "completion");
      mkdirSync(folder, { recursive: true });
      let kills = 0;
      for (const [nth, moment] of moments.entries()) {
        const when = { folder, event: 1 + Math.floor(moment * 4) };
        const line = nth % 2 === 0 ? ["games", "list"] : ["sessions", "list"];
        if ((await runAndKill(line, home, when)).signal === "SIGKILL") kills += 1;
        for (const { mode } of readJsonFiles(folder)) expect(mode).toBe("600");
      }
      expect(kills).toBeGreaterThan(0);
      expect((await playtest(["games", "list"], { env: createEnv(home) })).exitCode).toBe(0);
      expect(readJsonFiles(folder)).toHaveLength(1);
    },
    60_000 + KILLS * 5000,
  );
});
