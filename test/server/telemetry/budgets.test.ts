/** Budgets per day: what a key and a game accept, what one address may use, and what is kept for known devices. */
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createKey, hashKey } from "../../../src/server/accounts/keys.ts";
import {
  type Subject,
  setLimit,
  toGameSubject,
  toKeySubject,
} from "../../../src/server/db/budgets/budget-queries.ts";
import type { BudgetName } from "../../../src/server/db/budgets/definitions.ts";
import { createForm } from "../../../src/server/feedback/forms.ts";
import { DAY_MS, HOUR_MS } from "../../../src/shared/time-units.ts";
import { type Answer, freshFolder, NOW, send, startTestService, type TestService } from "../../harness.ts";
import fc, { times } from "../../property.ts";

let service: TestService;
let game: Subject;
beforeEach(async () => {
  service = await startTestService();
  game = toGameSubject(await service.addGame("ember"));
});
afterEach(async () => {
  await service.stop();
  expect(service.faults).toEqual([]);
});

const limit = (budget: BudgetName, max: number | null, subject = game) =>
  setLimit(service.service.store.writeDb, subject, budget, max);

let next = 0;
const createEvents = (count: number, name = "jump") =>
  Array.from({ length: count }, () => ({ id: `e${next++}`, name, timestamp: NOW }));

interface Sending {
  readonly address?: string;
  readonly path?: string;
  readonly key?: string;
}

const post = (
  body: object,
  { address = "192.0.2.1", path = "/api/telemetry", key }: Sending = {},
): Promise<Answer> =>
  send(
    service.app,
    path,
    {
      method: "POST",
      headers: {
        authorization: `Bearer ${key ?? service.keys.ingest}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ gameId: "ember", ...body }),
    },
    address,
  );

const createReport = (idempotencyKey: string) => ({
  title: "A door",
  description: "It is stuck.",
  idempotencyKey,
});

const report = (idempotencyKey: string, sending: Sending = {}) =>
  post(createReport(idempotencyKey), { path: "/api/telemetry/bug-report", ...sending });

/** Adds a form, and returns a function that answers it in a new session. */
async function prepareForm() {
  const { writeDb } = service.service.store;
  const { id } = (await service.get("/api/v1/games/ember")).json.game;
  const { id: formId } = await createForm(writeDb, service.service, id, {
    ...{ name: "Survey", triggerHint: "end", active: true },
    fields: [{ id: "why", label: "Why?", kind: "long-text" }],
  });
  const { json } = await post({ deviceId: "asked", events: createEvents(1) });
  return (requestId: string, value = "It was dark.") =>
    post(
      {
        ...{ requestId, formId, sessionId: json.sessionId },
        responses: [{ fieldId: "why", value }],
      },
      { path: "/api/telemetry/feedback" },
    );
}

/** An address of its own for each number. */
const toAddress = (n: number) => `198.51.100.${n}`;

const readUsed = async (subject = game) => {
  await service.service.budgets.drain();
  const rows = await service.service.store.readDb
    .selectFrom("budget_uses")
    .select(["budget", "used"])
    .where("subject", "=", subject)
    .execute();
  return Object.fromEntries(rows.map(({ budget, used }) => [budget, used]));
};

const countRows = async (table: "sessions" | "bug_reports" | "feedback_submissions" | "event_batches") =>
  (await service.service.store.readDb.selectFrom(table).selectAll().execute()).length;

it("count what was stored, for the game and the key", async () => {
  const body = { clientSessionId: "one", deviceId: "d1", events: createEvents(3) };
  const more = { ...body, events: [...body.events, ...createEvents(1)] };
  const sizes = [body, more, createReport("k1")].map((sent) =>
    Buffer.byteLength(JSON.stringify({ gameId: "ember", ...sent })),
  );
  expect((await post(body)).json).toMatchObject({ accepted: 3 });
  expect((await post(body)).json).toMatchObject({ accepted: 0, duplicates: 3 });
  expect((await post(more)).json).toMatchObject({ accepted: 1 });
  expect((await report("k1")).status).toBe(200);
  expect((await report("k1")).json).toMatchObject({ idempotent: true });
  const used = await readUsed();
  expect(used).toEqual({
    ...{ events: 4, sessions: 1, "new-devices": 1, "new-builds": 1, "new-event-names": 1, "bug-reports": 1 },
    // All of a request of which anything was stored.
    bytes: sizes.reduce((sum, size) => sum + size, 0),
  });
  expect(await readUsed(toKeySubject(hashKey(service.keys.ingest)))).toEqual(used);
});

it("answer 429 with the reason and a wait of at most an hour, and store nothing of the request", async () => {
  await limit("events", 100);
  expect((await post({ deviceId: "d", events: createEvents(10) })).status).toBe(202);
  const refused = await post({ deviceId: "e", events: createEvents(1) });
  expect(refused.status).toBe(429);
  expect(refused.json).toEqual({
    error: "The budget of 100 events per day is spent for this address, which may use only a part of it",
    reason: "budget",
    retryAfterMs: HOUR_MS,
    scope: "ip",
  });
  expect(refused.headers.get("retry-after")).toBe("3600");
  expect(await countRows("sessions")).toBe(1);
  expect(await readUsed()).toMatchObject({ events: 10, sessions: 1 });
  const { readDb } = service.service.store;
  const readCounts = () => readDb.selectFrom("refusal_counts").select(["reason", "refusals"]).execute();
  await expect.poll(readCounts).toEqual([{ reason: "budget", refusals: 1 }]);
});

it("start again with a new UTC day", async () => {
  await limit("events", 10);
  expect((await post({ deviceId: "d", events: createEvents(1) })).status).toBe(202);
  expect((await post({ deviceId: "d", events: createEvents(1) })).status).toBe(429);
  service.clock.now = (Math.floor(NOW / DAY_MS) + 1) * DAY_MS - 1000;
  expect((await post({ deviceId: "d", events: createEvents(1) })).json).toMatchObject({ retryAfterMs: 1000 });
  service.clock.now += 1000;
  expect((await post({ deviceId: "d", events: createEvents(1) })).status).toBe(202);
});

it("keep half for devices that are known for a day", async () => {
  await limit("sessions", 40);
  const play = (device: string, at: number) =>
    post(
      { deviceId: device, clientSessionId: `s${next++}`, events: createEvents(1) },
      { address: toAddress(at) },
    );
  expect((await play("known", 0)).status).toBe(202);
  service.clock.now += DAY_MS;
  const statuses = [];
  for (let at = 0; at < 24; at += 1) statuses.push((await play(`new-${at}`, at)).status);
  expect(statuses).toEqual([...Array(20).fill(202), ...Array(4).fill(429)]);
  expect((await play("late", 90)).json.error).toBe(
    "The budget of 40 sessions per day is spent for new devices, because half of it is kept for devices known for a day",
  );
  const known = [];
  for (let at = 100; at < 125; at += 1) known.push((await play("known", at)).status);
  expect(known).toEqual([...Array(20).fill(202), ...Array(5).fill(429)]);
});

it("count an IPv6 network as one address", async () => {
  await limit("sessions", 20);
  const statuses = [];
  for (let at = 0; at < 3; at += 1)
    statuses.push((await post({ deviceId: `d${at}`, events: [] }, { address: `2021:db8::${at}` })).status);
  expect(statuses).toEqual([202, 202, 429]);
});

describe("of", () => {
  it("new devices are 1,000 per address, also if a client changes every id", async () => {
    const statuses = new Map<number, number>();
    for (let at = 0; at < 1010; at += 1) {
      const { status } = await post({ deviceId: `d${at}`, clientSessionId: `s${at}`, events: [] });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect(Object.fromEntries(statuses)).toEqual({ 202: 1000, 429: 10 });
    expect((await post({ deviceId: "other", events: [] }, { address: "192.0.2.2" })).status).toBe(202);
    expect((await post({ deviceId: "d1", events: [] })).status).toBe(202);
  });

  it("new builds count once for each build", async () => {
    await limit("new-builds", 30);
    const play = (build: string) =>
      post({
        deviceId: "d",
        clientSessionId: `s${next++}`,
        sessionMetadata: { gameVersion: build },
        events: [],
      });
    const statuses = [];
    for (const build of ["1", "2", "3", "4", "1", "5", "2"]) statuses.push((await play(build)).status);
    expect(statuses).toEqual([202, 202, 202, 429, 202, 429, 202]);
  });

  it("new event names reject the events of further names, and store the others", async () => {
    await limit("new-event-names", 20);
    const events = ["a", "b", "c", "a", "c", "d"].flatMap((name) => createEvents(1, name));
    const { status, json } = await post({ clientSessionId: "one", deviceId: "d", events });
    const error = "name is new, and the budget of new event names per day is spent";
    expect([status, json.accepted, json.duplicates]).toEqual([202, 3, 0]);
    expect(json.rejected).toEqual([2, 4, 5].map((index) => ({ index, error })));
    expect(await readUsed()).toMatchObject({ events: 3, "new-event-names": 2 });
    expect((await post({ clientSessionId: "one", events: createEvents(2, "b") })).json.accepted).toBe(2);
    // No session is created for events that are all rejected.
    const refused = await post({ clientSessionId: "two", deviceId: "d2", events: createEvents(2, "e") });
    expect(refused.json).toMatchObject({ sessionId: null, rejected: [{ error }, { error }] });
    expect(await countRows("sessions")).toBe(1);
    expect(await readUsed()).toMatchObject({ events: 5, sessions: 1, "new-devices": 1 });
    const crash = createEvents(1, "crash_reported");
    expect((await post({ clientSessionId: "one", events: crash })).json.accepted).toBe(1);
  });

  it("bytes count the body after decompression", async () => {
    await limit("bytes", 10_000);
    const big = createEvents(1).map((event) => ({ ...event, data: { text: "x".repeat(2000) } }));
    expect((await post({ deviceId: "d", events: big })).status).toBe(429);
    expect((await post({ deviceId: "d", events: createEvents(1) })).status).toBe(202);
  });

  it("bug reports refuse further ones", async () => {
    await limit("bug-reports", 30);
    const statuses = [];
    for (let at = 0; at < 5; at += 1) statuses.push((await report(`k${at}`)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect(await countRows("bug_reports")).toBe(3);
  });

  it("feedback refuses further answers, and counts no repeats", async () => {
    await limit("feedback", 20);
    const answer = await prepareForm();
    const statuses = [];
    for (const id of ["a", "a", "b", "c", "a"]) statuses.push((await answer(id)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 200]);
    expect(await countRows("feedback_submissions")).toBe(2);
    expect(await readUsed()).toMatchObject({ feedback: 2 });
  });

  it("bytes count bug reports and feedback too", async () => {
    await limit("bytes", 10_000);
    const answer = await prepareForm();
    const long = "x".repeat(1000);
    const sent = { ...createReport("k"), description: long };
    expect((await post(sent, { path: "/api/telemetry/bug-report" })).status).toBe(429);
    expect([(await answer("a")).status, (await answer("b", long)).status]).toEqual([200, 429]);
  });
});

describe("the limits of a key", () => {
  it("are those of the game, or its own", async () => {
    const { writeDb } = service.service.store;
    const key = await createKey(writeDb, service.accountId, NOW, { kind: "ingest" });
    await limit("events", 10, toKeySubject(hashKey(key)));
    expect((await post({ deviceId: "d", events: createEvents(2) }, { key })).status).toBe(429);
    expect((await post({ deviceId: "d", events: createEvents(2) })).status).toBe(202);
  });

  it("can be none", async () => {
    for (const budget of ["events", "new-devices"] as const) await limit(budget, null);
    expect((await post({ deviceId: "d", events: createEvents(2000) })).status).toBe(202);
  });
});

it("survive a restart", async () => {
  const database = join(freshFolder(), "play.db");
  const first = await startTestService({ database });
  const own = service;
  service = first;
  game = toGameSubject(await first.addGame("ember"));
  await limit("sessions", 20);
  for (let at = 0; at < 10; at += 1)
    expect((await post({ deviceId: `d${at}`, events: [] }, { address: toAddress(at) })).status).toBe(202);
  await first.stop();
  service = await startTestService({ database, continues: first });
  expect((await post({ deviceId: "d11", events: [] }, { address: toAddress(11) })).status).toBe(429);
  await service.stop();
  service = own;
});

it("never accept more than their limit, however requests arrive", async () => {
  const request = fc.record({
    device: fc.nat(5),
    session: fc.nat(8),
    address: fc.nat(12),
    events: fc.nat(9),
    repeats: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(request, { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 120 }),
      async (requests, max) => {
        const slug = `game-${next++}`;
        game = toGameSubject(await service.addGame(slug));
        await limit("events", max);
        const answers = await Promise.all(
          requests.flatMap(({ device, session, address, events, repeats }) => {
            const body = {
              gameId: slug,
              deviceId: `d${device}`,
              clientSessionId: `s${session}`,
              events: createEvents(events),
            };
            const sending = { address: toAddress(address) };
            return repeats ? [post(body, sending), post(body, sending)] : [post(body, sending)];
          }),
        );
        const accepted = answers.reduce((sum, { json }) => sum + (json.accepted ?? 0), 0);
        expect(answers.every(({ status }) => status === 202 || status === 429)).toBe(true);
        expect(accepted).toBeLessThanOrEqual(max);
        expect((await readUsed()).events ?? 0).toBe(accepted);
      },
    ),
    { numRuns: times(20) },
  );
});
