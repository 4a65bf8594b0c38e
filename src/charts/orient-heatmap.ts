/** Shows a heatmap in the coordinates of its game: with the y axis flipped, and relative to an origin in each room. */
import type { HeatmapView, RoomBounds, RoomPath, RoomView } from "./heatmap-view.ts";

export interface HeatmapOrientation {
  /** Whether to draw the y axis the other way round. */
  readonly isFlipped: boolean;
  /** The point of each room that is shown as 0,0, in world units. */
  readonly origins: ReadonlyMap<string, { readonly x: number; readonly y: number }>;
}

/** Changes how a heatmap is drawn and labeled. The cells and their values stay the same. */
export function orientHeatmap(view: HeatmapView, { isFlipped, origins }: HeatmapOrientation): HeatmapView {
  const orient = (room: RoomView): RoomView => {
    const origin = origins.get(room.room) ?? { x: 0, y: 0 };
    return {
      ...room,
      yUp: room.yUp !== isFlipped,
      bounds: moveBounds(room.bounds, origin),
      marks: room.marks.map(({ kind, points }) => ({
        kind,
        points: points.map(({ x, y, count }) => ({ x: x - origin.x, y: y - origin.y, count })),
      })),
      ...(room.paths && { paths: room.paths.map((path) => movePath(path, origin)) }),
      single: room.single && orient(room.single),
    };
  };
  return { ...view, rooms: view.rooms.map(orient) };
}

const movePath = (
  { outcome, points }: RoomPath,
  origin: { readonly x: number; readonly y: number },
): RoomPath => ({
  outcome,
  points: points.map(({ x, y }) => ({ x: x - origin.x, y: y - origin.y })),
});

/** The bounds relative to a point. */
export function moveBounds(
  { xMin, xMax, yMin, yMax }: RoomBounds,
  { x, y }: { readonly x: number; readonly y: number } = { x: 0, y: 0 },
): RoomBounds {
  return { xMin: xMin - x, xMax: xMax - x, yMin: yMin - y, yMax: yMax - y };
}
