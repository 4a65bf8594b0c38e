/**
 * The binary format of a stored telemetry batch: ids with shared prefixes or as counters, names and rooms as run-length
 * encoded numbers, times as differences, and data as JSON. If the data of a `player_pos` event is only its position, its
 * coordinates are stored only in the position chunk of the room and player. The points of a `trace_chunk` event are also in these
 * chunks, as positions.
 */

import { nestsWithin, TELEMETRY_LIMITS } from "../../contract/telemetry.ts";
import { EVENTS } from "../../shared/event-names.ts";
import { readTrace } from "../../shared/traces.ts";
import { DamagedData, parseStoredJson } from "../core/stored-data.ts";
import {
  type EventPoints,
  formatPlayerRoom,
  NO_PLAYER,
  type PlayerRoom,
  type Points,
  toEventPoints,
} from "../positions/points.ts";
import { decompressPayload } from "./batch-compression.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";
import { type Position, readPosition, readTracePositions, type TelemetryEvent } from "./event-names.ts";

/** A stored batch: its payload, and the number of its events according to its row. */
export interface StoredBatch {
  /** Encoded, or encoded and compressed. */
  readonly payload: Uint8Array;
  readonly event_count: number;
}

export interface EncodedBatch extends StoredBatch {
  /** The positions of every event that has one, by event and room. */
  readonly positions: readonly EventPoints[];
}

/** The code of a position event whose data is only x, y, z, room and player, or some of them. The codes of names begin at 1. */
const BARE_POSITION = 0;

/**
 * How a batch refers to the name of traces whose points are positions. No event has this name. In the list of names it is a
 * list with the name of the event, because batches of earlier versions have traces without positions.
 */
const STORED_TRACE = "";

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
    const trace = readTracePositions(event);
    if (position) getColumns(event.name).add(position);
    for (const point of trace ?? []) playerColumns.add(point);
    if (position && event.name === EVENTS.position && isBarePosition(event, position)) {
      codes.push(BARE_POSITION);
    } else {
      codes.push(names.indexFor(trace === null ? event.name : STORED_TRACE) + 1);
      data.push(event.data ? JSON.stringify(event.data) : "null");
    }
  }
  const writer = new ByteWriter();
  writer.varint(events.length);
  writeIds(writer, events);
  writer.text(JSON.stringify(names.words.map((name) => (name === STORED_TRACE ? [EVENTS.trace] : name))));
  writer.text(JSON.stringify(playerColumns.rooms.map(toRoomWord)));
  writeRuns(writer, codes);
  writeRuns(writer, playerColumns.roomIndexes);
  writeTimes(writer, events);
  writer.text(`[${data.join(",")}]`);
  const positions = [...columns].flatMap(([event, eventColumns]) => eventColumns.finish(event));
  return { payload: writer.toBytes(), event_count: events.length, positions };
}

/** Coordinates of positions. `zs` is null until a position has a z. */
interface Columns {
  readonly xs: number[];
  readonly ys: number[];
  zs: number[] | null;
}

/** Collects positions by room and player. */
class RoomColumns {
  readonly rooms: PlayerRoom[] = [];
  /** The index of the room and player of each position, in order. */
  readonly roomIndexes: number[] = [];
  readonly #keys = new WordIndex();
  readonly #columns: Columns[] = [];

  add({ x, y, z, room, player = NO_PLAYER }: Position): void {
    const index = this.#keys.indexFor(formatPlayerRoom({ room, player }));
    if (index === this.#columns.length) {
      this.rooms.push({ room, player });
      this.#columns.push({ xs: [], ys: [], zs: null });
    }
    const column = this.#columns[index];
    if (column) addPoint(column, x, y, z);
    this.roomIndexes.push(index);
  }

  finish(event: string): EventPoints[] {
    return this.#columns.flatMap((column, index) => {
      const room = this.rooms[index];
      return room ? [toEventPoints(event, room, column)] : [];
    });
  }
}

function addPoint(column: Columns, x: number, y: number, z: number | undefined): void {
  if (z !== undefined) column.zs ??= column.xs.map(() => Number.NaN);
  column.xs.push(x);
  column.ys.push(y);
  column.zs?.push(z ?? Number.NaN);
}

/** How a batch names a room, or a room with a player. */
const toRoomWord = ({ room, player }: PlayerRoom): string | [string, string] =>
  player === NO_PLAYER ? room : [room, player];

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
  const { z, room, player } = position;
  const expected = 3 + (z === undefined ? 0 : 1) + (player === undefined ? 0 : 1);
  return (
    fields === expected && event.data?.room === room && (player ?? event.data.player) === event.data.player
  );
}

/**
 * The largest payload. The data of a body is encoded again, and the longest form of a number is 5 times as long as its
 * shortest one.
 */
export const MAX_PAYLOAD_BYTES = 8 * TELEMETRY_LIMITS.bodyBytes;

/** Decodes only the ids of a stored batch, in order. Throws DamagedData. */
export function decodeIds(batch: StoredBatch): string[] {
  return openBatch(batch).ids;
}

/** The id and time of a stored event. */
type EventOutline = Pick<TelemetryEvent, "id" | "timestamp">;

/** Decodes only the ids and times of a stored batch, in order. Throws DamagedData. */
export function decodeOutlines(batch: StoredBatch): EventOutline[] {
  const { input, ids } = openBatch(batch);
  const names = readNames(input);
  readRooms(input, ids.length);
  readRuns(input, ids.length);
  readRuns(input, limitPositions(names, ids.length));
  const times = readTimes(input, ids.length);
  return ids.map((id, index) => ({ id, timestamp: times[index] ?? 0 }));
}

/** Decodes only the names of the events of a stored batch, each once. Throws DamagedData. */
export function decodeNames(batch: StoredBatch): string[] {
  const names = readNames(openBatch(batch).input);
  return [...new Set(names.map((name) => (name === STORED_TRACE ? EVENTS.trace : name)))];
}

/** The most positions of a batch: one of each event, or as many as a body has room for if there are traces. */
const limitPositions = (names: readonly string[], events: number): number =>
  names.includes(STORED_TRACE) ? Math.floor(TELEMETRY_LIMITS.bodyBytes / MIN_TRACE_POINT_BYTES) : events;

/** The bytes of the shortest point of a trace in JSON, such as `[1,2]`. */
const MIN_TRACE_POINT_BYTES = 5;

/** How many positions the chunks of a batch have of an event whose data is stored. */
function countStoredPositions(event: TelemetryEvent): number {
  if (event.name === STORED_TRACE) return readTrace({ ...event, name: EVENTS.trace })?.length ?? 0;
  return event.name === EVENTS.position && readPosition(event) ? 1 : 0;
}

const toSentName = (event: TelemetryEvent): TelemetryEvent =>
  event.name === STORED_TRACE ? { ...event, name: EVENTS.trace } : event;

/** Decodes only the rooms of a stored batch, once for each player. Throws DamagedData. */
export function decodeRooms(batch: StoredBatch): PlayerRoom[] {
  const { input } = openBatch(batch);
  readNames(input);
  return readRooms(input, batch.event_count);
}

/**
 * Decodes the events of a stored batch, in order. `getPoints` returns the points of the batch in a room. Throws DamagedData
 * unless the batch and its points are exactly what `encodeBatch` produces: a batch may come from an archive
 * that another program has written.
 */
export function decodeBatch(batch: StoredBatch, getPoints: (room: PlayerRoom) => Points): TelemetryEvent[] {
  const { input, ids } = openBatch(batch);
  const names = readNames(input);
  const rooms = readRooms(input, ids.length);
  const codes = readRuns(input, ids.length);
  const roomIndexes = readRuns(input, limitPositions(names, ids.length));
  const times = readTimes(input, ids.length);
  const data = readData(input);
  if (input.remaining > 0) throw new DamagedData("A stored batch has more bytes than it should");
  if (codes.length !== ids.length) throw new DamagedData("A stored batch has the wrong number of names");
  const positions = new PositionReader(rooms, roomIndexes, getPoints);
  let nextData = 0;
  const events = ids.map((id, index) => {
    const code = codes[index] ?? BARE_POSITION;
    const timestamp = times[index] ?? 0;
    if (code === BARE_POSITION) return { id, name: EVENTS.position, timestamp, data: positions.next() };
    const [name, eventData] = [names[code - 1], data[nextData++]];
    if (name === undefined || eventData === undefined)
      throw new DamagedData("A stored batch refers to a missing name or to missing data");
    const event = eventData ? { id, name, timestamp, data: eventData } : { id, name, timestamp };
    const stored = countStoredPositions(event);
    for (let index = 0; index < stored; index += 1) positions.next();
    return toSentName(event);
  });
  if (nextData < data.length) throw new DamagedData("A stored batch has data of no event");
  positions.requireEnd();
  return events;
}

/**
 * Decodes the events of a stored batch, in order, without the coordinates of position events whose data is only a
 * position: their data is only the room and the player. This needs no other rows than the batch. Throws DamagedData.
 */
export function decodeWithoutCoordinates(batch: StoredBatch): TelemetryEvent[] {
  const { input, ids } = openBatch(batch);
  const names = readNames(input);
  const rooms = readRooms(input, ids.length).map(toPlace);
  const codes = readRuns(input, ids.length);
  const roomIndexes = readRuns(input, limitPositions(names, ids.length));
  const times = readTimes(input, ids.length);
  const data = readData(input);
  let [nextData, nextPosition] = [0, 0];
  return ids.map((id, index) => {
    const code = codes[index] ?? BARE_POSITION;
    const timestamp = times[index] ?? 0;
    if (code === BARE_POSITION) {
      const position = rooms[roomIndexes[nextPosition++] ?? -1];
      if (!position) throw new DamagedData("A stored batch refers to a missing room");
      return { id, name: EVENTS.position, timestamp, data: position };
    }
    const [name, eventData] = [names[code - 1], data[nextData++]];
    if (name === undefined || eventData === undefined)
      throw new DamagedData("A stored batch refers to a missing name or to missing data");
    const event = eventData ? { id, name, timestamp, data: eventData } : { id, name, timestamp };
    nextPosition += countStoredPositions(event);
    return toSentName(event);
  });
}

/** Reads the ids at the start of a batch. Every event takes at least one byte, so the ids are never far more than the bytes. */
function openBatch({ payload, event_count }: StoredBatch): { input: ByteReader; ids: string[] } {
  if (payload.length > MAX_PAYLOAD_BYTES) throw new DamagedData("A stored batch is too large");
  const input = new ByteReader(decompressPayload(payload, MAX_PAYLOAD_BYTES));
  const count = input.varint();
  if (count !== event_count) throw new DamagedData("A stored batch has the wrong number of events");
  if (count > TELEMETRY_LIMITS.events || count > input.remaining)
    throw new DamagedData("A stored batch has too many events");
  return { input, ids: readIds(input, count) };
}

/** Takes the positions of a batch one by one. */
class PositionReader {
  readonly #columns: { readonly room: PlayerRoom; readonly points: Points; used: number }[];
  readonly #roomIndexes: readonly number[];
  #used = 0;

  constructor(
    rooms: readonly PlayerRoom[],
    roomIndexes: readonly number[],
    getPoints: (room: PlayerRoom) => Points,
  ) {
    this.#columns = rooms.map((room) => ({ room, points: getPoints(room), used: 0 }));
    this.#roomIndexes = roomIndexes;
  }

  next(): Position & Record<string, unknown> {
    const column = this.#columns[this.#roomIndexes[this.#used++] ?? -1];
    if (!column) throw new DamagedData("A stored batch refers to a missing room");
    const {
      room,
      points: { xy, z: heights },
    } = column;
    const index = column.used++;
    const z = heights?.[index] ?? Number.NaN;
    const [x, y] = [xy[index], xy[xy.length / 2 + index]];
    if (x === undefined || y === undefined || !Number.isFinite(x) || !Number.isFinite(y))
      throw new DamagedData("A stored batch refers to missing positions");
    const place = toPlace(room);
    return Number.isFinite(z) ? { x, y, z, ...place } : { x, y, ...place };
  }

  /** Throws DamagedData unless every position was taken. */
  requireEnd(): void {
    const isComplete =
      this.#used === this.#roomIndexes.length &&
      this.#columns.every(({ points, used }) => points.xy.length === 2 * used);
    if (!isComplete) throw new DamagedData("A stored batch has positions of no event");
  }
}

/** The room and the player of a position. */
const toPlace = ({ room, player }: PlayerRoom) => (player === NO_PLAYER ? { room } : { room, player });

const isWord = (value: unknown, max: number): value is string =>
  typeof value === "string" && value.length >= 1 && value.length <= max;

function readNames(input: ByteReader): string[] {
  const names = parseStoredJson(input.text(), "The list of names of a stored batch");
  const isTrace = (name: unknown) => Array.isArray(name) && name.length === 1 && name[0] === EVENTS.trace;
  const isName = (name: unknown) => isTrace(name) || isWord(name, TELEMETRY_LIMITS.eventName);
  if (Array.isArray(names) && names.every(isName))
    return names.map((name) => (isTrace(name) ? STORED_TRACE : name));
  throw new DamagedData("A stored batch has an invalid list of names");
}

function readRooms(input: ByteReader, maxRooms: number): PlayerRoom[] {
  const words = parseStoredJson(input.text(), "The list of rooms of a stored batch");
  const rooms = Array.isArray(words) && words.length <= maxRooms ? words.flatMap(readRoomWord) : null;
  const isValid = rooms?.length === (words as unknown[]).length;
  if (rooms && isValid && new Set(rooms.map(formatPlayerRoom)).size === rooms.length) return rooms;
  throw new DamagedData("A stored batch has an invalid list of rooms");
}

/** The room, and the player if the word names one; empty if the word is not valid. */
function readRoomWord(word: unknown): PlayerRoom[] {
  const [room, player, ...rest] = Array.isArray(word) ? word : [word, NO_PLAYER];
  if (!isWord(room, Number.POSITIVE_INFINITY) || rest.length > 0) return [];
  if (!Array.isArray(word)) return [{ room, player: NO_PLAYER }];
  return isWord(player, TELEMETRY_LIMITS.player) ? [{ room, player }] : [];
}

function readData(input: ByteReader): (Record<string, unknown> | null)[] {
  const data = parseStoredJson(input.text(), "The data of a stored batch");
  const isEventData = (value: unknown) =>
    typeof value === "object" && !Array.isArray(value) && nestsWithin(value, TELEMETRY_LIMITS.nesting);
  if (Array.isArray(data) && data.every(isEventData)) return data;
  throw new DamagedData("A stored batch has data that is no JSON object");
}

function readTimes(input: ByteReader, length: number): number[] {
  let last = 0;
  return Array.from({ length }, () => {
    last += input.signed();
    if (last < 0 || !Number.isSafeInteger(last))
      throw new DamagedData("A stored batch has a time outside the valid range");
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
    if (run > length - ids.length) throw new DamagedData("A stored batch has too many ids");
    if (run <= 0) {
      last = last.slice(0, shared) + input.text();
      if (!isWord(last, TELEMETRY_LIMITS.eventId)) throw new DamagedData("A stored batch has an invalid id");
      ids.push(last);
    }
    for (let remaining = run; remaining > 0; remaining -= 1) {
      const next = incrementId(last);
      if (next === null) throw new DamagedData("A stored batch has ids that cannot be counted up");
      last = next;
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

/** Reads at most `max` numbers. */
function readRuns(input: ByteReader, max: number): number[] {
  const numbers: number[] = [];
  for (let runs = input.varint(); runs > 0; runs -= 1) {
    const number = input.varint();
    const repeats = input.varint();
    if (repeats === 0 || repeats > max - numbers.length)
      throw new DamagedData("A stored batch has runs that are longer than its events");
    for (let remaining = repeats; remaining > 0; remaining -= 1) numbers.push(number);
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
