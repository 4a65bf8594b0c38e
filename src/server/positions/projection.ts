/** Projects positions with three coordinates onto the plane in which their room is drawn. */
import {
  AUTO_PLANE,
  type Floor,
  type Plane,
  type PlaneChoice,
  type PlaneOrigin,
} from "../../contract/heatmap-planes.ts";
import { EVENTS } from "../../shared/event-names.ts";
import { SOURCES } from "../../shared/session-sources.ts";
import type { Db } from "../db/schema.ts";
import type { Points } from "./points.ts";
import { type PositionFilter, type RoomPositions, streamHeights } from "./position-queries.ts";
import type { RoomSettings } from "./room-settings-queries.ts";

/** How the positions of a room are drawn. */
export interface Projection {
  readonly plane: Plane;
  readonly from: PlaneOrigin;
  /** Draws only positions whose third coordinate is in this range; null to draw all. */
  readonly floor: Floor | null;
  /** The number of floors of the room. */
  readonly floors: number;
}

/** The parameters of a request that decide how rooms are drawn. */
export interface ProjectionChoice {
  readonly plane?: PlaneChoice | undefined;
  /** The number of the floor, from 1. */
  readonly floor?: number | undefined;
}

/** Whether a room is drawn by x and y as they were sent, without any of its positions left out. */
export const isAsSent = (projection: Projection | null): boolean =>
  projection === null || (projection.plane === "xy" && projection.floor === null);

/**
 * How a room is drawn: in the plane of the request, else in that of its settings, else in the one that its positions extend over.
 * Null for a room without z, which is drawn by x and y. Undefined if the room does not have the floor.
 */
export async function resolveProjection(
  db: Db,
  filter: PositionFilter,
  room: RoomPositions,
  settings: RoomSettings | undefined,
  choice: ProjectionChoice,
): Promise<Projection | null | undefined> {
  const requested = choice.plane === AUTO_PLANE ? undefined : choice.plane;
  const known = settings?.plane ?? settings?.sentPlane ?? null;
  const isFlat = room.zMin === null && known === null && choice.floor === undefined;
  if (isFlat && requested === undefined) return null;
  const own = known ?? (await guessPlane(db, filter, room.room));
  const plane = requested ?? own;
  // The ranges of floors belong to the axis that the room's own plane leaves out.
  const floors = plane === own ? (settings?.floors ?? []) : [];
  const floor = choice.floor === undefined ? null : floors[choice.floor - 1];
  if (floor === undefined) return undefined;
  const from = requested ? "request" : settings?.plane ? "set" : settings?.sentPlane ? "sent" : "guessed";
  return { plane, from, floor, floors: floors.length };
}

/** The share of positions at each end that the spread of an axis ignores. */
const TAIL = 0.05;

/**
 * The plane of the two axes over which positions are spread most. It depends on the room only, not on the build or environment of
 * a request, so that pictures of two builds have the same plane.
 */
async function guessPlane(db: Db, { gameId, event }: PositionFilter, room: string): Promise<Plane> {
  for (const name of new Set([EVENTS.position, event])) {
    const axes: [x: number[], y: number[], z: number[]] = [[], [], []];
    for await (const { points, layout } of streamHeights(db, { gameId, event: name }, room))
      forEachPoint(points, layout, (x, y, z) => {
        if (Number.isNaN(z)) return;
        for (const [axis, value] of [x, y, z].entries()) axes[axis]?.push(value);
      });
    const [x, y, z] = axes.map(measureSpread);
    if (x === undefined || y === undefined || z === undefined || axes[0].length === 0) continue;
    if (z <= x && z <= y) return "xy";
    return y <= x ? "xz" : "zy";
  }
  return "xy";
}

function measureSpread(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const beyond = Math.floor(sorted.length * TAIL);
  return (sorted[sorted.length - 1 - beyond] ?? 0) / 2 - (sorted[beyond] ?? 0) / 2;
}

/** How the x and y of stored points follow each other. */
export type PointLayout = "block" | "chunk";

/** Visits points. Those without a z have NaN. */
export function forEachPoint(
  { xy, z }: Points,
  layout: PointLayout,
  visit: (x: number, y: number, z: number) => void,
): void {
  const n = xy.length / 2;
  const [step, gap] = layout === "block" ? [2, 1] : [1, n];
  for (let index = 0; index < n; index += 1)
    visit(xy[index * step] ?? 0, xy[index * step + gap] ?? 0, z?.[index] ?? Number.NaN);
}

/** Where a point is in the picture, and its coordinate on the axis that the picture leaves out. */
type PlanePoint = readonly [across: number, down: number, third: number];

const axes = {
  xy: (x: number, y: number, z: number): PlanePoint => [x, y, z],
  xz: (x: number, y: number, z: number): PlanePoint => [x, z, y],
  zy: (x: number, y: number, z: number): PlanePoint => [z, y, x],
} as const satisfies Record<Plane, unknown>;

/** Points in the picture, and how many are not in it. */
export interface ProjectedPoints {
  /** The coordinates of each point in the picture, interleaved. */
  readonly pairs: Float64Array;
  readonly withoutZ: number;
  readonly otherFloors: number;
}

/** The points that are in the plane and on the floor. */
export function projectPoints(
  points: Points,
  layout: PointLayout,
  { plane, floor }: Projection,
): ProjectedPoints {
  const pairs = new Float64Array(points.xy.length);
  let [next, withoutZ, otherFloors] = [0, 0, 0];
  const needsZ = plane !== "xy" || floor !== null;
  forEachPoint(points, layout, (x, y, z) => {
    if (needsZ && Number.isNaN(z)) {
      withoutZ += 1;
      return;
    }
    const [across, down, third] = axes[plane](x, y, z);
    if (!isOnFloor(third, floor)) {
      otherFloors += 1;
      return;
    }
    pairs[next++] = across;
    pairs[next++] = down;
  });
  return { pairs: pairs.subarray(0, next), withoutZ, otherFloors };
}

const isOnFloor = (third: number, floor: Floor | null) =>
  floor === null || (third >= floor[0] && third < floor[1]);

/** The place of one position in the picture; null if it is not in it. */
export function projectPosition(
  { x, y, z = Number.NaN }: { readonly x: number; readonly y: number; readonly z?: number },
  projection: Projection | null,
): { readonly x: number; readonly y: number } | null {
  if (projection === null || isAsSent(projection)) return { x, y };
  const { pairs } = projectPoints({ xy: Float64Array.of(x, y), z: Float64Array.of(z) }, "block", projection);
  const [across, down] = pairs;
  return across === undefined || down === undefined ? null : { x: across, y: down };
}

/**
 * Whether the vertical axis of a picture grows upward. In Unity, it does in every plane. In Unreal, only z does. In the other
 * sources, y grows downward in 2D and upward in 3D, where z grows toward the viewer.
 */
export function growsUpward(source: string, projection: Projection | null): boolean {
  if (source === SOURCES.unity) return true;
  if (source === SOURCES.unreal) return projection?.plane === "xz";
  return projection !== null && projection.plane !== "xz";
}
