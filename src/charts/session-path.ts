/** The path of one session, room by room: the later the player was in a cell, the darker it is. */
import { GRID, type Heatmap, type HeatmapMarks, type MarkKind } from "../contract/heatmaps.ts";
import type { SessionEventItem } from "../contract/session-events.ts";
import { type EventData, readEventRoom } from "../shared/event-data.ts";
import { defaultEventNames, EVENTS } from "../shared/event-names.ts";
import { cropRange } from "../shared/robust-range.ts";
import { measurePointTimes, readTrace, readTraceBounds } from "../shared/traces.ts";
import { findCell, listRoomMarks, summarizeMarks } from "./heatmap-marks.ts";
import { describeOutside } from "./heatmap-notes.ts";
import { type HeatmapView, plainRoom, type RoomBounds, type RoomView } from "./heatmap-view.ts";

interface Point {
  readonly x: number;
  readonly y: number;
  readonly offsetMs: number;
}

/** Positions that are further apart in time are not connected, ms. */
const MAX_GAP_MS = 10_000;
const DEATHS: ReadonlySet<string> = new Set([
  ...defaultEventNames.failure,
  ...defaultEventNames["failure-state"],
]);

/** What a heatmap of the game says about its deaths and rooms. */
export type PathStyle = Pick<Heatmap, "rooms" | "marks">;

const NO_STYLE: PathStyle = { rooms: [] };

/** The rooms in the order in which the player entered them. Deaths and the last position are marked. */
export function viewSessionPath(
  session: string,
  items: readonly SessionEventItem[],
  { rooms: known, marks = [] }: PathStyle = NO_STYLE,
): HeatmapView {
  const byRoom = new Map(known.map((room) => [room.room, room]));
  const sorted = items
    .flatMap(expandTrace)
    .map((item) => projectItem(item, byRoom))
    .toSorted((a, b) => a.offsetMs - b.offsetMs);
  const positions = sorted.filter(({ name }) => name === EVENTS.position);
  const sent = readSentBounds(items);
  const drawn = [...groupByRoom(positions)].map(([room, points]) =>
    drawRoom(room, points, byRoom.get(room)?.yUp ?? false, sent.get(room)),
  );
  const configured = marks.find(({ kind }) => kind === "deaths")?.events;
  const names = configured === undefined ? DEATHS : new Set(configured);
  const outside = drawn.reduce((sum, room) => sum + room.outside, 0);
  const deaths = toMarks(
    "deaths",
    sorted.filter(({ name }) => names.has(name)),
    names,
  );
  const last = toMarks("quits", positions.filter(({ data }) => readPoint(data) !== null).slice(-1), names);
  const rooms = drawn.map(({ view, outside }) => ({
    ...view,
    marks: listRoomMarks([deaths, last], { room: view.room, bounds: view.bounds, outside }),
  }));
  return {
    kind: "path",
    game: session,
    about: "",
    sides: null,
    rooms,
    positions: rooms.reduce((sum, { total }) => sum + total, 0),
    notShown: 0,
    marks: [
      ...summarizeMarks(deaths),
      { kind: "quits", text: "the last position", isEmpty: rooms.length === 0 },
    ],
    notes: describeOutside(outside),
  };
}

/** The bounds of rooms that traces name; those of the last trace of each room. */
function readSentBounds(items: readonly SessionEventItem[]): Map<string, RoomBounds> {
  const sent = new Map<string, RoomBounds>();
  for (const item of items) {
    const [room, bounds] = [readEventRoom(item.data), readTraceBounds(item)];
    if (room !== null && bounds !== null) sent.set(room, bounds);
  }
  return sent;
}

/** The positions of a trace, or the event itself. */
function expandTrace(item: SessionEventItem): SessionEventItem[] {
  const points = readTrace(item);
  if (points === null) return [item];
  const times = measurePointTimes(item, points.length);
  const { room, player } = item.data ?? {};
  return points.map((point, at) => ({
    ...{ ...item, name: EVENTS.position, data: { ...point, room, player } },
    offsetMs: item.offsetMs + (times[at] ?? 0),
  }));
}

/** An event with the x and y that the picture of its room has. */
function projectItem(
  item: SessionEventItem,
  rooms: ReadonlyMap<string, Heatmap["rooms"][number]>,
): SessionEventItem {
  const { data } = item;
  const { plane } = rooms.get(readEventRoom(data) ?? "") ?? {};
  if (!data || (plane !== "xz" && plane !== "zy")) return item;
  return { ...item, data: plane === "xz" ? { ...data, y: data.z } : { ...data, x: data.z } };
}

/** Marks where events happened. */
function toMarks(
  kind: MarkKind,
  items: readonly SessionEventItem[],
  names: ReadonlySet<string>,
): HeatmapMarks {
  const rooms = [...groupByRoom(items)].map(([room, points]) => ({
    room,
    points: points.map(({ x, y }) => ({ x, y, count: 1 })),
  }));
  const total = rooms.reduce((sum, { points }) => sum + points.length, 0);
  const events = items.length === 0 ? [...names] : [...new Set(items.map(({ name }) => name))];
  return { kind, events, total, withoutPosition: items.length - total, isLimited: false, rooms };
}

function groupByRoom(items: readonly SessionEventItem[]): Map<string, Point[]> {
  const rooms = new Map<string, Point[]>();
  for (const { data, offsetMs } of items) {
    const [room, point] = [readEventRoom(data), readPoint(data)];
    if (room === null || room === "" || point === null) continue;
    const points = rooms.get(room) ?? [];
    rooms.set(room, points);
    points.push({ ...point, offsetMs });
  }
  return rooms;
}

function readPoint(data: EventData): { readonly x: number; readonly y: number } | null {
  const { x, y } = data ?? {};
  return typeof x === "number" && typeof y === "number" && Number.isFinite(x) && Number.isFinite(y)
    ? { x, y }
    : null;
}

const isInside = ({ x, y }: Pick<Point, "x" | "y">, { xMin, xMax, yMin, yMax }: RoomBounds) =>
  x >= xMin && x <= xMax && y >= yMin && y <= yMax;

/** A room without marks, and how many of its positions are outside the picture. */
function drawRoom(
  room: string,
  points: readonly Point[],
  yUp: boolean,
  sent: RoomBounds | undefined,
): { readonly view: RoomView; readonly outside: number } {
  const [xMin, xMax] = findRange(points.map(({ x }) => x));
  const [yMin, yMax] = findRange(points.map(({ y }) => y));
  const measured = { xMin, xMax, yMin, yMax };
  const count = (area: RoomBounds) => points.filter((point) => isInside(point, area)).length;
  // Bounds that leave out more than the outliers have other units, or are those of another room.
  const bounds = sent !== undefined && count(sent) >= count(measured) ? sent : measured;
  const { cellsX, cellsY } = GRID;
  const inside = points.filter((point) => isInside(point, bounds));
  const values = new Array<number | null>(cellsX * cellsY).fill(null);
  let previous: Point | null = null;
  for (const [at, point] of inside.entries()) {
    const isConnected = previous !== null && point.offsetMs - previous.offsetMs <= MAX_GAP_MS;
    const from = findCell({ bounds, cellsX, cellsY }, isConnected && previous !== null ? previous : point);
    const to = findCell({ bounds, cellsX, cellsY }, point);
    const steps = Math.max(Math.abs(to.column - from.column), Math.abs(to.row - from.row), 1);
    for (let step = 1; step <= steps; step += 1) {
      const column = Math.round(from.column + ((to.column - from.column) * step) / steps);
      const row = Math.round(from.row + ((to.row - from.row) * step) / steps);
      values[row * cellsX + column] = (at + 1) / inside.length;
    }
    previous = point;
  }
  return {
    outside: points.length - inside.length,
    view: {
      ...plainRoom,
      ...{ room, bounds, yUp, cellsX, cellsY, values, counts: values, most: 1, total: points.length },
    },
  };
}

function findRange(values: readonly number[]): readonly [number, number] {
  const all = [
    values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY),
    values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY),
  ] as const;
  return cropRange(values, all) ?? all;
}
