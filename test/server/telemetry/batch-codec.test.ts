/** Encoding of stored batches: decoding returns every event unchanged, and ids can be decoded alone. */

import { describe, expect, it } from "vitest";
import { findEventFault } from "../../../src/contract/event-faults.ts";
import { DamagedData } from "../../../src/server/core/stored-data.ts";
import {
  formatPlayerRoom,
  NO_PLAYER,
  NO_POINTS,
  unpackPoints,
} from "../../../src/server/positions/points.ts";
import { decodeBatch, decodeIds, encodeBatch } from "../../../src/server/telemetry/batch-codec.ts";
import { ByteReader, ByteWriter } from "../../../src/server/telemetry/bytes.ts";
import {
  type Position,
  readPosition,
  readTracePositions,
  type TelemetryEvent,
} from "../../../src/server/telemetry/event-names.ts";
import fc from "../../property.ts";

/** Encodes and decodes events. Their positions are read by room, as from the database. */
function roundTrip(events: readonly TelemetryEvent[]): TelemetryEvent[] {
  const batch = encodeBatch(events);
  const rooms = batch.positions.filter((points) => points.event === "player_pos");
  const columns = new Map(rooms.map((room) => [formatPlayerRoom(room), unpackPoints(room)]));
  expect(columns.size).toBe(rooms.length);
  expect(decodeIds(batch)).toEqual(events.map(({ id }) => id));
  return decodeBatch(batch, (room) => columns.get(formatPlayerRoom(room)) ?? NO_POINTS);
}

/** Throws if a decoded event differs: positions are compared bit by bit, other data as JSON. */
function expectSame(decoded: TelemetryEvent | undefined, sent: TelemetryEvent): void {
  expect([decoded?.id, decoded?.name, decoded?.timestamp]).toEqual([sent.id, sent.name, sent.timestamp]);
  expect(JSON.parse(JSON.stringify(decoded?.data ?? null))).toEqual(
    JSON.parse(JSON.stringify(sent.data ?? null)),
  );
  const keys = (event: TelemetryEvent | undefined) => Object.keys(event?.data ?? {}).sort();
  expect(keys(decoded)).toEqual(keys(sent));
  // JSON loses the sign of zero, so only the coordinates that are stored as numbers keep it.
  const position = sent.name === "player_pos" ? readPosition(sent) : null;
  if (!position || Object.keys(position).some((key) => !Object.is(position[key as "x"], sent.data?.[key])))
    return;
  if (Object.keys(sent.data ?? {}).length !== Object.keys(position).length) return;
  for (const axis of ["x", "y", "z"]) expect(Object.is(decoded?.data?.[axis], sent.data?.[axis])).toBe(true);
}

const word = (maxLength: number) =>
  fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength }),
    fc.constantFrom(
      "__proto__",
      "constructor",
      "player_pos",
      "é",
      "e\u0301",
      "🎮",
      "🎯",
      "\ufeff",
      "x".repeat(maxLength),
    ),
    fc.nat(300).map((n) => `e${n.toString(36)}`),
    // Consecutive ids, because the encoding has a special case for them.
    fc.constantFrom("e-08", "e-09", "e-10", "e-11", "8", "9", "10", "é9", "99", "100"),
  );
const coordinate = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 5e-324, -5e-324, 1.7976931348623157e308, -1.7976931348623157e308, 0.1, 2 ** 53 + 1),
);
const room = fc.oneof(
  fc.nat(40).map((n) => `room-${n}`),
  fc.string({ unit: "binary", minLength: 1, maxLength: 5 }),
  fc.constantFrom("a\0", "a\ufffd", "a\ud800", "__proto__"),
);
const position = fc.record({ x: coordinate, y: coordinate, room });
const player = fc.constantFrom("p1", "p2", "é", "a\0", "a\ufffd", "__proto__", "", "x".repeat(65));
const actorPosition = fc.record(
  { x: coordinate, y: coordinate, z: coordinate, room, player },
  { requiredKeys: ["x", "y", "room"] },
);
const extra = fc.dictionary(fc.constantFrom("z", "speed", "__proto__", "0", "é"), fc.jsonValue(), {
  maxKeys: 2,
});
const broken = fc.record(
  { x: fc.oneof(coordinate, fc.constant("1")), y: coordinate, room: fc.constantFrom("", "r", 7, null) },
  { requiredKeys: [] },
);
const data = fc.oneof(
  fc.constant(undefined),
  position,
  actorPosition,
  fc.tuple(position, extra).map(([at, more]) => ({ ...more, ...at })),
  broken,
  fc.record(
    {
      room: fc.oneof(room, fc.constant("")),
      points: fc.array(fc.array(coordinate, { minLength: 2, maxLength: 3 }), { maxLength: 5 }),
      player,
      plane: fc.constant("xz"),
    },
    { requiredKeys: ["room", "points"] },
  ),
  fc.dictionary(fc.string(), fc.jsonValue()),
);
const time = fc.oneof(
  fc.nat(1e6).map((n) => 1.7e12 + n),
  fc.maxSafeNat(),
  fc.constantFrom(0, Number.MAX_SAFE_INTEGER, 2 ** 52, 2 ** 52 + 1),
);
const event = fc
  .record({
    id: word(64),
    name: fc.oneof(
      { weight: 3, arbitrary: fc.constant("player_pos") },
      { weight: 2, arbitrary: fc.constant("trace_chunk") },
      { weight: 2, arbitrary: word(120) },
    ),
    timestamp: time,
    data,
  })
  .map(
    ({ data: value, ...rest }): TelemetryEvent =>
      value === undefined ? rest : { ...rest, data: value as Record<string, unknown> },
  )
  .filter((candidate) => findEventFault(candidate) === null);

describe("a batch", () => {
  it("decodes to the same events", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const decoded = roundTrip(events);
        expect(decoded).toHaveLength(events.length);
        for (const [at, sent] of events.entries()) expectSame(decoded[at], sent);
      }),
      { numRuns: 500 },
    );
  });

  it("has the points of each event and room, their number and their bounds", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const { positions: stored } = encodeBatch(events);
        const toKeyed = (name: string) => (position: Position) => {
          const { room, player = NO_PLAYER } = position;
          return { ...position, key: JSON.stringify([name, room, player]) };
        };
        const positions = events.flatMap((one) => [
          ...[readPosition(one) ?? []].flat().map(toKeyed(one.name)),
          ...(readTracePositions(one) ?? []).map(toKeyed("player_pos")),
        ]);
        const keys = stored.map((one) => JSON.stringify([one.event, one.room, one.player]));
        expect(new Set(keys).size).toBe(keys.length);
        expect(new Set(keys)).toEqual(new Set(positions.map(({ key }) => key)));
        for (const { event: name, room, player, points, ...one } of stored) {
          const { xMin, xMax, yMin, yMax, zMin, zMax } = one;
          const own = positions.filter(({ key }) => key === JSON.stringify([name, room, player]));
          const [xs, ys] = [own.map(({ x }) => x), own.map(({ y }) => y)];
          expect(points).toBe(own.length);
          const { xy, z } = unpackPoints(one);
          expect([...xy]).toEqual([...xs, ...ys]);
          const zs = own.map((position) => position.z ?? Number.NaN);
          const known = zs.filter((height) => !Number.isNaN(height));
          expect(z && [...z]).toEqual(known.length > 0 ? zs : null);
          const bounds = known.length > 0 ? [Math.min(...known), Math.max(...known)] : [null, null];
          expect([zMin, zMax]).toEqual(bounds);
          expect([xMin + 0, xMax + 0, yMin + 0, yMax + 0]).toEqual([
            Math.min(...xs) + 0,
            Math.max(...xs) + 0,
            Math.min(...ys) + 0,
            Math.max(...ys) + 0,
          ]);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("can contain 2,000 events in 2,000 rooms", () => {
    const events = Array.from({ length: 2000 }, (_, n) => ({
      id: `${n}`,
      name: "player_pos",
      timestamp: n,
      data: { x: n / 3, y: -n / 7, room: `room ${n}` },
    }));
    for (const [at, decoded] of roundTrip(events).entries()) expect(decoded).toEqual(events[at]);
  });

  it("of positions has a payload of at most 8 bytes per event, in addition to its points", () => {
    const events = Array.from({ length: 2000 }, (_, n) => ({
      id: `e${n}`,
      name: "player_pos",
      timestamp: 1.7e12 + n * 16,
      data: { x: n / 3, y: -n / 7, room: "hall" },
    }));
    expect(encodeBatch(events).payload.length).toBeLessThan(2000 * 8);
  });
});

describe("ids", () => {
  const batchOf = (ids: readonly string[]) =>
    encodeBatch(ids.map((id, n) => ({ id, name: "x", timestamp: n })));

  it("that are consecutive take almost no space", () => {
    const counter = Array.from({ length: 2000 }, (_, n) => `e-${String(n + 1).padStart(6, "0")}`);
    const others = counter.map((id, n) => (n % 2 === 0 ? id : `x${id}`));
    expect(decodeIds(batchOf(counter))).toEqual(counter);
    expect(decodeIds(batchOf(others))).toEqual(others);
    expect(batchOf(others).payload.length - batchOf(counter).payload.length).toBeGreaterThan(2000 * 3);
  });

  it("can be consecutive from any number on, and in several runs", () => {
    const run = fc
      .tuple(fc.constantFrom("", "e", "e-", "\ud83c\udfae", "9"), fc.nat(12_000), fc.nat(6), fc.nat(30))
      .map(([name, from, width, n]) =>
        Array.from({ length: n }, (_, at) => name + String(from + at).padStart(width, "0")),
      );
    fc.assert(
      fc.property(fc.array(run, { maxLength: 6 }), (runs) => {
        const ids = runs.flat().filter((id) => id !== "");
        expect(decodeIds(batchOf(ids))).toEqual(ids);
      }),
      { numRuns: 300 },
    );
  });

  it("are decoded from the format of earlier versions, without runs of consecutive ids", () => {
    const out = new ByteWriter();
    out.varint(3);
    for (const [shared, rest] of [
      [0, "e1"],
      [1, "2"],
      [1, "3"],
    ] as const) {
      out.varint(shared);
      out.text(rest);
    }
    expect(decodeIds({ payload: out.toBytes(), event_count: 3 })).toEqual(["e1", "e2", "e3"]);
  });
});

describe("bytes", () => {
  it("store integers of both signs, up to the largest safe integer", () => {
    const most = Number.MAX_SAFE_INTEGER;
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.maxSafeInteger(),
            fc.constantFrom(0, -1, 63, 64, -64, -65, 127, 128, 2 ** 32, most, -most),
          ),
        ),
        (numbers) => {
          const out = new ByteWriter();
          for (const number of numbers) out.signed(number);
          for (const number of numbers) out.varint(Math.abs(number));
          const input = new ByteReader(out.toBytes());
          expect(numbers.map(() => input.signed())).toEqual(numbers);
          expect(numbers.map(() => input.varint())).toEqual(numbers.map(Math.abs));
        },
      ),
    );
  });

  it("store text of any length, even if the buffer must grow", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string({ unit: "binary" }),
            fc.nat(9000).map((n) => "é".repeat(n)),
            fc.nat(9000).map((n) => "a".repeat(n)),
          ),
        ),
        (texts) => {
          const wellFormed = texts.map((text) => text.toWellFormed());
          const out = new ByteWriter();
          for (const text of wellFormed) out.text(text);
          const input = new ByteReader(out.toBytes());
          expect(wellFormed.map(() => input.text())).toEqual(wellFormed);
        },
      ),
      { numRuns: 50 },
    );
  });

  it("throw if they are truncated", () => {
    const whole = encodeBatch([{ id: "abc", name: "x", timestamp: 5 }]).payload;
    expect(() => new ByteReader(new Uint8Array()).varint()).toThrow(DamagedData);
    const truncated = { payload: whole.subarray(0, 3), event_count: 1 };
    expect(() => decodeBatch(truncated, () => NO_POINTS)).toThrow(DamagedData);
  });
});
