/** An event whose id the session has stored: a duplicate with the same content, a conflict with any other. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { packSession } from "../../../src/server/telemetry/pack-session.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import fc from "../../property.ts";
import { readSession, readSessionRow } from "../telemetry-helpers.ts";

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
  await service.addGame("maze");
});
afterEach(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

/** Sends events as JSON text, so that a test chooses the form of numbers and the order of keys. */
async function sendText(events: string, clientSessionId = "one") {
  const body = `{"gameId":"maze","deviceId":"dev_1","clientSessionId":"${clientSessionId}","events":${events}}`;
  const answer = await service.post("/api/telemetry", body);
  expect([answer.status, answer.text]).toEqual([202, answer.text]);
  return answer.json;
}

const send = (events: readonly unknown[], clientSessionId?: string) =>
  sendText(JSON.stringify(events), clientSessionId);

const DEATH = { id: "a", name: "player_death", timestamp: NOW, data: { room: "dock", by: { kind: "fall" } } };
const POSITION = { id: "p", name: "player_pos", timestamp: NOW + 1, data: { x: 1.5, y: -2, room: "dock" } };
const PLAIN = { id: "n", name: "jump", timestamp: NOW + 2 };
const ALL = [DEATH, POSITION, PLAIN];

const CHANGED = [
  ["name", { ...DEATH, name: "player_hurt" }],
  ["timestamp", { ...DEATH, timestamp: NOW + 9 }],
  ["data", { ...DEATH, data: { room: "dock", by: { kind: "fire" } } }],
  ["missing data", { ...DEATH, data: null }],
  ["a further field of the data", { ...DEATH, data: { ...DEATH.data, score: 1 } }],
  ["coordinate", { ...POSITION, data: { ...POSITION.data, x: 1.25 } }],
  ["room of a position", { ...POSITION, data: { ...POSITION.data, room: "hall" } }],
  ["data where there was none", { ...PLAIN, data: { height: 2 } }],
] as const;

const expectConflicts = (receipt: { rejected: { index: number; error: string }[] }, indexes: number[]) => {
  expect(receipt.rejected.map(({ index }) => index)).toEqual(indexes);
  for (const { error } of receipt.rejected) expect(error).toContain("different name, timestamp or data");
};

describe("an event with a stored id and other content", () => {
  it("of more batches than a repeated request has counts as sent again", async () => {
    const all = Array.from({ length: 10 }, (_, at) => ({ ...PLAIN, id: `n${at}` }));
    for (const event of all) await send([event]);
    const receipt = await send(all.map((event) => ({ ...event, name: "fall" })));
    expect([receipt.accepted, receipt.duplicates]).toEqual([0, 6]);
    expectConflicts(receipt, [0, 1, 2, 3]);
  });

  it.each(CHANGED)("is rejected if it has another %s", async (_what, event) => {
    const { sessionId } = await send(ALL);
    const receipt = await send([event, { ...PLAIN, id: "new" }]);
    expect(receipt).toMatchObject({ sessionId, accepted: 1, duplicates: 0 });
    expectConflicts(receipt, [0]);
  });

  it("is rejected within one request, where the first event with the id is stored", async () => {
    const receipt = await send([PLAIN, { ...PLAIN, name: "fall" }, PLAIN, DEATH]);
    expect(receipt).toMatchObject({ accepted: 2, duplicates: 1 });
    expectConflicts(receipt, [1]);
    const { session } = await readSession(service, receipt.sessionId);
    expect(session.event_counts).toEqual({ jump: 1, player_death: 1 });
  });

  it("is rejected without the cache of ids, and after the batches of the session were packed", async () => {
    const { sessionId } = await send(ALL);
    await send([{ ...PLAIN, id: "later", data: { text: "x".repeat(500) } }]);
    service.service.seenIds.forget(sessionId);
    expectConflicts(await send(CHANGED.map(([, event]) => event)), [0, 1, 2, 3, 4, 5, 6, 7]);
    await packSession(service.service, await readSessionRow(service, sessionId));
    expectConflicts(await send(CHANGED.map(([, event]) => event)), [0, 1, 2, 3, 4, 5, 6, 7]);
    expect(await send(ALL)).toMatchObject({ accepted: 0, duplicates: 3, rejected: [] });
  });

  it("appears in the live tail with its reason, device and session", async () => {
    const { sessionId } = await send(ALL);
    await send([{ ...DEATH, name: "player_hurt" }]);
    await service.service.arrivals.flush();
    const { items } = (await service.get("/api/v1/telemetry/tail?kind=refusal")).json;
    expect(items).toMatchObject([
      {
        ...{ sessionId, deviceId: "dev_1" },
        refusal: { reason: "id_conflict", index: 0, name: "player_hurt", status: 202 },
      },
    ]);
    const { reasons } = (await service.get("/api/v1/telemetry/refusals")).json;
    expect(reasons).toEqual([{ reason: "id_conflict", count: 1 }]);
  });

  it("counts as a duplicate if the content of the stored event is lost", async () => {
    await send(ALL);
    await service.service.store.writeDb.deleteFrom("position_chunks").execute();
    expect(await send([{ ...DEATH, name: "player_hurt" }])).toMatchObject({ duplicates: 1, rejected: [] });
  });
});

describe("an event that is sent again", () => {
  it.each([
    ["keys in another order", `{"y":-2,"room":"dock","x":1.5}`, `{"room":"dock","x":1.5,"y":-2}`],
    [
      "other forms of numbers",
      `{"x":150,"y":-2.0,"room":"dock","n":1e3}`,
      `{"x":1.5e2,"y":-2,"room":"dock","n":1000}`,
    ],
    ["a negative zero", `{"x":-0.0,"y":0,"room":"dock"}`, `{"x":0,"y":-0,"room":"dock"}`],
    [
      "numbers beyond a double",
      `{"x":1e999,"y":0.1,"room":"dock"}`,
      `{"x":1e999,"y":0.10000000000000000001,"room":"dock"}`,
    ],
    ["escaped text", `{"room":"d\\u006fck","t":"\\ud800"}`, `{"room":"dock","t":"\\ud800"}`],
    [
      "a room that is cleaned",
      `{"x":1,"y":2,"room":"a\\u0000\\ud800"}`,
      `{"x":1,"y":2,"room":"a\\u0000\\ud800"}`,
    ],
    ["a repeated key", `{"x":9,"x":1,"y":2,"room":"dock"}`, `{"x":1,"y":2,"room":"dock"}`],
    ["keys of prototypes", `{"__proto__":{"a":1},"b":2}`, `{"b":2,"__proto__":{"a":1}}`],
    ["no data and null", "null", "null"],
  ])("is a duplicate with %s", async (_what, first, second) => {
    const toText = (data: string) => `[{"id":"a","name":"player_pos","timestamp":${NOW},"data":${data}}]`;
    expect(await sendText(toText(first))).toMatchObject({ accepted: 1 });
    expect(await sendText(toText(second))).toMatchObject({ accepted: 0, duplicates: 1, rejected: [] });
  });

  it("is a duplicate with any data, of a stored batch and of the same request", async () => {
    const data = fc.option(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })));
    const position = fc.record({ x: fc.double(), y: fc.double(), room: fc.string({ unit: "binary" }) });
    const names = fc.constantFrom("player_pos", "jump");
    let session = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(names, fc.oneof(data, position)), { maxLength: 8 }),
        async (contents) => {
          session += 1;
          const events = contents.map(([name, own], at) => ({
            id: `${at}`,
            name,
            timestamp: NOW + at,
            data: own,
          }));
          const count = events.length;
          const first = await send([...events, ...events], `s${session}`);
          expect(first).toMatchObject({ accepted: count, duplicates: count, rejected: [] });
          const again = await send(events.toReversed(), `s${session}`);
          expect(again).toMatchObject({ accepted: 0, duplicates: count, rejected: [] });
        },
      ),
      { numRuns: 60 },
    );
  });
});
