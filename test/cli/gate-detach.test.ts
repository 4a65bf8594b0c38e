/** gate --detach: CI opens a gate and ends; the service decides it, and sends the verdict to a scripted receiver. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Gate } from "../../src/contract/gates.ts";
import { closeGate, endGate } from "../../src/server/gates/end-gate.ts";
import { findOpenGates, updateOpenGate } from "../../src/server/gates/gate-queries.ts";
import { replayDeliveries } from "../../src/server/notifications/delivery-queries.ts";
import { gateClosed } from "../../src/server/notifications/events.ts";
import { MAX_BODY_LENGTH } from "../../src/server/notifications/limits.ts";
import { deleteWebhook, findWebhooks } from "../../src/server/notifications/notification-queries.ts";
import { createWebhook } from "../../src/server/notifications/webhooks.ts";
import { DAY_MS, HOUR_MS } from "../../src/shared/time-units.ts";
import { type CliOptions, freshFolder, NOW, runCli, startTestService, type TestService } from "../harness.ts";
import { changeSession, sendTelemetry } from "../server/telemetry-helpers.ts";
import { type Receiver, startReceiver, status } from "../webhooks/receiver.ts";

const TOKEN = "ghp_secret0123";
const KEY = Buffer.alloc(32, 7);
const COMMIT = "0123456789abcdef0123456789abcdef01234567";

let service: TestService;
let receiver: Receiver;
let sent = 0;
beforeEach(async () => {
  sent = 0;
  service = await startTestService({ tokenKey: KEY });
  await service.addGame("maze");
  receiver = await startReceiver();
  const { writeDb } = service.service.store;
  const common = { gameId: null, events: ["gate.decided"] } as const;
  await createWebhook(writeDb, service.service, service.accountId, {
    ...{ ...common, url: `http://127.0.0.1:${receiver.port}/repos/studio/maze`, format: "github-status" },
    ...{ name: "github", token: { token: TOKEN, key: KEY } },
  });
});
afterEach(async () => {
  expect(service.faults).toEqual([]);
  await receiver.close();
  await service.stop();
});

const QUIT = ["begin hall", "look hall", "look hall"];
const COMPLETE = ["begin hall", "death hall", "level_completed hall"];

/** Sends a session of each of 20 testers of whom the first ones quit, and analyzes them. Returns their ids. */
async function play(build: string, quits: number, testers = 20) {
  const ids: string[] = [];
  for (let at = 0; at < testers; at += 1) {
    sent += 1;
    const startedAt = NOW - DAY_MS + sent * 1000;
    const id = await sendTelemetry(service, {
      ...{ gameId: "maze", clientSessionId: `s${sent}`, deviceId: `dev-${build}-${at}` },
      ...{ startedAt, sessionEnded: true, sessionMetadata: { gameVersion: build } },
      events: (at < quits ? QUIT : COMPLETE).map((step, n) => {
        const [word = "", room] = step.split(" ");
        return { id: `e${n}`, name: word, timestamp: startedAt + n * (10 + at) * 1000, data: { room } };
      }),
    });
    ids.push(id);
  }
  await service.analysis.drain();
  return ids;
}

const run = (argv: readonly string[], options: CliOptions = {}) =>
  runCli(["gate", ...argv], {
    ...{ service, cwd: freshFolder() },
    env: { PLAYTEST_GAME: "maze", PLAYTEST_CI_KEY: service.keys.ci },
    ...options,
  });
/** Opens a gate, and sends the status of its commit. */
async function open(...argv: string[]) {
  const opened = await run([...argv, "--detach"]);
  await service.deliveries.drain();
  return opened;
}

const list = async (...argv: string[]) => JSON.parse((await run(["list", "--json", ...argv])).out).items;

/** Lets the service look at the open gates, and send what is due. */
async function look(ms = 0) {
  service.clock.now += ms;
  await service.gates.drain();
  await service.deliveries.drain();
}

const statuses = () => receiver.requests.map(({ json }) => json.state);

test("a commit is pending until the testers have played, and then has the verdict", async () => {
  await play("1", 2);
  const opened = await open("previous", "2", "--to", "github", "--commit", COMMIT);
  expect([opened.code, opened.err]).toEqual([0, ""]);
  expect(opened.out).toMatchInlineSnapshot(`
    "Opened the gate of 2 vs previous in maze. The service decides it once at least 5 testers have played, or on 2026-03-08T12:00:00Z, and sends the verdict to github.
    "
  `);
  await look();
  await play("2", 11, 4);
  await look();
  expect(statuses()).toEqual(["pending"]);
  expect(await list()).toMatchObject([
    { state: "open", testers: 4, minTesters: 5, to: "github", answer: null },
  ]);
  await play("2", 11);
  await look();
  const [pending, decided] = receiver.requests;
  expect(pending?.path).toBe(`/repos/studio/maze/statuses/${COMMIT}`);
  expect(pending?.headers.authorization).toBe(`Bearer ${TOKEN}`);
  expect(pending?.headers["webhook-signature"]).toBeUndefined();
  expect([pending?.json, decided?.json]).toMatchInlineSnapshot(`
    [
      {
        "context": "playtest/maze",
        "description": "Waiting for 5 testers of 2",
        "state": "pending",
      },
      {
        "context": "playtest/maze",
        "description": "GATE FAILED: 2 vs 1, 1 of 1 check failed: quit:hall",
        "state": "failure",
      },
    ]
  `);
  const [gate] = await list("--state", "failed");
  expect(gate).toMatchObject({ state: "failed", b: "2", a: "1", commit: COMMIT, decidedAt: NOW });
  expect(gate.answer).toContain("quit:hall");
  // Nothing is decided twice.
  await look(DAY_MS);
  expect(receiver.requests).toHaveLength(2);
});

test("a build that is no worse passes, with the rules of the file and the flags", async () => {
  await play("1", 2);
  await play("2", 11);
  await open("1", "2", "--to", "github", "--commit", COMMIT, "--max-increase", "80");
  await look();
  expect(statuses()).toEqual(["pending", "success"]);
});

test("the verdict is that of the gate which waits in a job", async () => {
  await play("1", 2);
  await play("2", 11);
  const waited = JSON.parse((await run(["1", "2", "--json"])).out);
  const hook = await createWebhook(service.service.store.writeDb, service.service, service.accountId, {
    ...{ gameId: null, events: ["gate.decided"], url: receiver.url, format: "json", name: "ci" },
  });
  await open("1", "2", "--to", "ci");
  await look();
  const { type, data } = receiver.requests[0]?.json ?? {};
  expect(type).toBe("gate.decided");
  expect(data).toMatchObject({
    ...{ game: { slug: "maze" }, gate: { commit: null }, status: "failure", verdict: waited.verdict },
    ...{ a: "1", b: "2", reasons: waited.reasons },
  });
  // Sessions are evidence that belongs to testers.
  const { changes, ...summary } = waited.summary;
  expect(data.summary).toMatchObject(summary);
  expect(data.summary.changes).toEqual(changes.map((change: object) => ({ ...change, sessions: [] })));
  expect(receiver.requests[0]?.headers["webhook-signature"]).toBeDefined();
  expect(hook.token).toBeNull();
});

describe("at the deadline", () => {
  test("too few testers are not enough data, which fails the commit unless the rules say otherwise", async () => {
    await play("1", 2);
    await play("2", 0, 2);
    await open("1", "2", "--to", "github", "--commit", COMMIT, "--wait", "3h");
    const other = COMMIT.replace("0", "f");
    await open("1", "2", "--to", "github", "--commit", other, "--wait", "4h", "--on-inconclusive", "pass");
    await look();
    await look(3 * HOUR_MS - 1);
    expect(statuses()).toEqual(["pending", "pending"]);
    await look(1);
    await look(HOUR_MS);
    expect(statuses()).toEqual(["pending", "pending", "failure", "success"]);
    const [second, first] = await list();
    expect([first.state, second.state]).toEqual(["inconclusive", "inconclusive"]);
    expect(first.answer).toContain("NOT ENOUGH DATA");
  });

  test("a build that nobody played has no build before it", async () => {
    await open("previous", "9", "--to", "github", "--commit", COMMIT, "--wait", "1h");
    await look(HOUR_MS);
    expect(receiver.requests.at(-1)?.json).toEqual({
      ...{ state: "failure", context: "playtest/maze" },
      description: "NOT ENOUGH DATA: there is no build before 9 to compare it with",
    });
  });
});

test("other webhooks that want gates get the verdict too, but no pending status", async () => {
  const other = await startReceiver();
  await createWebhook(service.service.store.writeDb, service.service, service.accountId, {
    ...{ gameId: null, events: ["gate.decided"], url: other.url, format: "slack" },
  });
  await play("1", 2);
  await play("2", 2);
  await open("1", "2", "--to", "github", "--commit", COMMIT);
  await look();
  expect(other.requests.map(({ json }) => json.text)).toEqual([
    expect.stringMatching(/^maze: GATE PASSED: 2 vs 1/),
  ]);
  expect(statuses()).toEqual(["pending", "success"]);
  await other.close();
});

test("the same gate is renewed, with new rules and a new deadline", async () => {
  const again = ["previous", "2", "--to", "github", "--commit", COMMIT];
  const first = JSON.parse((await open(...again, "--json")).out);
  service.clock.now += HOUR_MS;
  const second = JSON.parse((await open(...again, "--json", "--min-testers", "9")).out);
  expect([first.isNew, second.isNew, second.gate.id]).toEqual([true, false, first.gate.id]);
  expect(second.gate).toMatchObject({ minTesters: 9, openedAt: NOW, deadline: NOW + HOUR_MS + 7 * DAY_MS });
  expect(await list()).toHaveLength(1);
});

describe("a verdict that was not delivered", () => {
  const deliveries = async () => (await list()).map(({ delivery }: { delivery: string }) => delivery);
  const replay = async () => {
    const { store } = service.service;
    const [webhook] = await findWebhooks(store.readDb, service.accountId);
    if (!webhook) throw new Error("The webhook is gone");
    return await store.write((db) => replayDeliveries(db, webhook, NOW, service.clock.now));
  };

  test("shows in the list, and a replay sends it, but not the status before", async () => {
    await play("1", 2);
    await open("1", "2", "--to", "github", "--commit", COMMIT);
    expect(await deliveries()).toEqual([null]);
    receiver.reply(status(401));
    await play("2", 11);
    await look();
    expect(await deliveries()).toEqual(["waiting"]);
    await look(DAY_MS);
    expect(await deliveries()).toEqual(["dropped"]);
    receiver.requests.length = 0;
    receiver.reply(status(201));
    expect((await replay()).sent).toEqual({ delivered: 0, dropped: 1, waiting: 0 });
    expect(await deliveries()).toEqual(["waiting"]);
    await look();
    expect(statuses()).toEqual(["failure"]);
    expect(await deliveries()).toEqual(["delivered"]);
  });

  test("shows in the list if its webhook is removed, or another gate of the commit replaces it", async () => {
    const { readDb, writeDb } = service.service.store;
    receiver.reply(status(401));
    await play("1", 2);
    await play("2", 11);
    await open("1", "2", "--to", "github", "--commit", COMMIT);
    await look();
    service.clock.now += 1000;
    await open("1", "2", "--to", "github", "--commit", COMMIT);
    expect(await deliveries()).toEqual([null, "dropped"]);
    await look();
    expect(await deliveries()).toEqual(["waiting", "dropped"]);
    const [webhook] = await findWebhooks(readDb, service.accountId);
    await deleteWebhook(writeDb, service.accountId, webhook?.id ?? "");
    expect(await deliveries()).toEqual(["dropped", "dropped"]);
  });
});

test("a verdict that a server of an earlier version has decided or sent shows as unknown", async () => {
  const { writeDb } = service.service.store;
  await play("1", 2);
  await play("2", 11);
  for (const b of ["2", "1"]) await open(b === "2" ? "1" : "2", b, "--to", "github", "--commit", COMMIT);
  await look();
  // One was decided by such a server, which sends it, and one was only sent by it.
  const [decided] = await list();
  await writeDb.updateTable("gates").set({ delivery: "waiting" }).execute();
  await writeDb.updateTable("gates").set({ delivery: null }).where("id", "=", decided.id).execute();
  await look(DAY_MS);
  expect((await list()).map(({ delivery }: Gate) => delivery)).toEqual([null, "waiting"]);
  await look(2 * HOUR_MS);
  expect((await list()).map(({ delivery }: Gate) => delivery)).toEqual(["unknown", "unknown"]);
  // An event that is still in the outbox waits.
  receiver.reply(status(500));
  const { store } = service.service;
  const [webhook] = await findWebhooks(store.readDb, service.accountId);
  if (!webhook) throw new Error("The webhook is gone");
  await store.write((db) => replayDeliveries(db, webhook, NOW, service.clock.now));
  await look(60_000);
  expect((await list()).map(({ delivery }: Gate) => delivery)).toEqual(["waiting", "waiting"]);
});

test("a verdict that is too large for its receiver shows as dropped", async () => {
  const { store } = service.service;
  const url = receiver.url;
  await createWebhook(store.writeDb, service.service, service.accountId, {
    ...{ gameId: null, events: ["gate.decided"], url, format: "json", name: "team" },
  });
  await open("previous", "2", "--to", "team");
  const [gate] = await findOpenGates(store.readDb, { game_id: "", id: "" }, 1);
  if (!gate) throw new Error("The gate is gone");
  const end = { a: "1", state: "closed", answer: "CLOSED" } as const;
  const answer = "x".repeat(MAX_BODY_LENGTH);
  await store.write((db) =>
    endGate(db, service.service, gate, end, (game) => gateClosed(gate, game, answer)),
  );
  await look();
  expect(await list()).toMatchObject([{ state: "closed", delivery: "dropped" }]);
  expect(receiver.requests).toEqual([]);
});

describe("an operator", () => {
  const close = (id: string) =>
    service.service.store.write((db) => closeGate(db, service.service, service.accountId, id));

  test("closes a gate, whose commit gets an error instead of a verdict", async () => {
    const { gate } = JSON.parse(
      (await open("previous", "2", "--to", "github", "--commit", COMMIT, "--json")).out,
    );
    await close(gate.id);
    await look(8 * DAY_MS);
    expect(receiver.requests.map(({ json }) => json)).toMatchObject([
      { state: "pending", context: "playtest/maze" },
      { state: "error", context: "playtest/maze", description: "CLOSED: by an operator, without a verdict" },
    ]);
    expect(await list("--state", "closed")).toMatchObject([
      { id: gate.id, decidedAt: NOW, answer: expect.stringContaining("CLOSED"), delivery: "delivered" },
    ]);
    await expect(close(gate.id)).rejects.toMatchObject({ code: "conflict" });
    await expect(close("gate_none")).rejects.toMatchObject({ code: "not_found" });
  });

  test("the end of a closed gate is sent to its receiver alone", async () => {
    const other = await startReceiver();
    for (const [name, url] of [
      ["team", receiver.url],
      ["others", other.url],
    ] as const)
      await createWebhook(service.service.store.writeDb, service.service, service.accountId, {
        ...{ gameId: null, events: ["gate.decided"], url, format: "slack", name },
      });
    const { gate } = JSON.parse((await open("previous", "2", "--to", "team", "--json")).out);
    await close(gate.id);
    await look();
    expect(receiver.requests.map(({ json }) => json.text)).toEqual([
      "Gate of 2 CLOSED: by an operator, without a verdict",
    ]);
    expect(other.requests).toEqual([]);
    await other.close();
  });
});

describe("what went wrong meanwhile", () => {
  test("a status that could not be sent does not replace a later one", async () => {
    receiver.reply(status(502), status(201));
    await play("1", 2);
    await open("1", "2", "--to", "github", "--commit", COMMIT);
    await look();
    await play("2", 11);
    await look();
    await look(HOUR_MS);
    expect(statuses()).toEqual(["pending", "failure"]);
  });

  test("another gate of the commit has a status of its own", async () => {
    await play("1", 2);
    await play("2", 11);
    await open("1", "2", "--to", "github", "--commit", COMMIT);
    await open("1", "2", "--to", "github", "--commit", COMMIT, "--env", "all", "--max-increase", "80");
    await look();
    const found = receiver.requests.map(({ json }) => `${json.context}: ${json.state}`);
    expect(found.toSorted()).toEqual([
      ...["playtest/maze all vs 1: pending", "playtest/maze all vs 1: success"],
      ...["playtest/maze vs 1: failure", "playtest/maze vs 1: pending"],
    ]);
  });

  test("a gate goes to the webhook that has the name when it is decided, or says that there is none", async () => {
    const { writeDb, readDb } = service.service.store;
    const [old] = await findWebhooks(readDb, service.accountId);
    await play("1", 2);
    await open("1", "2", "--to", "github", "--commit", COMMIT);
    await look();
    await deleteWebhook(writeDb, service.accountId, old?.id ?? "");
    await createWebhook(writeDb, service.service, service.accountId, {
      ...{ gameId: null, events: ["gate.decided"], url: receiver.url, format: "json", name: "github" },
    });
    await play("2", 11);
    await look();
    expect(receiver.requests.at(-1)).toMatchObject({ path: "/hook", json: { type: "gate.decided" } });
    await open("1", "2", "--to", "github", "--max-increase", "80");
    const [renamed] = await findWebhooks(readDb, service.accountId);
    await deleteWebhook(writeDb, service.accountId, renamed?.id ?? "");
    await look();
    const answers = (await list()).map(({ answer }: { answer: string }) => answer);
    expect(answers).toContainEqual(expect.stringMatching(/\(not sent: there is no receiver github\)$/));
  });

  test("a gate that cannot be judged ends an hour after its deadline", async () => {
    await open("previous", "2", "--to", "github", "--commit", COMMIT, "--wait", "1h");
    await service.service.store.writeDb.updateTable("gates").set({ account_id: "nobody" }).execute();
    await look(HOUR_MS);
    expect(await list()).toMatchObject([{ state: "open" }]);
    expect(service.faults).toHaveLength(2);
    service.faults.length = 0;
    await look(HOUR_MS);
    expect(await list()).toMatchObject([
      {
        state: "inconclusive",
        answer: expect.stringContaining("NO VERDICT: the service could not compare the builds"),
      },
    ]);
    service.faults.length = 0;
  });

  test("a clock that was ahead when the gate was opened does not keep it open", async () => {
    await play("1", 2);
    service.clock.now += 365 * DAY_MS;
    await open("1", "2", "--to", "github", "--commit", COMMIT, "--wait", "1h");
    await look(-365 * DAY_MS);
    expect(await list()).toMatchObject([{ state: "inconclusive" }]);
  });

  test("a gate that is renewed while the service judges it keeps its new rules", async () => {
    await play("1", 2);
    await play("2", 11);
    await open("1", "2", "--to", "github", "--commit", COMMIT);
    const [gate] = await findOpenGates(service.service.store.readDb, { game_id: "", id: "" }, 1);
    await open("1", "2", "--to", "github", "--commit", COMMIT, "--min-testers", "500");
    if (gate === undefined) throw new Error("No gate is open");
    expect(await updateOpenGate(service.service.store.writeDb, gate, { state: "failed" })).toBe(false);
    await look();
    expect(await list()).toMatchObject([{ state: "open", minTesters: 500 }]);
  });
});

test("a gate waits until it would notice a problem, whatever it sees by then", async () => {
  await play("1", 2, 40);
  await open("1", "2", "--to", "github", "--commit", COMMIT);
  await play("2", 5, 5);
  await look();
  expect(await list()).toMatchObject([{ state: "open", testers: 5 }]);
  await play("2", 19, 20);
  await look();
  expect(await list()).toMatchObject([{ state: "failed", testers: 20 }]);
});

test("a gate waits for the analysis, and is judged when it ends without a new tester", async () => {
  await play("1", 2);
  await open("1", "2", "--to", "github", "--commit", COMMIT);
  const waiting = (await play("2", 11)).slice(0, 3);
  for (const id of waiting)
    await changeSession(service, id, {
      status: "pending",
      analysis_due: NOW + DAY_MS,
      ended: 1,
      analysis_attempts: 1,
    });
  await look();
  expect(await list()).toMatchObject([{ state: "open", testers: 20 }]);
  for (const id of waiting) await changeSession(service, id, { status: "analyzed", analysis_due: null });
  await look();
  expect(await list()).toMatchObject([{ state: "failed", testers: 20 }]);
});

test("without a problem to notice, a gate is decided once rows can be judged", async () => {
  await play("1", 2, 3);
  const rules = { newRooms: { count: "all" }, families: ["quits"] };
  const body = { gameId: "maze", a: "1", b: "2", to: "github", commit: COMMIT, rules };
  expect((await service.post("/api/ci/gates", body, { key: service.keys.ci })).status).toBe(200);
  await play("2", 11);
  await look();
  // Too few testers of the baseline: nothing is judged, whatever b shows.
  expect(await list()).toMatchObject([{ state: "open", testers: 20 }]);
  await play("1b", 2);
  await open("1b", "2", "--to", "github", "--commit", COMMIT, "--metrics", "quit");
  await look();
  const states = (await list()).map(({ a, state }: { a: string; state: string }) => `${a} ${state}`);
  expect(states.toSorted()).toEqual(["1 open", "1b failed"]);
});

test("words of testers are in no answer and in no event", async () => {
  await play("1", 0);
  await play("2", 0);
  for (let at = 0; at < 20; at += 1) {
    const sessionId = (await service.get(`/api/v1/sessions?game=maze&build=2&limit=1&offset=${at}`)).json
      .items[0].id;
    const report = { title: "Anna Schmidt lost her save", description: "x", severity: "high", sessionId };
    const sending = { gameId: "maze", playerId: `dev-2-${at}`, idempotencyKey: `k${at}`, ...report };
    expect((await service.post("/api/telemetry/bug-report", sending)).status).toBe(200);
  }
  service.clock.now += HOUR_MS;
  await service.analysis.drain();
  await createWebhook(service.service.store.writeDb, service.service, service.accountId, {
    ...{ gameId: null, events: ["gate.decided"], url: receiver.url, format: "json" },
  });
  await open("1", "2", "--to", "github", "--commit", COMMIT);
  await look();
  const [gate] = await list();
  expect(gate).toMatchObject({ state: "failed", answer: expect.stringContaining("bug-report") });
  expect(`${JSON.stringify(receiver.requests)}${JSON.stringify(gate)}`).not.toMatch(/anna|schmidt/i);
  expect(JSON.stringify(receiver.requests)).not.toContain("sess_");
});

test("a receiver that fails is tried again, and `admin webhooks list` says why", async () => {
  receiver.reply(status(401), status(201));
  await open("previous", "2", "--to", "github", "--commit", COMMIT);
  await look();
  const hooks = () => findWebhooks(service.service.store.readDb, service.accountId);
  expect(await hooks()).toMatchObject([{ pending: 1, last_error: "The receiver returned status 401" }]);
  await look(HOUR_MS);
  expect(await hooks()).toMatchObject([{ pending: 0, delivered: 1, last_error: null }]);
});

test("the token is stored encrypted, and needs the key", async () => {
  const { writeDb, readDb } = service.service.store;
  const [row] = await readDb.selectFrom("webhooks").select(["id", "token"]).execute();
  expect(row?.token).toMatch(/^v1\.[\w-]+$/);
  expect(row?.token).not.toContain(TOKEN);
  // Neither another webhook nor another key can use it.
  await writeDb.updateTable("webhooks").set({ id: "whk_other", name: "moved" }).execute();
  await open("previous", "2", "--to", "moved", "--commit", COMMIT);
  await look();
  expect(receiver.requests).toEqual([]);
  expect(await findWebhooks(readDb, service.accountId)).toMatchObject([
    { last_error: expect.stringMatching(/^The token was stored with another key: start the server with/) },
  ]);
});

describe("refuses", () => {
  test.each([
    [["1", "2"], 2, "--to <receiver>"],
    [["1", "--to", "github"], 2, "the version of the build"],
    [["1", "latest", "--to", "github"], 2, "the version of the build"],
    [["@base.json", "2", "--to", "github"], 2, "does not have the file"],
    [["1", "2", "--to", "github", "--report", "md"], 2, "--report cannot be used with --detach"],
    [["1", "2", "--to", "github", "--sequential", "s.json"], 2, "--sequential cannot be used"],
    [["1", "2", "--to", "github", "--commit", "abc"], 2, "whole hash"],
    [["1", "2", "--to", "github", "--wait", "91d"], 2, "--wait with --detach is at most 90d"],
    [["1", "2", "--to", "nobody"], 44, "a receiver has the event gate.decided"],
    [["2", "2", "--to", "github", "--commit", COMMIT], 40, "another build than b"],
    [["1", "2", "--to", "github"], 2, "The receiver github shows statuses of commits"],
  ])("%j", async (argv, code, message) => {
    await play("1", 0, 1);
    const refused = await open(...argv);
    expect([refused.code, refused.err.replaceAll(/\s+/g, " ")]).toEqual([
      code,
      expect.stringContaining(message),
    ]);
    expect(await list()).toEqual([]);
  });

  test("the merge commit of a pull request, and names the way to the head", async () => {
    const env = { PLAYTEST_GAME: "maze", PLAYTEST_CI_KEY: service.keys.ci, GITHUB_SHA: COMMIT };
    const argv = ["previous", "2", "--detach", "--to", "github"];
    const refused = await run(argv, { env: { ...env, GITHUB_EVENT_NAME: "pull_request" } });
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("pull_request.head.sha")]);
    expect((await run(argv, { env: { ...env, GITHUB_EVENT_NAME: "push" } })).code).toBe(0);
  });

  test("--to and --commit without --detach", async () => {
    expect((await run(["1", "2", "--to", "github"])).err).toContain("--to requires --detach");
  });

  test("what does not exist: builds, receivers, and receivers of other games and accounts", async () => {
    await play("1", 0, 1);
    const other = await service.addGame("other");
    const { writeDb } = service.service.store;
    const target = { events: ["gate.decided"], url: receiver.url, format: "json" } as const;
    await createWebhook(writeDb, service.service, service.accountId, {
      ...target,
      gameId: other,
      name: "bound",
    });
    const foreign = await service.addAccount("others");
    await createWebhook(writeDb, service.service, foreign.accountId, {
      ...target,
      gameId: null,
      name: "theirs",
    });
    for (const [a, to] of [
      ["nosuch", "github"],
      ...["nosuch", "bound", "theirs"].map((name) => ["1", name] as const),
    ])
      expect((await open(String(a), "2", "--to", String(to), "--commit", COMMIT)).code).toBe(44);
    // In a game that registers builds, a version that nobody played is a mistake.
    await service.post("/api/ci/builds", { gameId: "maze", version: "1" }, { key: service.keys.ci });
    expect((await open("1", "2", "--to", "github", "--commit", COMMIT)).code).toBe(44);
    expect(await list()).toEqual([]);
  });

  test("other keys, invalid rules, and more gates than a game may have open", async () => {
    const body = { gameId: "maze", b: "2", to: "github", commit: COMMIT };
    const post = (more: object, key = service.keys.ci) =>
      service.post("/api/ci/gates", { ...body, ...more }, { key });
    for (const key of [service.keys.management, service.keys.ingest])
      expect((await post({}, key)).json).toMatchObject({ requiredScope: "ci" });
    const invalid = await post({ rules: { minTesters: 0, nosuch: 1 } });
    expect([invalid.status, invalid.json.error]).toMatchInlineSnapshot(`
      [
        400,
        "rules.minTesters must be at least 1; rules: Unrecognized key: "nosuch"",
      ]
    `);
    for (let at = 0; at < 200; at += 1) expect((await post({ b: `b${at}` })).status).toBe(200);
    expect((await post({})).json).toMatchObject({ reason: "too_many_gates" });
    expect((await post({ b: "b7" })).json).toMatchObject({ isNew: false });
  });
});

test("the list shows what gates wait for, and what they found", async () => {
  await play("1", 2);
  await play("2", 11);
  await open("1", "2", "--to", "github", "--commit", COMMIT);
  await look();
  await open("previous", "3", "--to", "github", "--commit", COMMIT);
  const { out } = await run(["list"], { tty: true, columns: 100 });
  expect(`\n${out}`).toMatchInlineSnapshot(`
    "
    STATE   BUILD  BASELINE  TESTERS  OPENED    TO      DELIVERY   ANSWER
    ──────  ─────  ────────  ───────  ────────  ──────  ─────────  ─────────────────────────────────────
    failed  2      1              20  just now  github  delivered  GATE FAILED: 2 vs 1, 1 of 1 check fa…
    open    3      previous   0 of 5  just now  github  -          -
    "
  `);
});
