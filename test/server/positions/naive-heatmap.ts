/** A straightforward computation of heatmaps from all points. */
import type { HeatmapRoom } from "../../../src/contract/heatmaps.ts";
import type { SentEvent } from "../telemetry-helpers.ts";

const [CELLS_X, CELLS_Y, MAX_ROOMS] = [32, 18, 12];

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Groups valid points by room. */
function pointsByRoom(events: readonly SentEvent[], event: string): Map<string, Point[]> {
  const rooms = new Map<string, Point[]>();
  for (const { name, data } of events) {
    if (name !== event || !data) continue;
    const { x, y, room } = data;
    if (typeof x !== "number" || typeof y !== "number" || !Number.isFinite(x) || !Number.isFinite(y))
      continue;
    if (typeof room !== "string" || room === "") continue;
    const points = rooms.get(room) ?? [];
    points.push({ x, y });
    rooms.set(room, points);
  }
  return rooms;
}

function cell(value: number, min: number, max: number, cells: number): number {
  if (max === min) return 0;
  return Math.min(cells - 1, Math.floor(((value - min) / (max - min)) * cells));
}

function computeRoom(room: string, points: readonly Point[]): HeatmapRoom {
  const xMin = points.reduce((min, { x }) => Math.min(min, x), Infinity);
  const xMax = points.reduce((max, { x }) => Math.max(max, x), -Infinity);
  const yMin = points.reduce((min, { y }) => Math.min(min, y), Infinity);
  const yMax = points.reduce((max, { y }) => Math.max(max, y), -Infinity);
  const counts = new Map<string, number>();
  for (const { x, y } of points) {
    const key = `${cell(y, yMin, yMax, CELLS_Y)},${cell(x, xMin, xMax, CELLS_X)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const max = Math.max(...counts.values());
  const cells = [];
  for (let y = 0; y < CELLS_Y; y += 1) {
    for (let x = 0; x < CELLS_X; x += 1) {
      const count = counts.get(`${y},${x}`) ?? 0;
      if (count > 0) cells.push({ x, y, intensity: Math.log(1 + count) / Math.log(1 + max) });
    }
  }
  return {
    room,
    cellsX: CELLS_X,
    cellsY: CELLS_Y,
    cells,
    totalEvents: points.length,
    bounds: { xMin, xMax, yMin, yMax },
  };
}

/** Computes the expected heatmap of one event among all events, converted through JSON, where -0 becomes 0. */
export function naiveHeatmap(
  events: readonly SentEvent[],
  event = "player_pos",
): { rooms: HeatmapRoom[]; eventCount: number } {
  const all = [...pointsByRoom(events, event)].sort(
    ([a, m], [b, n]) => n.length - m.length || (a < b ? -1 : 1),
  );
  const rooms = all.slice(0, MAX_ROOMS).map(([room, points]) => computeRoom(room, points));
  const eventCount = all.reduce((sum, [, points]) => sum + points.length, 0);
  return JSON.parse(JSON.stringify({ rooms, eventCount })) as { rooms: HeatmapRoom[]; eventCount: number };
}
