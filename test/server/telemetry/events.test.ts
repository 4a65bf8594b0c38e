/** Validation of events: invalid events are reported by index, and the fast check agrees with the schema of the contract. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findEventFault } from "../../../src/contract/event-faults.ts";
import { MIN_TIME, telemetryEvent } from "../../../src/contract/telemetry.ts";
import { readPosition } from "../../../src/server/telemetry/event-names.ts";
import { NOW, startTestService, type TestService } from "../../harness.ts";
import fc from "../../property.ts";
import { createEvents, readSession, sendTelemetry } from "../telemetry-helpers.ts";

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  await service.addGame("maze");
});

afterAll(() => service.stop());

const good = { id: "a", name: "x", timestamp: NOW };

/** JSON text of nested lists. */
const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

const faulty: [string, unknown][] = [
  ["null", null],
  ["a number", 5],
  ["a text", "event"],
  ["a list", [good]],
  ["an empty object", {}],
  ["an object without id", { name: "x", timestamp: 1 }],
  ["an empty id", { ...good, id: "" }],
  ["an id of 65 characters", { ...good, id: "x".repeat(65) }],
  ["a number as id", { ...good, id: 7 }],
  ["NUL in the id", { ...good, id: "a\0" }],
  ["a lone surrogate in the id", { ...good, id: "a\ud800" }],
  ["an object without name", { id: "a", timestamp: 1 }],
  ["an empty name", { ...good, name: "" }],
  ["a name of 121 characters", { ...good, name: "x".repeat(121) }],
  ["a lone surrogate in the name", { ...good, name: "\udfff" }],
  ["NUL in the name", { ...good, name: "\0" }],
  ["an object without timestamp", { id: "a", name: "x" }],
  ["a negative timestamp", { ...good, timestamp: -1 }],
  ["timestamp 0", { ...good, timestamp: 0 }],
  ["the last moment of 1999", { ...good, timestamp: MIN_TIME - 1 }],
  ["a timestamp in seconds", { ...good, timestamp: NOW / 1000 }],
  ["a timestamp with a fraction", { ...good, timestamp: NOW + 0.5 }],
  ["a text as timestamp", { ...good, timestamp: String(NOW) }],
  ["a timestamp above the largest safe integer", { ...good, timestamp: 2 ** 53 }],
  ["null as timestamp", { ...good, timestamp: null }],
  ["a list as data", { ...good, data: [] }],
  ["a text as data", { ...good, data: "{}" }],
  ["data nested too deep", { ...good, data: { deep: JSON.parse(nested(20_000)) } }],
];

describe("an event", () => {
  it.each(faulty)("is rejected: %s", (_, event) => {
    expect(findEventFault(event)).toMatch(/\S/);
    expect(telemetryEvent.safeParse(event).success).toBe(false);
  });

  it.each([
    ["only the required fields", good],
    [
      "the longest id and name",
      { id: "i".repeat(64), name: "n".repeat(120), timestamp: Number.MAX_SAFE_INTEGER },
    ],
    ["the first moment of 2000", { ...good, timestamp: MIN_TIME }],
    ["empty data", { ...good, data: {} }],
    ["null as data", { ...good, data: null }],
    ["unknown fields", { ...good, colour: "red", __proto__x: 1 }],
    ["data with values of any type", { ...good, data: { a: null, b: [1, "\0", "\ud800"], c: { d: false } } }],
    ["data with some nesting", { ...good, data: { deep: JSON.parse(nested(50)) } }],
  ])("is accepted: %s", (_, event) => {
    expect(findEventFault(event)).toBeNull();
    expect(telemetryEvent.safeParse(event).success).toBe(true);
  });

  it("is accepted exactly if the schema of the contract accepts it, for any JSON", () => {
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom<unknown>(
        "",
        "x",
        "x".repeat(64),
        "x".repeat(65),
        "x".repeat(120),
        "x".repeat(121),
        "a\0b",
        "\ud800",
        "🎮".repeat(32),
        0,
        -0,
        -1,
        1.5,
        2 ** 53,
        2 ** 53 - 1,
        MIN_TIME,
        MIN_TIME - 1,
        NOW / 1000,
        1e300,
        null,
        true,
        [],
        {},
        { x: 1, y: 2, room: "r" },
      ),
      fc.string({ unit: "binary", maxLength: 70 }),
      fc.integer(),
    );
    const event = fc.record(
      { id: odd, name: odd, timestamp: odd, data: odd, more: odd },
      { requiredKeys: [] },
    );
    const close = fc
      .record({
        id: fc.string({ minLength: 1 }),
        name: fc.string({ minLength: 1 }),
        timestamp: fc.integer({ min: MIN_TIME - 100, max: MIN_TIME + 1e12 }),
        data: fc.dictionary(fc.string(), odd),
      })
      .chain((whole) =>
        fc
          .constantFrom("id", "name", "timestamp", "data", "none")
          .chain((field) =>
            odd.map((value) => ({ ...whole, ...(field === "none" ? {} : { [field]: value }) })),
          ),
      );
    fc.assert(
      fc.property(fc.oneof(event, close, odd), (value) => {
        expect(findEventFault(value) === null).toBe(telemetryEvent.safeParse(value).success);
      }),
      { numRuns: 3000 },
    );
  });
});

describe("an event before 2000", () => {
  it.each([
    [NOW / 1000, "timestamp 1772366400 looks like seconds. Send Unix milliseconds"],
    [946_684_800, "timestamp 946684800 looks like seconds. Send Unix milliseconds"],
    [9_999_999_999, "timestamp 9999999999 looks like seconds. Send Unix milliseconds"],
    [946_684_799, "timestamp 946684799 is before the year 2000. Send Unix milliseconds"],
    [10_000_000_000, "timestamp 10000000000 is before the year 2000. Send Unix milliseconds"],
    [5, "timestamp 5 is before the year 2000. Send Unix milliseconds"],
    [0, "timestamp 0 is before the year 2000. Send Unix milliseconds"],
    [-5, "timestamp must be an integer in Unix milliseconds, in the year 2000 or later"],
    [MIN_TIME, null],
  ])("is rejected with a specific reason: %j", (timestamp, fault) => {
    expect(findEventFault({ ...good, timestamp })).toBe(fault);
  });

  it("does not affect the duration of the session or the other events", async () => {
    const seconds = { ...good, id: "seconds", timestamp: NOW / 1000 };
    const answer = await service.post("/api/telemetry", { gameId: "maze", events: [seconds, good] });
    expect(answer.json).toMatchObject({
      accepted: 1,
      rejected: [{ index: 0, error: "timestamp 1772366400 looks like seconds. Send Unix milliseconds" }],
    });
    expect((await readSession(service, answer.json.sessionId)).session.duration).toBe(0);
  });
});

describe("a batch with invalid events", () => {
  it("reports each of them by index, and stores the others", async () => {
    const before = { ...good, id: "before" };
    const after = { ...good, id: "after" };
    const answer = await service.post("/api/telemetry", {
      gameId: "maze",
      events: [before, ...faulty.slice(0, -1).map(([, event]) => event), after],
    });
    expect([answer.status, answer.json.accepted, answer.json.duplicates]).toEqual([202, 2, 0]);
    expect(answer.json.rejected).toEqual(
      faulty.slice(0, -1).map((_, at) => ({ index: at + 1, error: expect.stringMatching(/\S/) })),
    );
    expect((await readSession(service, answer.json.sessionId)).session.event_counts).toEqual({ x: 2 });
  });

  it("is accepted even if all events are invalid", async () => {
    const answer = await service.post("/api/telemetry", { gameId: "maze", events: [null, 1] });
    expect([answer.status, answer.json.accepted, answer.json.rejected.length]).toEqual([202, 0, 2]);
  });

  it("stores a valid event after an invalid one with the same id", async () => {
    const answer = await service.post("/api/telemetry", {
      gameId: "maze",
      events: [{ ...good, name: "" }, good],
    });
    expect(answer.json).toMatchObject({ accepted: 1, duplicates: 0, rejected: [{ index: 0 }] });
  });

  it("reports events and metadata that are nested too deep", async () => {
    const deep = `{"id":"d","name":"x","timestamp":${NOW},"data":{"a":${nested(100_000)}}}`;
    const some = await service.post(
      "/api/telemetry",
      `{"gameId":"maze","events":[${deep},${JSON.stringify(good)}]}`,
    );
    expect([some.status, some.json.accepted, some.json.rejected?.[0]?.index]).toEqual([202, 1, 0]);
    const metadata = await service.post(
      "/api/telemetry",
      `{"gameId":"maze","sessionMetadata":{"a":${nested(100_000)}},"events":[]}`,
    );
    expect([metadata.status, metadata.json.warnings]).toEqual([
      202,
      ["sessionMetadata.a must be nested at most 100 levels deep. It was ignored."],
    ]);
    const unknown = await service.post(
      "/api/telemetry",
      `{"gameId":"maze","other":${nested(100_000)},"events":[]}`,
    );
    expect(unknown.status).toBe(202);
  });
});

describe("names of Object.prototype and other special names", () => {
  const names = [
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "valueOf",
    "0",
    "-1",
    "length",
    "é",
    "🎮",
    "a.b",
    "$x",
    '"quoted"',
  ];

  it("are normal event names in counts, sums and the analysis", async () => {
    const body = {
      gameId: "maze",
      sessionMetadata: { gameVersion: "names" },
      sessionEnded: true,
      events: createEvents([...names, ...names]),
    };
    const sessionId = await sendTelemetry(service, body);
    await service.analysis.drain();
    const expected = `{${names.map((name) => `${JSON.stringify(name)}:2`).join(",")}}`;
    const sorted = (counts: object) => Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
    const { session } = await readSession(service, sessionId);
    expect(sorted(session.event_counts)).toEqual(sorted(JSON.parse(expected)));
    const { json } = await service.get("/api/v1/events/maze?build=names");
    expect(sorted(json.byName)).toEqual(sorted(JSON.parse(expected)));
    expect(json.top).toEqual(names.toSorted().map((name) => [name, 2]));
    expect(json.total).toBe(names.length * 2);
    expect(session.status).toBe("analyzed");
  });

  it("are normal names of rooms and devices", async () => {
    const events = names.map((room, at) => ({
      id: `e${at}`,
      name: "player_pos",
      timestamp: NOW,
      data: { x: at, y: at, room },
    }));
    await sendTelemetry(service, {
      gameId: "maze",
      deviceId: "__proto__",
      source: "unity-telemetry",
      sessionMetadata: { gameVersion: "rooms" },
      events,
    });
    const { json } = await service.get("/api/v1/heatmaps/maze?build=rooms");
    expect(json.rooms.map(({ room }: { room: string }) => room)).toEqual(names.toSorted().slice(0, 12));
    expect((await service.get("/api/v1/testers/maze/__proto__")).json.rollup.sessionCount).toBe(1);
  });
});

it("preserves lone surrogates in data and metadata", async () => {
  const text = "a\ud800b\udc00";
  const sessionId = await sendTelemetry(service, {
    gameId: "maze",
    sessionMetadata: { gameVersion: "1", note: text },
    events: [{ id: "s", name: "session_heartbeat", timestamp: NOW, data: { note: text, [text]: 1 } }],
  });
  const { session } = await readSession(service, sessionId);
  expect(session.summaryState).toEqual({ note: text, [text]: 1 });
  expect(session.metadata.note).toBe(text);
});

describe("a position", () => {
  const at = (data: Record<string, unknown>, name = "player_pos") =>
    readPosition({ id: "a", name, timestamp: 1, data });

  it("requires two finite numbers and a room", () => {
    expect(at({ x: 1, y: -2.5, room: "r" })).toEqual({ x: 1, y: -2.5, room: "r" });
    expect(at({ x: 1, y: 2, room: "a\0b\ud800" })).toEqual({ x: 1, y: 2, room: "a\ufffdb\ufffd" });
    expect(at({ x: 1, y: 2, room: "r" }, "other")).toEqual({ x: 1, y: 2, room: "r" });
    expect(readPosition({ id: "a", name: "player_pos", timestamp: 1 })).toBeNull();
    for (const room of [undefined, null, "", 7, ["r"], {}]) expect(at({ x: 1, y: 2, room })).toBeNull();
    for (const x of [undefined, null, "1", Infinity, -Infinity, Number.NaN, [1], {}]) {
      expect(at({ x, y: 2, room: "r" })).toBeNull();
      expect(at({ x: 2, y: x, room: "r" })).toBeNull();
    }
  });
});

it("reports no faults", () => {
  expect(service.faults).toEqual([]);
});
