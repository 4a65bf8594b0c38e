/**
 * How a batch of events is stored: ids front-coded or counted, names and rooms as runs of numbers, times as differences, data as JSON.
 * A position event that holds nothing but x, y and room keeps its doubles in the room's chunk alone.
 */

import { EVENTS } from "../../shared/event-names.ts";
import { packPoints, type RoomPoints } from "../positions/points.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";
import { type Position, readPosition, type TelemetryEvent } from "./events.ts";

export interface EncodedBatch {
  readonly payload: Uint8Array;
  readonly rooms: readonly RoomPoints[];
}

/** The code of an event whose data is its position alone; names are coded from 1. */
const BARE_POSITION = 0;

/** Encodes events in the order they are given. */
export function encodeBatch(events: readonly TelemetryEvent[]): EncodedBatch {
  const names = new WordIndex();
  const columns = new RoomColumns();
  const codes: number[] = [];
  const data: string[] = [];
  for (const event of events) {
    const position = readPosition(event);
    if (position) columns.add(position);
    if (position && isBarePosition(event, position)) {
      codes.push(BARE_POSITION);
    } else {
      codes.push(names.indexFor(event.name) + 1);
      data.push(event.data ? JSON.stringify(event.data) : "null");
    }
  }
  const out = new ByteWriter();
  out.varint(events.length);
  writeIds(out, events);
  out.text(JSON.stringify(names.words));
  out.text(JSON.stringify(columns.rooms.words));
  writeRuns(out, codes);
  writeRuns(out, columns.places);
  writeTimes(out, events);
  out.text(`[${data.join(",")}]`);
  return { payload: out.toBytes(), rooms: columns.finish() };
}

/** Gathers positions by room. */
class RoomColumns {
  readonly rooms = new WordIndex();
  /** The number of the room of each position, in order. */
  readonly places: number[] = [];
  readonly #columns: { xs: number[]; ys: number[] }[] = [];

  add({ x, y, room }: Position): void {
    const place = this.rooms.indexFor(room);
    if (place === this.#columns.length) this.#columns.push({ xs: [], ys: [] });
    this.#columns[place]?.xs.push(x);
    this.#columns[place]?.ys.push(y);
    this.places.push(place);
  }

  finish(): RoomPoints[] {
    return this.#columns.map((column, place) => toRoomPoints(this.rooms.words[place] ?? "", column));
  }
}

function writeTimes(out: ByteWriter, events: readonly TelemetryEvent[]): void {
  let last = 0;
  for (const { timestamp } of events) {
    out.signed(timestamp - last);
    last = timestamp;
  }
}

function isBarePosition(event: TelemetryEvent, position: Position): boolean {
  let fields = 0;
  for (const _ in event.data) fields += 1;
  return fields === 3 && event.data?.room === position.room;
}

function toRoomPoints(room: string, { xs, ys }: { xs: number[]; ys: number[] }): RoomPoints {
  let [xMin, xMax, yMin, yMax] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const x of xs) {
    if (x < xMin) xMin = x;
    if (x > xMax) xMax = x;
  }
  for (const y of ys) {
    if (y < yMin) yMin = y;
    if (y > yMax) yMax = y;
  }
  return { room, points: xs.length, xMin, xMax, yMin, yMax, xy: packPoints(xs, ys) };
}

/** The ids of a stored batch, in order, without decoding the rest. */
export function decodeIds(payload: Uint8Array): string[] {
  const input = new ByteReader(payload);
  return readIds(input, input.varint());
}

/** The rooms of a stored batch's positions. */
export function decodeRooms(payload: Uint8Array): string[] {
  const input = new ByteReader(payload);
  readIds(input, input.varint());
  input.text();
  return JSON.parse(input.text()) as string[];
}

/** The events of a stored batch, in order; `xyOf` gives a room's columns as they were stored with it. */
export function decodeBatch(payload: Uint8Array, xyOf: (room: string) => Float64Array): TelemetryEvent[] {
  const input = new ByteReader(payload);
  const ids = readIds(input, input.varint());
  const names = JSON.parse(input.text()) as string[];
  const rooms = JSON.parse(input.text()) as string[];
  const codes = readRuns(input);
  const places = readRuns(input);
  const times = readTimes(input, ids.length);
  const data = JSON.parse(input.text()) as (Record<string, unknown> | null)[];
  const columns = rooms.map((room) => ({ room, xy: xyOf(room), next: 0 }));
  let [placed, told] = [0, 0];
  const takePosition = () => {
    const column = columns[places[placed++] ?? 0];
    if (!column) throw new RangeError("A stored batch names a room it does not hold");
    const at = column.next++;
    return { x: column.xy[at] ?? 0, y: column.xy[column.xy.length / 2 + at] ?? 0, room: column.room };
  };
  return ids.map((id, at) => {
    const code = codes[at] ?? BARE_POSITION;
    const timestamp = times[at] ?? 0;
    if (code === BARE_POSITION) return { id, name: EVENTS.position, timestamp, data: takePosition() };
    const own = data[told++];
    const name = names[code - 1] ?? "";
    const event = own ? { id, name, timestamp, data: own } : { id, name, timestamp };
    if (readPosition(event)) takePosition();
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
 * Ids share beginnings with the one before. Those that count on from it are told by how many they are: that number and
 * the length of the one before, which no beginning is longer than.
 */
function writeIds(out: ByteWriter, events: readonly TelemetryEvent[]): void {
  let last = "";
  for (let index = 0; index < events.length; ) {
    const before = last;
    let counted = 0;
    for (
      let next = incrementId(last);
      next !== null && next === events[index]?.id;
      next = incrementId(last)
    ) {
      last = next;
      counted += 1;
      index += 1;
    }
    if (counted > 0) out.varint(before.length + counted);
    const id = events[index]?.id;
    if (id === undefined) return;
    const most = Math.min(last.length, id.length);
    let shared = 0;
    while (shared < most && last.charCodeAt(shared) === id.charCodeAt(shared)) shared += 1;
    if (shared > 0 && isHighSurrogate(id.charCodeAt(shared - 1))) shared -= 1;
    out.varint(shared);
    out.text(id.slice(shared));
    last = id;
    index += 1;
  }
}

/** The id that counts on from one that ends in digits, of the same length; null where there is none. */
function incrementId(id: string): string | null {
  let nines = id.length;
  while (nines > 0 && id.charCodeAt(nines - 1) === NINE) nines -= 1;
  const digit = nines > 0 ? id.charCodeAt(nines - 1) : 0;
  if (digit < ZERO || digit >= NINE) return null;
  return id.slice(0, nines - 1) + String.fromCharCode(digit + 1) + "0".repeat(id.length - nines);
}

const [ZERO, NINE] = ["0".charCodeAt(0), "9".charCodeAt(0)];

const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff;

function readIds(input: ByteReader, length: number): string[] {
  const ids: string[] = [];
  let last = "";
  while (ids.length < length) {
    const shared = input.varint();
    const counted = shared - last.length;
    if (counted <= 0) {
      last = last.slice(0, shared) + input.text();
      ids.push(last);
    }
    for (let left = Math.min(counted, length - ids.length); left > 0; left -= 1) {
      last = incrementId(last) ?? "";
      ids.push(last);
    }
  }
  return ids;
}

function writeRuns(out: ByteWriter, numbers: readonly number[]): void {
  const runs: number[] = [];
  for (let at = 0; at < numbers.length; ) {
    let end = at + 1;
    while (end < numbers.length && numbers[end] === numbers[at]) end += 1;
    runs.push(numbers[at] ?? 0, end - at);
    at = end;
  }
  out.varint(runs.length / 2);
  for (const number of runs) out.varint(number);
}

function readRuns(input: ByteReader): number[] {
  const numbers: number[] = [];
  for (let left = input.varint(); left > 0; left -= 1) {
    const number = input.varint();
    for (let run = input.varint(); run > 0; run -= 1) numbers.push(number);
  }
  return numbers;
}

/** Numbers words in the order they first appear. */
class WordIndex {
  readonly words: string[] = [];
  readonly #known = new Map<string, number>();

  indexFor(word: string): number {
    const known = this.#known.get(word);
    if (known !== undefined) return known;
    const number = this.words.push(word) - 1;
    this.#known.set(word, number);
    return number;
  }
}
