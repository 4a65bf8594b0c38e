/**
 * The binary format of a stored telemetry batch: ids with shared prefixes or as counters, names and rooms as run-length
 * encoded numbers, times as differences, and data as JSON. If the data of a `player_pos` event is only x, y and room, its
 * coordinates are stored only in the room's position chunk.
 */

import { EVENTS } from "../../shared/event-names.ts";
import { type EventPoints, packPoints } from "../positions/points.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";
import { type Position, readPosition, type TelemetryEvent } from "./events.ts";

export interface EncodedBatch {
  readonly payload: Uint8Array;
  /** The positions of every event that has one, by event and room. */
  readonly positions: readonly EventPoints[];
}

/** The code of a position event whose data is only x, y and room. The codes of names begin at 1. */
const BARE_POSITION = 0;

/** Encodes events in the given order. */
export function encodeBatch(events: readonly TelemetryEvent[]): EncodedBatch {
  const names = new WordIndex();
  const playerColumns = new RoomColumns();
  const columns = new Map<string, RoomColumns>([[EVENTS.position, playerColumns]]);
  const getColumns = (event: string) => {
    const known = columns.get(event) ?? new RoomColumns();
    columns.set(event, known);
    return known;
  };
  const codes: number[] = [];
  const data: string[] = [];
  for (const event of events) {
    const position = readPosition(event);
    if (position) getColumns(event.name).add(position);
    if (position && event.name === EVENTS.position && isBarePosition(event, position)) {
      codes.push(BARE_POSITION);
    } else {
      codes.push(names.indexFor(event.name) + 1);
      data.push(event.data ? JSON.stringify(event.data) : "null");
    }
  }
  const writer = new ByteWriter();
  writer.varint(events.length);
  writeIds(writer, events);
  writer.text(JSON.stringify(names.words));
  writer.text(JSON.stringify(playerColumns.rooms.words));
  writeRuns(writer, codes);
  writeRuns(writer, playerColumns.roomIndexes);
  writeTimes(writer, events);
  writer.text(`[${data.join(",")}]`);
  const positions = [...columns].flatMap(([event, eventColumns]) => eventColumns.finish(event));
  return { payload: writer.toBytes(), positions };
}

/** Collects positions by room. */
class RoomColumns {
  readonly rooms = new WordIndex();
  /** The index of the room of each position, in order. */
  readonly roomIndexes: number[] = [];
  readonly #columns: { xs: number[]; ys: number[] }[] = [];

  add({ x, y, room }: Position): void {
    const index = this.rooms.indexFor(room);
    if (index === this.#columns.length) this.#columns.push({ xs: [], ys: [] });
    this.#columns[index]?.xs.push(x);
    this.#columns[index]?.ys.push(y);
    this.roomIndexes.push(index);
  }

  finish(event: string): EventPoints[] {
    return this.#columns.map((column, index) => toEventPoints(event, this.rooms.words[index] ?? "", column));
  }
}

function writeTimes(writer: ByteWriter, events: readonly TelemetryEvent[]): void {
  let last = 0;
  for (const { timestamp } of events) {
    writer.signed(timestamp - last);
    last = timestamp;
  }
}

function isBarePosition(event: TelemetryEvent, position: Position): boolean {
  let fields = 0;
  for (const _ in event.data) fields += 1;
  return fields === 3 && event.data?.room === position.room;
}

function toEventPoints(event: string, room: string, { xs, ys }: { xs: number[]; ys: number[] }): EventPoints {
  let [xMin, xMax, yMin, yMax] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const x of xs) {
    if (x < xMin) xMin = x;
    if (x > xMax) xMax = x;
  }
  for (const y of ys) {
    if (y < yMin) yMin = y;
    if (y > yMax) yMax = y;
  }
  return { event, room, points: xs.length, xMin, xMax, yMin, yMax, xy: packPoints(xs, ys) };
}

/** Decodes only the ids of a stored batch, in order. */
export function decodeIds(payload: Uint8Array): string[] {
  const input = new ByteReader(payload);
  return readIds(input, input.varint());
}

/** Decodes only the rooms of a stored batch. */
export function decodeRooms(payload: Uint8Array): string[] {
  const input = new ByteReader(payload);
  readIds(input, input.varint());
  input.text();
  return JSON.parse(input.text()) as string[];
}

/** Decodes the events of a stored batch, in order. `getRoomPoints` returns the points of the batch in a room. */
export function decodeBatch(
  payload: Uint8Array,
  getRoomPoints: (room: string) => Float64Array,
): TelemetryEvent[] {
  const input = new ByteReader(payload);
  const ids = readIds(input, input.varint());
  const names = JSON.parse(input.text()) as string[];
  const rooms = JSON.parse(input.text()) as string[];
  const codes = readRuns(input);
  const roomIndexes = readRuns(input);
  const times = readTimes(input, ids.length);
  const data = JSON.parse(input.text()) as (Record<string, unknown> | null)[];
  const columns = rooms.map((room) => ({ room, xy: getRoomPoints(room), next: 0 }));
  let [nextPosition, nextData] = [0, 0];
  const takePosition = () => {
    const column = columns[roomIndexes[nextPosition++] ?? 0];
    if (!column) throw new RangeError("A stored batch refers to a missing room");
    const point = column.next++;
    return { x: column.xy[point] ?? 0, y: column.xy[column.xy.length / 2 + point] ?? 0, room: column.room };
  };
  return ids.map((id, index) => {
    const code = codes[index] ?? BARE_POSITION;
    const timestamp = times[index] ?? 0;
    if (code === BARE_POSITION) return { id, name: EVENTS.position, timestamp, data: takePosition() };
    const eventData = data[nextData++];
    const name = names[code - 1] ?? "";
    const event = eventData ? { id, name, timestamp, data: eventData } : { id, name, timestamp };
    if (name === EVENTS.position && readPosition(event)) takePosition();
    return event;
  });
}

function readTimes(input: ByteReader, length: number): number[] {
  let last = 0;
  return Array.from({ length }, () => {
    last += input.signed();
    return last;
  });
}

/**
 * Writes each id as the length of the prefix that it shares with the previous id, and the rest. A run of ids that count up
 * from the previous id is written as one number: the length of the previous id plus the length of the run. The two cases
 * cannot be confused, because a shared prefix is never longer than the previous id.
 */
function writeIds(writer: ByteWriter, events: readonly TelemetryEvent[]): void {
  let last = "";
  for (let index = 0; index < events.length; ) {
    const previous = last;
    let run = 0;
    for (
      let next = incrementId(last);
      next !== null && next === events[index]?.id;
      next = incrementId(last)
    ) {
      last = next;
      run += 1;
      index += 1;
    }
    if (run > 0) writer.varint(previous.length + run);
    const id = events[index]?.id;
    if (id === undefined) return;
    const maxShared = Math.min(last.length, id.length);
    let shared = 0;
    while (shared < maxShared && last.charCodeAt(shared) === id.charCodeAt(shared)) shared += 1;
    if (shared > 0 && isHighSurrogate(id.charCodeAt(shared - 1))) shared -= 1;
    writer.varint(shared);
    writer.text(id.slice(shared));
    last = id;
    index += 1;
  }
}

/** Adds one to the digits at the end of an id. Null if it does not end in digits, or if the result would be longer. */
function incrementId(id: string): string | null {
  let ninesStart = id.length;
  while (ninesStart > 0 && id.charCodeAt(ninesStart - 1) === NINE) ninesStart -= 1;
  const digit = ninesStart > 0 ? id.charCodeAt(ninesStart - 1) : 0;
  if (digit < ZERO || digit >= NINE) return null;
  return id.slice(0, ninesStart - 1) + String.fromCharCode(digit + 1) + "0".repeat(id.length - ninesStart);
}

const [ZERO, NINE] = ["0".charCodeAt(0), "9".charCodeAt(0)];

const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff;

function readIds(input: ByteReader, length: number): string[] {
  const ids: string[] = [];
  let last = "";
  while (ids.length < length) {
    const shared = input.varint();
    const run = shared - last.length;
    if (run <= 0) {
      last = last.slice(0, shared) + input.text();
      ids.push(last);
    }
    for (let remaining = Math.min(run, length - ids.length); remaining > 0; remaining -= 1) {
      last = incrementId(last) ?? "";
      ids.push(last);
    }
  }
  return ids;
}

function writeRuns(writer: ByteWriter, numbers: readonly number[]): void {
  const runs: number[] = [];
  for (let start = 0; start < numbers.length; ) {
    let end = start + 1;
    while (end < numbers.length && numbers[end] === numbers[start]) end += 1;
    runs.push(numbers[start] ?? 0, end - start);
    start = end;
  }
  writer.varint(runs.length / 2);
  for (const number of runs) writer.varint(number);
}

function readRuns(input: ByteReader): number[] {
  const numbers: number[] = [];
  for (let runs = input.varint(); runs > 0; runs -= 1) {
    const number = input.varint();
    for (let repeats = input.varint(); repeats > 0; repeats -= 1) numbers.push(number);
  }
  return numbers;
}

/** Numbers words in the order they first appear. */
class WordIndex {
  readonly words: string[] = [];
  readonly #indexes = new Map<string, number>();

  indexFor(word: string): number {
    const known = this.#indexes.get(word);
    if (known !== undefined) return known;
    const index = this.words.push(word) - 1;
    this.#indexes.set(word, index);
    return index;
  }
}
