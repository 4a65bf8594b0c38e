/**
 * Two servers of the version before the newest migration are replaced one by one under load: every acknowledged event is
 * stored once, and the answers are those of a database that only the new version has written.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { freshFolder } from "../harness.ts";
import { end, endAll, type RealServer, serve } from "../server/real-server.ts";
import { runOn, withDatabase } from "./nodes.ts";
import { type OwnPostgres, startOwnPostgres } from "./server.ts";

const root = join(import.meta.dirname, "..", "..");
const MIGRATIONS = "src/server/db/migrations";
const SESSIONS = 48;
/** Requests of each session, and events of a request. */
const BODIES = 10;
const EVENTS = 20;
const LANES = 6;

let postgres: OwnPostgres;
/** A checkout of the last change of migrations before the newest one, built with the packages of this one. */
let old: string;

beforeAll(async () => {
  const listMigrations = (names: readonly string[]) => names.filter((name) => /^\d/.test(name));
  const newest = listMigrations(readdirSync(join(root, MIGRATIONS)));
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const isBefore = (commit: string) => {
    const names = listMigrations(git("ls-tree", "--name-only", `${commit}:${MIGRATIONS}`).split("\n"));
    return names.length < newest.length && names.every((name) => newest.includes(name));
  };
  const before = git("log", "--format=%H", "--", MIGRATIONS).split("\n").find(isBefore) ?? "";
  old = mkdtempSync(join(tmpdir(), "playtest-old-"));
  git("worktree", "add", "--detach", "--force", old, before);
  symlinkSync(join(root, "node_modules"), join(old, "node_modules"));
  execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: old });
  postgres = await startOwnPostgres();
});
afterEach(endAll);
afterAll(async () => {
  await postgres.stop();
  rmSync(old, { recursive: true, force: true });
  execFileSync("git", ["worktree", "prune"], { cwd: root });
});

/** The request `at` of a session. Each repeats the last event of the request before. */
function createBody(session: number, at: number) {
  const first = at * (EVENTS - 1);
  return {
    gameId: "maze",
    clientSessionId: `session-${session}`,
    deviceId: `device-${session % 16}`,
    sessionMetadata: { gameVersion: `1.${session % 2}` },
    source: "unity-telemetry",
    sessionEnded: at === BODIES - 1,
    events: Array.from({ length: EVENTS }, (_, n) => first + n).map((n) => ({
      id: `${session}-${n}`,
      name: ["player_pos", "player_pos", "fail", "succeed", "checkpoint"][n % 5],
      timestamp: Date.UTC(2026, 2, 1) + session * 3_600_000 + n * 1500,
      data: { x: n, y: n % 30, room: `room-${Math.floor(n / 40)}` },
    })),
  };
}
const EVENTS_OF_SESSION = BODIES * (EVENTS - 1) + 1;

/** Sends every session to the servers in turn, and repeats what gets no answer. Returns what servers have acknowledged. */
async function send(
  servers: readonly RealServer[],
  key: string,
  onProgress: (share: number) => Promise<void>,
) {
  let turn = 0;
  let sent = 0;
  let accepted = 0;
  const post = async (body: object) => {
    for (;;) {
      const target = servers[turn++ % servers.length];
      const answer = await fetch(`${target?.url}/api/telemetry`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      }).catch(() => null);
      const receipt = (await answer?.json().catch(() => null)) as { accepted: number } | null | undefined;
      if (answer?.status === 202 && receipt) {
        accepted += receipt.accepted;
        return;
      }
      expect([503, undefined]).toContain(answer?.status);
      await sleep(20);
    }
  };
  let next = 0;
  const lane = async () => {
    for (let session = next++; session < SESSIONS; session = next++)
      for (let at = 0; at < BODIES; at += 1) {
        await post(createBody(session, at));
        await onProgress(++sent / (SESSIONS * BODIES));
      }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return accepted;
}

/** Removes ids and times, and the order of lists, which follows them. */
function withoutTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => JSON.stringify(withoutTimes(item))).sort();
  if (typeof value === "number") return value > Date.UTC(2020) ? null : value;
  if (typeof value === "string") return value.replace(/^[a-z]+_[0-9a-f]{24}$/, "an id");
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withoutTimes(field)]));
}

/** The answers about the game that do not depend on when a server received what it stored. */
async function readAnswers({ url }: RealServer, key: string) {
  const read = async (path: string) => {
    const answer = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } });
    const json = (await answer.json()) as Record<string, unknown>;
    expect([path, answer.status, json.error]).toEqual([path, 200, undefined]);
    return json;
  };
  while (((await read("/sessions?status=analyzed&limit=1")) as { total: number }).total < SESSIONS)
    await sleep(50);
  const paths = [
    ...[
      "/events/maze?limit=100",
      "/builds/maze",
      "/builds/maze/1.0",
      "/builds/maze/1.1",
      "/testers/maze?limit=100",
    ],
    ...["/builds/compare?game=maze&a=1.0&b=1.1", "/heatmaps/maze", "/sessions?limit=100"],
  ];
  const answers = await Promise.all(paths.map(read));
  return paths.map((path, at) => [path, withoutTimes(answers[at])]);
}

it("loses nothing, and needs no recount", async () => {
  const folder = freshFolder();
  const database = async (name: string) => {
    await runOn(postgres.url, `create database ${name}`);
    return withDatabase(postgres.url, name);
  };
  const rolled = ["--database", await database("rolled"), "--budgets", "off"];
  const program = join(old, "bin", "playtest.js");
  const first = await serve(folder, "old-1", { flags: rolled, program });
  const second = await serve(folder, "old-2", { flags: rolled, program });
  const [ingestKey, managementKey] = [first.ingestKey ?? "", first.managementKey ?? ""];

  const servers = [first, second];
  const schema = () => runOn(rolled[1] ?? "", "select count(*)::int as n from kysely_migration");
  const before = (await schema()).rows[0].n as number;
  /** At these shares of the load: a new server joins and migrates, an old one leaves, and so on. */
  const steps: readonly (readonly [share: number, step: () => Promise<void>])[] = [
    [0.2, async () => void servers.push(await serve(folder, "new-1", { flags: rolled }))],
    [0.5, async () => void (await end(servers.shift()?.process as RealServer["process"], "SIGTERM"))],
    [0.6, async () => void servers.push(await serve(folder, "new-2", { flags: rolled }))],
    [0.8, async () => void (await end(servers.shift()?.process as RealServer["process"], "SIGTERM"))],
  ];
  let taken = 0;
  const accepted = await send(servers, ingestKey, async (share) => {
    const [due, step] = steps[taken] ?? [2];
    if (share < due) return;
    taken += 1;
    await step?.();
  });
  expect(taken).toBe(steps.length);
  expect((await schema()).rows[0].n).toBeGreaterThan(before);
  expect(accepted).toBe(SESSIONS * EVENTS_OF_SESSION);

  const fresh = await serve(folder, "fresh", {
    flags: ["--database", await database("fresh"), "--budgets", "off"],
  });
  await send([fresh], fresh.ingestKey ?? "", async () => {});
  const answers = await readAnswers(servers[0] as RealServer, managementKey);
  expect(answers).toEqual(await readAnswers(fresh, fresh.managementKey ?? ""));
});
