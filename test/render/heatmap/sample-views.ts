/** Sample views for tests of heatmaps. */

import { type HeatmapView, plainRoom, type RoomView } from "../../../src/charts/heatmap-view.ts";
import fc from "../../property.ts";
import { hostileText } from "../samples.ts";

/** A room of 8 by 4 cells with these counts by index. Other values are derived from them by default. */
export function densityRoom(
  counts: Readonly<Record<number, number>>,
  given: Partial<RoomView> = {},
): RoomView {
  const { cellsX = 8, cellsY = 4 } = given;
  const all = Array.from({ length: cellsX * cellsY }, (_, at) => counts[at] ?? null);
  const most = Math.max(0, ...all.map((count) => count ?? 0));
  return {
    room: "Cave",
    bounds: { xMin: 0, xMax: 800, yMin: -200, yMax: 200 },
    yUp: false,
    cellsX,
    cellsY,
    values: all.map((count) => (count === null ? null : Math.log1p(count) / Math.log1p(most))),
    counts: all,
    most,
    total: all.reduce<number>((sum, count) => sum + (count ?? 0), 0),
    ...plainRoom,
    ...given,
  };
}

/** One position in a corner, a few in a row, and many in the last cell. */
export const cave = densityRoom({ 0: 1, 22: 30, 23: 2, 31: 1000 });

/** A room of a difference, with changes by index: -0.04 is a decrease of 4 percentage points. */
export function differenceRoom(
  changes: Readonly<Record<number, number>>,
  given: Partial<RoomView> = {},
): RoomView {
  const room = densityRoom({}, given);
  const counts = room.values.map((_, at) => changes[at] ?? null);
  const most = Math.max(0, ...counts.map((change) => Math.abs(change ?? 0)));
  const values = counts.map((change) => (change === null || most === 0 ? change : change / most));
  return { ...room, counts, most, values, total: 500, before: 400, ...given };
}

export const changed = differenceRoom({ 0: -0.04, 1: -0.02, 9: 0.0001, 22: 0.03, 31: 0.04 });

export function density(rooms: RoomView[], given: Partial<HeatmapView> = {}): HeatmapView {
  const positions = rooms.reduce((sum, { total }) => sum + total, 0);
  return {
    kind: "density",
    game: "Starfall",
    about: "",
    sides: null,
    rooms,
    positions,
    notShown: 0,
    marks: [],
    notes: [],
    ...given,
  };
}

export const differences = (rooms: RoomView[], given: Partial<HeatmapView> = {}): HeatmapView =>
  density(rooms, { kind: "difference", sides: { a: "0.8.0", b: "0.9.0" }, ...given });

const extreme = fc.oneof(
  fc.constantFrom(-1.7e308, 1.7e308, 5e-324),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -50, max: 50 }),
);

const bounds = fc.tuple(extreme, extreme, extreme, extreme).map(([a, b, c, d]) => ({
  xMin: Math.min(a, b),
  xMax: Math.max(a, b),
  yMin: Math.min(c, d),
  yMax: Math.max(c, d),
}));

const size = { cellsX: fc.constantFrom(1, 2, 32, 100, 128), cellsY: fc.constantFrom(1, 3, 18, 128) };
const about = { room: hostileText, bounds, exact: fc.boolean(), ...size };

/** Any rooms with any bounds and hostile names. */
const densities = fc
  .tuple(fc.record(about), fc.dictionary(fc.nat(600).map(String), fc.integer({ min: 1, max: 1e9 })))
  .map(([given, counts]) => densityRoom(counts, given));
const changes = fc
  .tuple(
    fc.record({
      ...about,
      resampled: fc.boolean(),
      missing: fc.constantFrom("a" as const, "b" as const, null),
    }),
    fc.dictionary(fc.nat(600).map(String), fc.double({ min: -1, max: 1, noNaN: true })),
  )
  .map(([given, counts]) => differenceRoom(counts, given));

const texts = { game: hostileText, about: hostileText, notShown: fc.nat() };

/** Any view of either kind. */
export const anyView = fc.oneof(
  fc
    .tuple(fc.array(densities, { maxLength: 5 }), fc.record(texts))
    .map(([rooms, given]) => density(rooms, given)),
  fc
    .tuple(
      fc.array(changes, { maxLength: 5 }),
      fc.record({ ...texts, sides: fc.record({ a: hostileText, b: hostileText }) }),
    )
    .map(([rooms, given]) => differences(rooms, given)),
);
