/** The command line killed at any moment of what it writes: telemetry is stored once, and every file of its own is whole. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listen } from "../../src/server/http/listen.ts";
import { playtest } from "../cli/program.ts";
import { freshFolder, startTestService, type TestService } from "../harness.ts";
import fc from "../property.ts";
import { killedAt, type Moment } from "./killed.ts";

const KILLS = process.env.PLAYTEST_FAULTS === "long" ? 200 : 6;

const { seed } = fc.readConfigureGlobal();
console.info(`Moments of kills by PLAYTEST_SEED=${seed}`);
/** Shares of a run's time, from 0 to 1. */
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

/** A file of telemetry, a line a session, of a build of its own. */
function recording(cwd: string, build: string): string {
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
  writeFileSync(join(cwd, "play.ndjson"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return build;
}

const envIn = (home: string) => ({
  HOME: home,
  XDG_CONFIG_HOME: home,
  XDG_STATE_HOME: home,
  PLAYTEST_BASE_URL: served.url,
  PLAYTEST_KEY: service.keys.management,
  PLAYTEST_INGEST_KEY: service.keys.ingest,
});

const ingest = (cwd: string) =>
  playtest(["ingest", "telemetry", "play.ndjson", "--json"], { cwd, env: envIn(cwd) });

test(
  "ingest telemetry, killed and run again, stores each event once",
  async () => {
    const calm = freshFolder();
    recording(calm, "calm");
    const started = performance.now();
    expect((await ingest(calm)).exitCode).toBe(0);
    const whole = performance.now() - started;
    let cut = 0;
    for (const [nth, moment] of moments.entries()) {
      const cwd = freshFolder();
      const build = recording(cwd, `killed-${nth}`);
      const child = ingest(cwd);
      await sleep(moment * whole);
      child.kill("SIGKILL");
      if ((await child).signal === "SIGKILL") cut += 1;
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
    expect(cut).toBeGreaterThan(0);
  },
  60_000 + KILLS * 5000,
);

/** The files below a folder with their modes; each must be JSON, whole. */
function wholeFiles(folder: string): { name: string; mode: string }[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => {
      const path = join(folder, name);
      expect(() => JSON.parse(readFileSync(path, "utf8"))).not.toThrow();
      return { name, mode: (statSync(path).mode & 0o777).toString(8) };
    });
}

/** Runs a line and kills it. */
const killed = async (argv: string[], home: string, when: Moment, input = "") =>
  await killedAt(playtest(argv, { env: envIn(home), input }), when);

describe("settings, keys and names, killed while they are written, are whole and their owner's alone", () => {
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
        env: envIn(home),
        input: `${service.keys.management}\n`,
      });
      expect(first.exitCode).toBe(0);
      const started = performance.now();
      await playtest(["config", "set", "tz", "Europe/Berlin"], { env: envIn(home) });
      const whole = performance.now() - started;
      let cut = 0;
      for (const [nth, moment] of moments.entries()) {
        const [argv = [], input] = lines(nth)[nth % 5] ?? [];
        const when =
          nth % 2 === 0 ? { folder, event: 1 + Math.floor(moment * 3) } : { ms: (0.5 + moment / 2) * whole };
        if ((await killed([...argv], home, when, input)).signal === "SIGKILL") cut += 1;
        expect(wholeFiles(folder)).toEqual([{ name: "config.json", mode: "600" }]);
        const { profiles } = JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));
        expect([nth, profiles.default.keys.management.key, profiles.default.tz]).toEqual([
          nth,
          service.keys.management,
          "Europe/Berlin",
        ]);
      }
      expect(cut).toBeGreaterThan(0);
      // What was left half done is in nobody's way.
      expect((await playtest(["config", "set", "game", "ember"], { env: envIn(home) })).exitCode).toBe(0);
      for (const name of readdirSync(folder))
        expect([name, statSync(join(folder, name)).mode & 0o077]).toEqual([name, 0]);
    },
    60_000 + KILLS * 5000,
  );

  test(
    "what completions know",
    async () => {
      const home = freshFolder();
      const folder = join(home, "playtest", "completion");
      mkdirSync(folder, { recursive: true });
      let cut = 0;
      for (const [nth, moment] of moments.entries()) {
        const when = { folder, event: 1 + Math.floor(moment * 4) };
        const line = nth % 2 === 0 ? ["games", "list"] : ["sessions", "list"];
        if ((await killed(line, home, when)).signal === "SIGKILL") cut += 1;
        for (const { mode } of wholeFiles(folder)) expect(mode).toBe("600");
      }
      expect(cut).toBeGreaterThan(0);
      expect((await playtest(["games", "list"], { env: envIn(home) })).exitCode).toBe(0);
      expect(wholeFiles(folder)).toHaveLength(1);
    },
    60_000 + KILLS * 5000,
  );
});
