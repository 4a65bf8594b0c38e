/**
 * What every client has to do, whatever language it is written in. A player is a small program that plays a scenario with
 * the client, and prints one line for each result: `<name>: <JSON>`.
 *
 * Scenarios: `session`, `crash` (waits until it is killed), `opt-out`, `agree`, `change-mind` (opts out and agrees again),
 * `withdraw` (opts out while requests wait for an answer), `relent` (opts out and agrees again while `linkTester` waits for an answer), `burst`, `full` (with a small queue), `feedback`, `bug`,
 * `flush`, `test-event`, `resume` (starts again after the client stopped), `clock` (the clock of the device changes in play),
 * `hidden` (without the focus), `cost` (prints what calls cost, for bench/clients.ts), `misuse` (calls in the wrong order, and data that contains itself), `config` (ignored and sampled
 * events), `coop` (several actors), `quit` (without ending the session), `frames`, `automatic` (without calling `frame`), `pause` (is frozen for a second without the focus), `variants` (with the experiment as form), `tester` (links a device, with the token as form), `device` (sets the device id). With the variable
 * ASK_FIRST, the client asks for consent first.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { issueKey } from "../../src/server/accounts/keys.ts";
import { requireExperiment } from "../../src/server/experiments/experiment-queries.ts";
import { createExperiment, startExperiment } from "../../src/server/experiments/lifecycle.ts";
import { createForm } from "../../src/server/feedback/forms.ts";
import { requireGame } from "../../src/server/games/game-queries.ts";
import { putEventConfig } from "../../src/server/telemetry/event-config-queries.ts";
import { ensureHandle, issueClaimToken } from "../../src/server/testers/handles.ts";
import { freshFolder } from "../harness.ts";
import { type Behavior, type Gateway, readSessions, type SentEvent, startGateway } from "./gateway.ts";

export interface ClientUnderTest {
  readonly source: string;
  /** The header that names the client, or null where only the body names it. */
  readonly sdk: string;
  /** The command of a player, to which the scenario, URL, key, folder and form are added. */
  command(): Promise<readonly string[]> | readonly string[];
  /** Whether the client learns that the program quits. */
  readonly endsOnQuit: boolean;
  /** Whether the client measures frames on its own. */
  readonly measuresFrames: boolean;
  /** Whether the platform of the client can send compressed bodies. */
  readonly compresses: boolean;
  /** How the client explains that the host of the address does not exist. */
  readonly unknownHost: RegExp;
  env?: (folder: string) => Record<string, string>;
}

interface Run {
  readonly child: ChildProcess;
  /** The lines that the player printed so far. */
  output(): string;
  exited: Promise<number | null>;
}

/** Game data that a line protocol or a careless JSON writer would damage. */
const HARD_TEXT = 'Grüße "quoted" \\ back\nline\ttab 🎮';

const html = (status: number) => ({
  status,
  headers: { "content-type": "text/html" },
  body: "<html>Log in to the hotel network</html>",
});
const json = (status: number, body: object) => ({ status, body: JSON.stringify(body) });

/** The 32-bit FNV-1a hash of a text, at least 0 and below 1. */
function fnv1a(text: string): number {
  let hash = 2166136261n;
  for (const byte of Buffer.from(text)) hash = ((hash ^ BigInt(byte)) * 16777619n) % 2n ** 32n;
  return Number(hash) / 2 ** 32;
}

/** Starts an experiment with the variants `a` and `b`, whose speed is 1 and 2. Returns its id. */
async function addExperiment({ service, gameId }: Gateway): Promise<string> {
  return await service.service.store.writeDb.transaction().execute(async (db) => {
    const game = await requireGame(db, service.accountId, gameId);
    const { id } = await createExperiment(db, service.service, game, {
      name: "Speed",
      variants: ["a", "b"].map((key) => ({ key, name: key, allocation: 50 })),
      config: ["a", "b"].map((variant, at) => ({ variant, key: "speed", value: at + 1 })),
      audienceId: null,
    });
    await startExperiment(db, await requireExperiment(db, service.accountId, id), Date.now());
    return id;
  });
}

const isQueued = (name: string) => /events|feedback|bug/.test(name);

export function describeClient(client: ClientUnderTest): void {
  let gateway: Gateway;
  let folder: string;
  const running: ChildProcess[] = [];
  beforeEach(async () => {
    gateway = await startGateway();
    folder = freshFolder();
    mkdirSync(join(folder, "queue"));
  });
  afterEach(async () => {
    for (const child of running.splice(0)) child.kill("SIGKILL");
    await gateway.stop();
    expect(gateway.service.faults).toEqual([]);
  });

  async function play(
    scenario: string,
    {
      key = gateway.service.keys.ingest,
      url = gateway.url,
      form = "none",
      asksFirst = false,
      variables = {} as Readonly<Record<string, string>>,
    } = {},
  ): Promise<Run> {
    const [program = "", ...args] = await client.command();
    const child = spawn(program, [...args, scenario, url, key, join(folder, "queue"), form], {
      env: {
        ...process.env,
        HOME: folder,
        ASK_FIRST: asksFirst ? "1" : "",
        ...client.env?.(folder),
        ...variables,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.push(child);
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => chunks.push(chunk));
    const exited = once(child, "exit").then(([code]) => code as number | null);
    return { child, output: () => Buffer.concat(chunks).toString(), exited };
  }

  /** Plays a scenario to its end and returns what it printed. */
  async function finish(scenario: string, options = {}): Promise<string> {
    const run = await play(scenario, options);
    const code = await run.exited;
    expect([code, run.output()]).toEqual([0, expect.any(String)]);
    return run.output();
  }

  /** Reads the sessions, and expects that they have each event that was sent exactly once. */
  async function readDelivered() {
    const sent = new Map<string, Map<string, string>>();
    for (const { body, path } of gateway.requests) {
      if (path !== "/api/telemetry") continue;
      const names = sent.get(body.clientSessionId) ?? new Map<string, string>();
      sent.set(body.clientSessionId, names);
      for (const { id, name } of (body.events ?? []) as SentEvent[]) names.set(id, name);
    }
    const counts = [...sent.values()].map((names) => {
      const sum: Record<string, number> = {};
      for (const name of names.values()) sum[name] = (sum[name] ?? 0) + 1;
      return sum;
    });
    const sessions = await readSessions(gateway);
    expect(sessions.map(({ event_counts }) => event_counts)).toEqual(expect.arrayContaining(counts));
    expect(sessions).toHaveLength(counts.length);
    return sessions;
  }

  const sentEvents = () => gateway.requests.flatMap(({ body }) => (body.events ?? []) as SentEvent[]);

  /** Plays until the events of `crash` are in the queue, and kills the player. */
  async function crash(options = {}): Promise<void> {
    const run = await play("crash", options);
    await expect.poll(run.output).toContain("recorded");
    run.child.kill("SIGKILL");
    await run.exited;
  }

  describe("a session", () => {
    it("goes where the environment of the program says, whatever the game sets", async () => {
      const variables = {
        ...{ PLAYTEST_BASE_URL: gateway.url, PLAYTEST_INGEST_KEY: gateway.service.keys.ingest },
        ...{ PLAYTEST_BUILD: "4d1c0de", PLAYTEST_ENVIRONMENT: "ci", PLAYTEST_DEVICE_ID: "run-1" },
      };
      await finish("session", { url: "http://127.0.0.1:9", key: "pt_ik_other", variables });
      const [session] = await readSessions(gateway);
      expect(session).toMatchObject({
        ...{ environment: "ci", deviceId: "run-1" },
        metadata: { gameVersion: "4d1c0de" },
      });
    });

    it("arrives complete, with positions at a rate, heartbeats and the time without focus", async () => {
      await finish("session");
      const [session, ...others] = await readSessions(gateway);
      expect(others).toEqual([]);
      expect(session).toMatchObject({
        source: client.source,
        environment: "playtest",
        status: expect.stringMatching(/processing|analyzed/),
      });
      expect(session.metadata).toMatchObject({ gameVersion: "0.9.0", platform: "test" });
      expect(session.event_counts).toMatchObject({
        session_start: 1,
        player_death: 2,
        focus_lost: 1,
        focus_gained: 1,
        session_summary: 1,
      });
      expect(session.event_counts.session_heartbeat).toBeGreaterThan(0);
      // The player calls position() far more often than it is recorded, and enters a second room.
      expect(session.event_counts.player_pos).toBeGreaterThan(1);
      expect(session.event_counts.player_pos).toBeLessThan(50);
      const summary = sentEvents().find(({ name }) => name === "session_summary")?.data as Record<
        string,
        number
      >;
      expect(summary.wallSec).toBeGreaterThan(30);
      expect(summary.activeSec).toBeLessThan(summary.wallSec ?? 0);
      expect(summary.score).toBe(7);
      const deaths = sentEvents().filter(({ name }) => name === "player_death");
      expect(deaths.map(({ data }) => data)).toEqual([
        { room: "dock", text: HARD_TEXT },
        { room: "dock", count: 2, ratio: 0.5, ok: true, none: null, list: [1, "a"] },
      ]);
      expect(sentEvents().find(({ name }) => name === "player_pos")?.data).toEqual({
        x: 1.5,
        y: -2,
        room: "dock",
      });
      expect(gateway.requests[0]?.headers).toMatchObject({
        "x-playtest-sdk": client.sdk,
        "x-playtest-environment": "playtest",
      });
      expect(readdirSync(join(folder, "queue")).filter(isQueued)).toEqual([]);
    });

    it("is stored once if the answers are lost", async () => {
      gateway.behave("lose-answer", "lose-answer", "forward");
      await finish("session");
      const [session, ...others] = await readSessions(gateway);
      expect(others).toEqual([]);
      expect(session.event_counts).toMatchObject({ session_start: 1, player_death: 2, session_summary: 1 });
    });

    it("is sent again after 429 and 503", async () => {
      gateway.behave({ status: 429, headers: { "retry-after": "1" } }, { status: 503 }, "forward");
      await finish("session");
      const [session] = await readSessions(gateway);
      expect(session.event_counts).toMatchObject({ session_start: 1, player_death: 2, session_summary: 1 });
    });

    it("waits as long as the service asks", async () => {
      gateway.behave({ status: 429, headers: { "retry-after": "60" } }, "forward");
      const output = await finish("burst");
      expect(gateway.requests).toHaveLength(1);
      expect(output).toContain("429");
    });

    const foreignAnswers: Record<string, Behavior[]> = {
      "networks and proxies": [
        html(403),
        html(404),
        html(200),
        html(502),
        { status: 200, body: "" },
        { status: 202, body: '{"sessionId":"sess_1","accepted":', isCut: true },
        { status: 403, body: '{"error":"Forbidden"', isCut: true },
        { status: 302, headers: { location: "http://127.0.0.1:9/login" }, body: "" },
      ],
      "other services": [
        json(403, { message: "Forbidden" }),
        json(404, { errors: [{ error: "Not found" }] }),
        json(200, { ok: true, accepted: 1 }),
        { status: 202, body: `{"accepted":${"[".repeat(100_000)}` },
        { status: 202, body: '{"a":'.repeat(100_000) },
        { status: 403, body: '{"error":[{"a":'.repeat(50_000) },
        { status: 503, body: "x".repeat(5_000_000) },
        { status: 202, body: '{"sessionId":5,"accepted":"many"}' },
      ],
    };
    it.each(Object.entries(foreignAnswers))("survives the answers of %s", async (_name, answers) => {
      gateway.behave(...answers, "forward");
      await finish("session");
      const [session, ...others] = await readDelivered();
      expect(others).toEqual([]);
      expect(session.event_counts).toMatchObject({ session_start: 1, player_death: 2, session_summary: 1 });
      expect(gateway.requests.length).toBeGreaterThan(answers.length);
    });

    it("continues if the service refuses all events of a request", async () => {
      const receipt = { sessionId: null, accepted: 0, duplicates: 0, rejected: [null], warnings: [[null]] };
      gateway.behave(json(202, receipt), "forward");
      await finish("session");
      expect(sentEvents().filter(({ name }) => name === "session_start")).toHaveLength(1);
      const [session] = await readSessions(gateway);
      expect(session.event_counts).toMatchObject({ session_summary: 1 });
      gateway.behave(json(202, receipt));
      expect(await finish("test-event")).toMatch(/result: \{"ok":false.*refused the test event/);
    });

    it("is recorded while the client is stopped, and sent after the next start()", async () => {
      gateway.behave(json(401, { error: "Invalid key" }), "forward");
      const output = await finish("resume");
      expect(output).toContain("stopped: ");
      expect(output).toMatch(/result: \{"ok":false,"queued":true,"message":".*401: Invalid key/);
      const sessions = await readDelivered();
      expect(gateway.requests.filter(({ path }) => path.endsWith("/bug-report"))).toHaveLength(1);
      expect(readdirSync(join(folder, "queue")).filter(isQueued)).toEqual([]);
      expect(sessions.map(({ event_counts }) => event_counts.step)).toEqual([2, 1]);
    });

    it("keeps its times if the clock of the device changes, and reports the difference to the service", async () => {
      gateway.behave("lose-answer", "forward");
      await finish("clock");
      const [, ...requests] = gateway.requests.filter(({ body }) => body.environment === "playtest");
      const offsets = requests.flatMap(({ body }) => body.clockOffsetMs ?? []);
      expect(Math.abs(7_200_000 + offsets[0])).toBeLessThan(3000);
      expect(new Set(offsets).size).toBe(1);
      expect(requests.at(-1)?.body.clockOffsetMs).toBe(offsets[0]);
      const events = sentEvents().filter(({ name }) => name !== "sdk_test_event");
      const versions = new Map<string, Set<string>>();
      for (const event of events)
        versions.set(event.id, (versions.get(event.id) ?? new Set()).add(JSON.stringify(event)));
      expect([...versions.values()].map(({ size }) => size)).toEqual(Array(versions.size).fill(1));
      const { startedAt } = requests[0]?.body ?? {};
      for (const { timestamp } of events) {
        expect(timestamp).toBeGreaterThanOrEqual(startedAt);
        expect(timestamp).toBeLessThan(startedAt + 60_000);
      }
      expect(startedAt).toBeGreaterThan(Date.now() + 7_000_000);
      await readDelivered();
    });

    it("has no heartbeats and no active time without the focus", async () => {
      await finish("hidden");
      const [session] = await readSessions(gateway);
      expect(session.event_counts.session_heartbeat).toBeUndefined();
      const { data } = sentEvents().find(({ name }) => name === "session_summary") ?? {};
      expect(data?.wallSec).toBeGreaterThan(90);
      expect(data?.activeSec).toBeLessThan(30);
    });

    it("has the positions of each actor at a rate of their own, and a third coordinate", async () => {
      const output = await finish("coop");
      const positions = sentEvents().filter(
        ({ name, data }) => name === "player_pos" && data?.room !== "crowd",
      );
      const distinct = new Set(
        positions.map(({ data }) => JSON.stringify(data, Object.keys(data ?? {}).sort())),
      );
      expect([...distinct].map((text) => JSON.parse(text))).toEqual([
        { x: 1.5, y: -2, room: "dock", player: "ann" },
        { x: 3, y: 4, z: 5.5, room: "pier", player: "ben" },
        { x: 6, y: 7, room: "dock" },
        { x: 8, y: 9, z: 10, room: "loft" },
      ]);
      expect(positions.filter(({ data }) => data?.player === "ann").length).toBeLessThan(10);
      expect(sentEvents().filter(({ data }) => data?.room === "crowd")).toHaveLength(61);
      expect(output).toContain("A position was ignored");
      expect(output).toContain('Positions of player "p61" are ignored');
      await readDelivered();
    });

    it("reports frame times by room, in less than 200 bytes each", async () => {
      await finish("frames");
      const reports = sentEvents().filter(({ name }) => name === "performance");
      const none = Array(13).fill(0);
      expect(reports.map(({ data }) => ({ ...data, memoryMb: 0 }))).toEqual([
        {
          room: "a room with a long name!",
          frames: [...none.with(1, 1).with(6, 3600), 0, 1, 1],
          memoryMb: 0,
        },
        { room: "loft", frames: [0, 0, 0, 0, 0, 0, 0, 2], memoryMb: 0, loadMs: 1234 },
      ]);
      expect(reports[0]?.data?.memoryMb).toBeGreaterThan(0);
      for (const report of reports) expect(JSON.stringify(report).length).toBeLessThan(200);
      await readDelivered();
    });

    it.runIf(client.endsOnQuit)("ends and is sent when the program quits, without errors", async () => {
      const output = await finish("quit");
      const [session] = await readDelivered();
      expect(session.event_counts).toEqual({ session_start: 1, step: 1, session_summary: 1 });
      expect(output).not.toMatch(/error|warning|connection/i);
      expect(readdirSync(join(folder, "queue")).filter(isQueued)).toEqual([]);
      for (const behavior of ["hang", "down"] as const) {
        gateway.behave(behavior);
        expect(await finish("quit")).not.toMatch(/error/i);
      }
      gateway.behave("forward");
      await finish("flush");
      expect(await readDelivered()).toHaveLength(3);
    });

    it("has the frame times that the platform measures", async () => {
      await finish("automatic");
      const [session] = await readDelivered();
      expect(session.event_counts.performance).toBe(client.measuresFrames ? 1 : undefined);
    });

    it("does not count a pause as a frame", async () => {
      await finish("pause");
      const frames = sentEvents().flatMap(({ name, data }) => (name === "performance" ? [data?.frames] : []));
      // Under load, a frame may be slow, but none of more than 250 ms is expected.
      for (const counts of frames as number[][]) expect(counts.length).toBeLessThan(16);
      await readDelivered();
    });

    it("leaves out what cannot be recorded, and names it", async () => {
      const output = await finish("misuse");
      const [session] = await readSessions(gateway);
      expect(session.event_counts).toEqual({ session_start: 1, step: 1, session_summary: 1 });
      expect(output.match(/was not recorded because no session is running/g)).toHaveLength(1);
      expect(output).toContain('Event "early" was not recorded');
      expect(output).toContain('Event "loop" was dropped because its data cannot be written');
    });

    it("is split into requests within the limits, without events that are too large", async () => {
      const output = await finish("burst");
      const [session] = await readDelivered();
      expect(session.event_counts).toMatchObject({ step: 4500, session_summary: 1 });
      expect(session.event_counts.huge).toBeUndefined();
      expect(output).toContain('Event "huge" was dropped');
      for (const { bytes, body, headers } of gateway.requests) {
        expect(headers["content-encoding"]).toBe(client.compresses && bytes > 1024 ? "gzip" : undefined);
        expect(body.clockOffsetMs).toBeUndefined();
        expect(bytes).toBeLessThanOrEqual(1024 * 1024);
        expect(body.events.length).toBeLessThanOrEqual(2000);
      }
    });
  });

  describe("the queue", () => {
    it("delivers everything exactly once after a crash without a connection", async () => {
      gateway.behave("down");
      await crash();
      gateway.behave("lose-answer", "forward");
      await finish("session");
      const sessions = await readSessions(gateway);
      expect(sessions.map(({ event_counts }) => event_counts.step ?? 0).sort()).toEqual([0, 100]);
      const crashed = sentEvents().filter(({ name }) => name === "step");
      expect(new Set(crashed.map(({ id }) => id)).size).toBe(100);
    });

    it("continues after a request that a firewall refuses because of its content", async () => {
      gateway.behave("down");
      await crash();
      gateway.behave((body) => (body.includes('"step"') ? html(403) : "forward"));
      await finish("session");
      const [session, ...others] = await readSessions(gateway);
      expect(others).toEqual([]);
      expect(session.event_counts).toMatchObject({ session_start: 1, session_summary: 1 });
      expect(sentEvents().filter(({ name, id }) => name === "step" && id === "2")).toHaveLength(3);
      gateway.behave("forward");
      await finish("session");
      await readDelivered();
    });

    it("drops the oldest events when it is full, and counts them", async () => {
      gateway.behave("down");
      const output = await finish("full");
      expect(output).toContain("The queue is full (600000 bytes)");
      const names = readdirSync(join(folder, "queue")).filter(isQueued);
      const sizes = names.map((name) => statSync(join(folder, "queue", name)).size);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(600_000);
      gateway.behave("forward");
      await finish("flush");
      const [session] = await readSessions(gateway);
      const { step, session_summary } = session.event_counts;
      expect(session_summary).toBe(1);
      // The dropped events are those that are missing: the session began with session_start and 4,500 steps.
      expect(step).toBeGreaterThan(100);
      expect(step + Number(/dropped: (\d+)/.exec(output)?.[1])).toBe(4501);
      const summary = sentEvents().find(({ name }) => name === "session_summary");
      expect(summary?.data?.droppedEvents).toBeGreaterThan(0);
    });

    it("is deleted, and nothing is sent, if the player opts out", async () => {
      gateway.behave("down");
      await crash();
      gateway.behave("forward");
      gateway.requests.splice(0);
      const saves = ["save.dat", "2026-11-28-slot.events", "20261128000000-slot-1.bug"];
      for (const name of saves) writeFileSync(join(folder, "queue", name), "a saved game");
      const output = await finish("opt-out");
      expect(output.match(/result: \{"ok":false,"queued":false/g)).toHaveLength(2);
      expect(gateway.requests).toEqual([]);
      expect(readdirSync(join(folder, "queue")).sort()).toEqual(["consent", ...saves].sort());
      // The choice outlives the run.
      await finish("session");
      expect(gateway.requests).toEqual([]);
    });

    it("is kept if the key is wrong, and sent once the key is right", async () => {
      const output = await finish("session", { key: "pt_ik_wrong" });
      expect(output).toContain("401: Invalid key");
      expect(gateway.requests).toHaveLength(1);
      await finish("session");
      expect(await readSessions(gateway)).toHaveLength(2);
    });
  });

  describe("the choice of the player", () => {
    const sentDevices = () => new Set(gateway.requests.map(({ body }) => body.deviceId));

    it("stores and sends nothing before it in a game that asks first, and is kept afterwards", async () => {
      await finish("session", { asksFirst: true });
      await finish("bug", { asksFirst: true });
      expect(gateway.requests).toEqual([]);
      expect(readdirSync(join(folder, "queue"))).toEqual([]);
      await finish("agree", { asksFirst: true });
      gateway.behave("down");
      await crash({ asksFirst: true });
      gateway.behave("forward");
      await finish("session", { asksFirst: true });
      const sessions = await readSessions(gateway);
      expect(sessions.map(({ event_counts }) => event_counts.step ?? 0).sort()).toEqual([0, 1, 100]);
      expect(sentDevices().size).toBe(1);
    });

    it("is the last one, with a new device id after an opt-out", async () => {
      await finish("agree");
      const [before] = sentDevices();
      gateway.requests.splice(0);
      await finish("change-mind");
      await finish("session", { asksFirst: true });
      const [after, ...others] = sentDevices();
      expect(others).toEqual([]);
      expect(after).toMatch(/^dev_\w+$/);
      expect(after).not.toBe(before);
      expect(await readSessions(gateway)).toHaveLength(3);
    });

    it("cancels all requests that wait for an answer", async () => {
      gateway.behave("hang");
      const run = await play("withdraw");
      await expect.poll(run.output).toContain("withdrawn");
      const names = gateway.requests.map(({ body }) => body.events[0].name).sort();
      expect(names).toEqual(["sdk_test_event", "session_start"]);
      const open = () => gateway.requests.filter(({ isClosed }) => !isClosed);
      await expect.poll(open).toEqual([]);
      await expect.poll(run.output).toContain("the player has not agreed");
    });

    it("cancels the link to a tester, even if the player agrees again before the answer", async () => {
      gateway.behave("hang");
      const output = await finish("relent", { form: "pt_tt_token" });
      expect(output).toMatch(/result: \{"ok":false.*the player has not agreed/);
      expect(readdirSync(join(folder, "queue"))).not.toContain("tester");
    });
  });

  describe("what the service sets", () => {
    const setEvent = async (name: string, flags: { ignored?: boolean; rate?: number }) =>
      await putEventConfig(gateway.service.service.store.writeDb, {
        ...{ game_id: gateway.gameId, name, link_to_summary: 0, hide_from_ai: 0, meaning: null },
        ...{ sdk_ignore: Number(flags.ignored ?? false), sample_rate: flags.rate ?? null },
      });
    const names = Array.from({ length: 20 }, (_, index) => `s${index}`);
    /** The events of the newest session that the hash of the specification selects. */
    const selectHalf = () => {
      const id = gateway.requests.findLast(({ path }) => path === "/api/telemetry")?.body.clientSessionId;
      return names.filter((name) => fnv1a(`${id}/${name}`) < 0.5);
    };
    const countByName = (sessions: { event_counts: Record<string, number> }[]) =>
      sessions.map(({ event_counts }) => event_counts);

    it("decides which events are recorded, also in a session without a connection at its start", async () => {
      await setEvent("noise", { ignored: true });
      for (const name of names) await setEvent(name, { rate: 0.5 });
      await finish("config");
      // Without an earlier config, the first event of a name is recorded, and then all of its session.
      const expected = Object.fromEntries(selectHalf().map((name) => [name, 2]));
      const [first] = countByName(await readDelivered());
      expect(first).toEqual({ ...expected, session_start: 1, noise: 1, s0: 3, session_summary: 1 });
      gateway.behaveToReads("down");
      await finish("config");
      const later = Object.fromEntries(selectHalf().map((name) => [name, name === "s0" ? 3 : 2]));
      const [, second] = countByName(await readDelivered());
      expect(second).toEqual({ ...later, session_start: 1, session_summary: 1 });
      gateway.behaveToReads(html(200));
      await finish("config");
      expect(countByName(await readDelivered())[2]).not.toHaveProperty("noise");
    });

    it("ignores an event only as long as the config says so", async () => {
      await setEvent("noise", { ignored: true });
      await finish("config");
      await setEvent("noise", { ignored: false });
      await finish("config");
      // The config of the first run ignores the first event of the second one.
      expect(countByName(await readDelivered()).map(({ noise }) => noise)).toEqual([1, 1]);
    });

    it("records everything without a config, whatever the answers are", async () => {
      const config = { gameId: gateway.gameId, events: { noise: { sdkIgnore: true } }, experiments: {} };
      const answers = [html(403), json(200, { events: [] }), json(200, { events: 5, experiments: 5 })];
      for (const answer of [...answers, json(202, config)]) {
        gateway.behaveToReads(answer);
        await finish("config");
      }
      for (const counts of countByName(await readDelivered()))
        expect(counts).toMatchObject({ noise: 2, s0: 3, s19: 2 });
    });

    it("gives the device its variant, and counts the session for it from then on", async () => {
      const experiment = await addExperiment(gateway);
      const output = await finish("variants", { form: experiment });
      const variant = /variant: (a|b)/.exec(output)?.[1] ?? "";
      expect(output).toContain(`speed: ${variant === "a" ? 1 : 2}`);
      expect(output).toContain("unknown: none");
      const tags = gateway.requests.map(({ body }) => body.experimentTags?.[experiment]);
      expect([tags[0], tags.at(-1)]).toEqual([undefined, variant]);
      const { deviceId } = gateway.requests[0]?.body ?? {};
      expect(gateway.reads).toContainEqual(expect.stringContaining(`deviceId=${deviceId}`));
      const exposures = await gateway.service.service.store.readDb
        .selectFrom("exposures")
        .select(["experiment_id", "variant_key"])
        .execute();
      expect(exposures).toEqual([{ experiment_id: experiment, variant_key: variant }]);
      gateway.requests.splice(0);
      gateway.behaveToReads("down");
      expect(await finish("variants", { form: experiment })).toContain(`variant: ${variant}`);
    });

    it("links the device to a tester, and unlinks it", async () => {
      const { writeDb } = gateway.service.service.store;
      const handle = await ensureHandle(writeDb, gateway.service.service, gateway.gameId, "mira");
      const token = await issueClaimToken(writeDb, handle);
      const results = (output: string) =>
        [...output.matchAll(/result: (.*)/g)].map(([, result = ""]) => JSON.parse(result));
      expect(results(await finish("tester", { form: token }))).toEqual([
        { ok: true, queued: false, message: "This device is linked to no tester.", handle: null },
        { ok: true, queued: false, message: "This device is linked to mira.", handle: "mira" },
        { ok: true, queued: false, message: "This device is linked to mira.", handle: "mira" },
        { ok: true, queued: false, message: "This device is no longer linked to mira.", handle: null },
        { ok: true, queued: false, message: "This device is linked to no tester.", handle: null },
      ]);
      const [, link] = results(await finish("tester", { form: "pt_tt_unknown" }));
      expect(link).toMatchObject({ ok: false, handle: null, message: expect.stringContaining("404") });
      expect(new Set(gateway.requests.map(({ body }) => body.deviceId)).size).toBe(1);
    });

    it("is the same for a game without an id, whose key is limited to one game", async () => {
      await setEvent("noise", { ignored: true });
      const { store } = gateway.service.service;
      const { accountId } = gateway.service;
      const key = await issueKey(store.writeDb, accountId, "ingest", Date.now(), gateway.gameId);
      await finish("config", { key, variables: { NO_GAME: "1" } });
      expect(gateway.reads).toContain("/api/telemetry/resolve");
      const [counts] = countByName(await readDelivered());
      expect(counts?.noise).toBe(1);
    });
  });

  describe("the device id", () => {
    it("can be read and set, and is sent with every request of a session", async () => {
      const output = await finish("device");
      const [, created] = /created: (dev_\w+)/.exec(output) ?? [];
      expect(output).toContain("set: mira-pc");
      expect(output).toContain("The device id was not set");
      await finish("agree");
      const devices = gateway.requests.map(({ body }) => body.deviceId);
      expect([...new Set(devices)]).toEqual([created, "mira-pc"]);
    });
  });

  describe("feedback and bug reports", () => {
    it("stores answers in the session, and reports the reason of a refusal", async () => {
      const { service, gameId } = gateway;
      const fields = [
        { id: "fun", label: "Fun?", kind: "rating-1-5" },
        { id: "again", label: "Again?", kind: "yes-no" },
      ] as const;
      const form = await createForm(service.service.store.writeDb, service.service, gameId, {
        name: "End",
        fields,
        triggerHint: "session_end",
        active: true,
      });
      const output = await finish("feedback", { form: form.id });
      expect(output).toContain('result: {"ok":true,"queued":false');
      const [session] = await readSessions(gateway);
      expect(session.feedback[0].responses.map(({ value }: { value: unknown }) => value)).toEqual([
        "4",
        "yes",
      ]);
      expect(await finish("feedback", { form: "ff_unknown" })).toMatch(
        /result: \{"ok":false,"queued":false,"message":".*404/,
      );
    });

    it("queues a bug report without a connection", async () => {
      const stored = {
        status: 200,
        body: '{"ok":true,"bugReportId":"bug_1","routingStatus":"stored","idempotent":false}',
      };
      gateway.behave("down");
      expect(await finish("bug")).toContain('result: {"ok":false,"queued":true');
      gateway.behave("forward", json(200, { ok: true }), html(404), stored, "forward");
      await finish("flush");
      expect(readdirSync(join(folder, "queue")).filter(isQueued)).toEqual([]);
      const report = gateway.requests.find(({ path }) => path.endsWith("/bug-report"));
      const [session] = await readSessions(gateway);
      expect(report?.body).toMatchObject({
        title: "Stuck in the dock",
        description: HARD_TEXT,
        severity: "high",
        idempotencyKey: expect.stringMatching(/^\w{16,}$/),
        sessionId: session.id,
        context: { buildVersion: "0.9.0", environment: "playtest", platform: "test" },
      });
    });
  });

  describe("a test event", () => {
    it("reports that the address and the key work", async () => {
      expect(await finish("test-event")).toMatch(/result: \{"ok":true.*The address and the key work/);
      const [session] = await readSessions(gateway);
      expect(session).toMatchObject({ environment: "sdk-test", event_counts: { sdk_test_event: 1 } });
      // A test of the setup is no session of a build.
      const { json: list } = await gateway.service.get("/api/v1/builds/maze?env=all");
      expect(list.items).toEqual([]);
    });

    it("reports a wrong key and an address without a service", async () => {
      expect(await finish("test-event", { key: "pt_ik_wrong" })).toMatch(
        /result: \{"ok":false.*401: Invalid key.*Check the ingest key/,
      );
      const { management } = gateway.service.keys;
      expect(await finish("test-event", { key: management })).toMatch(
        /result: \{"ok":false.*403.*Use an ingest key/,
      );
      expect(await finish("test-event", { url: "http://127.0.0.1:9" })).toMatch(
        /result: \{"ok":false.*No connection to http:\/\/127.0.0.1:9/,
      );
      expect(await finish("test-event", { url: "not a url" })).toMatch(
        /result: \{"ok":false.*must begin with http/,
      );
      expect(await finish("test-event", { url: "http://nohost.invalid" })).toMatch(client.unknownHost);
    });
  });

  it("has no queue without a session", async () => {
    await finish("flush");
    expect(gateway.requests).toEqual([]);
    expect(existsSync(join(folder, "queue"))).toBe(true);
  });
}
