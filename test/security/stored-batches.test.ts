/** Hostile stored batches: decoding any bytes returns valid events or reports damage, within a budget of memory. */
import { describe, expect, it } from "vitest";
import { TELEMETRY_LIMITS } from "../../src/contract/telemetry.ts";
import { DamagedData } from "../../src/server/core/stored-data.ts";
import { formatPlayerRoom, NO_POINTS, unpackPoints } from "../../src/server/positions/points.ts";
import {
  decodeBatch,
  decodeIds,
  decodeRooms,
  type EncodedBatch,
  encodeBatch,
} from "../../src/server/telemetry/batch-codec.ts";
import { ByteWriter } from "../../src/server/telemetry/bytes.ts";
import { createRandom } from "../random.ts";

const INPUTS = process.env.PLAYTEST_FAULTS === "long" ? 10_000_000 : 40_000;
const SEED = Number(process.env.PLAYTEST_SEED ?? 20261122);

/** Batches of every kind: ids that count up and others, bare positions, positions with more data, and other events. */
const samples: readonly EncodedBatch[] = [
  [],
  [{ id: "a", name: "begin", timestamp: 1.7e12 }],
  Array.from({ length: 12 }, (_, n) => ({
    id: `e-${String(n + 95).padStart(3, "0")}`,
    name: "player_pos",
    timestamp: 1.7e12 + n * 16,
    data: { x: n / 3, y: -n, room: n % 3 ? "hall" : "docks" },
  })),
  Array.from({ length: 9 }, (_, n) => ({
    id: `${"é🎮x"[n % 3]}${n * 7919}`,
    name: ["player_pos", "fail", "__proto__"][n % 3] ?? "",
    timestamp: 1.7e12 - n * 5,
    ...(n % 4 ? { data: { x: n, y: n, room: "r", speed: [n, { n }] } } : {}),
  })),
].map((events) => encodeBatch(events));

type Random = () => number;
const pick = (random: Random, n: number) => Math.floor(random() * n);
const randomBytes = (random: Random, n: number) => Uint8Array.from({ length: n }, () => pick(random, 256));

/** Varints at and beyond every limit. */
const numbers = [0, 1, 2, 127, 128, 2000, 2001, 2 ** 31, 2 ** 32, 2 ** 49, Number.MAX_SAFE_INTEGER];

const mutations: readonly ((payload: Uint8Array, random: Random) => Uint8Array)[] = [
  (payload, random) => {
    const flipped = payload.slice();
    for (let flips = 1 + pick(random, 4); flips > 0 && flipped.length > 0; flips -= 1) {
      const at = pick(random, flipped.length);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << pick(random, 8));
    }
    return flipped;
  },
  (payload, random) => payload.slice(0, pick(random, payload.length)),
  (_, random) => randomBytes(random, pick(random, 64)),
  (payload, random) => {
    const at = pick(random, payload.length + 1);
    const writer = new ByteWriter();
    writer.varint(numbers[pick(random, numbers.length)] ?? 0);
    return Uint8Array.from([
      ...payload.slice(0, at),
      ...writer.toBytes(),
      ...payload.slice(at + pick(random, 3)),
    ]);
  },
  (payload, random) => {
    const [at, from] = [pick(random, payload.length + 1), pick(random, payload.length + 1)];
    return Uint8Array.from([...payload.slice(0, at), ...payload.slice(from, from + 9), ...payload.slice(at)]);
  },
];

/** Runs a decoder. Returns null if it reports damage; any other error is a fault. */
function tryDecode<T>(decode: () => T): T | null {
  try {
    return decode();
  } catch (error) {
    if (error instanceof DamagedData) return null;
    throw error;
  }
}

/** The positions of players by room, as they are read from the database. */
const readPlayerPoints = ({ positions }: EncodedBatch) =>
  new Map(
    positions
      .filter(({ event }) => event === "player_pos")
      .map((points) => [formatPlayerRoom(points), unpackPoints(points)]),
  );

/** Throws if a decoded batch breaks a limit of what ingest accepts, or has more text than its bytes can explain. */
function checkDecoded(payload: Uint8Array, event_count: number, sample: EncodedBatch): boolean {
  const batch = { payload, event_count };
  const columns = readPlayerPoints(sample);
  const ids = tryDecode(() => decodeIds(batch));
  tryDecode(() => decodeRooms(batch));
  const events = tryDecode(() =>
    decodeBatch(batch, (room) => columns.get(formatPlayerRoom(room)) ?? NO_POINTS),
  );
  if (ids && (ids.length !== event_count || ids.some((id) => id.length < 1 || id.length > 64)))
    throw new Error(`${ids.length} ids of ${event_count} events`);
  if (!events) return false;
  for (const { name, timestamp } of events)
    if (name.length < 1 || name.length > TELEMETRY_LIMITS.eventName || !Number.isSafeInteger(timestamp))
      throw new Error("an invalid event");
  // What was decoded can be stored again, and is then the same.
  const again = encodeBatch(events);
  const points = readPlayerPoints(again);
  const repeated = decodeBatch(again, (room) => points.get(formatPlayerRoom(room)) ?? NO_POINTS);
  if (JSON.stringify(repeated) !== JSON.stringify(events)) throw new Error("other events");
  return true;
}

describe("a stored batch", () => {
  it(`of ${INPUTS} damaged ones decodes to valid events or is reported (PLAYTEST_SEED=${SEED})`, () => {
    const random = createRandom(SEED);
    let valid = 0;
    for (let n = 0; n < INPUTS; n += 1) {
      const sample = samples[n % samples.length] as EncodedBatch;
      const mutate = mutations[pick(random, mutations.length)] as (typeof mutations)[number];
      const payload = mutate(sample.payload, random);
      const declared = random() < 0.2 ? (numbers[pick(random, numbers.length)] ?? 0) : sample.event_count;
      try {
        if (checkDecoded(payload, declared, sample)) valid += 1;
      } catch (error) {
        throw new Error(`Input ${n}, ${declared} events: ${Buffer.from(payload).toString("hex")}`, {
          cause: error,
        });
      }
    }
    // Some mutations only change text, so the decoder is not just refusing everything.
    expect(valid).toBeGreaterThan(INPUTS / 100);
    expect(valid).toBeLessThan(INPUTS / 2);
  });

  /** A batch of `count` events whose parts are written by `write`. */
  const craft = (write: (writer: ByteWriter) => void) => {
    const writer = new ByteWriter();
    write(writer);
    return writer.toBytes();
  };
  const decode = (payload: Uint8Array, event_count: number) => () =>
    decodeBatch({ payload, event_count }, () => NO_POINTS);

  it.each(numbers.filter((number) => number > 1))("with a run of %d ids, names or rooms is refused", (n) => {
    const run = craft((writer) => {
      writer.varint(n);
      writer.varint(n + 1);
    });
    expect(() => decodeIds({ payload: run, event_count: n })).toThrow(DamagedData);
    const writeStart = (writer: ByteWriter) => {
      writer.varint(1);
      writer.varint(0);
      for (const text of ["a", '["x"]', "[]"]) writer.text(text);
    };
    const names = craft((writer) => {
      writeStart(writer);
      for (const number of [1, 1, n]) writer.varint(number);
    });
    const runs = craft((writer) => {
      writeStart(writer);
      writer.varint(n);
    });
    expect(decode(names, 1)).toThrow(DamagedData);
    expect(decode(runs, 1)).toThrow(DamagedData);
  });

  it("of more than 8 MiB, or with deeply nested data, is refused", () => {
    expect(() => decodeIds({ payload: new Uint8Array(8 * 2 ** 20 + 1), event_count: 0 })).toThrow(
      "too large",
    );
    const depth = 100_000;
    const nested = craft((writer) => {
      writer.varint(1);
      writer.varint(0);
      for (const text of ["a", '["x"]', "[]"]) writer.text(text);
      for (const number of [1, 1, 1, 0, 0]) writer.varint(number);
      writer.text(`[${'{"a":'.repeat(depth)}1${"}".repeat(depth)}]`);
    });
    expect(decode(nested, 1)).toThrow(DamagedData);
  });
});
