/** Converts the world units of a room to pixels, with or without a level image. */
import type { RoomBounds, RoomView } from "../../charts/heatmap-view.ts";

/** A level image and the bounds that it covers, in world units. */
export interface LevelMap {
  /** The image as a data URI. */
  readonly uri: string;
  readonly bounds: RoomBounds;
}

export interface PlotFrame {
  readonly bounds: RoomBounds;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Pixels from the left or the top. */
  x(value: number): number;
  y(value: number): number;
}

/** Minimum length of the shorter side in pixels, so that a narrow corridor has space for its axes. */
const MIN_SIDE = 120;
/** Maximum height in pixels. */
const MAX_HEIGHT = 560;

/**
 * Computes the largest frame that contains the bounds of the room and the level image, keeps their aspect ratio, and is
 * at most `most` pixels wide.
 */
export function computeFrame(room: RoomView, map: LevelMap | null, most: number): PlotFrame {
  const bounds = map === null ? room.bounds : unionBounds(room.bounds, map.bounds);
  const [xs, ys] = [bounds.xMax / 2 - bounds.xMin / 2, bounds.yMax / 2 - bounds.yMin / 2];
  const shape = xs > 0 && ys > 0 ? ys / xs : room.cellsY / room.cellsX;
  const high = Math.min(most, MAX_HEIGHT);
  const fitted = shape * most <= high ? [most, shape * most] : [high / shape, high];
  const [wide, tall] = fitted.map((pixels) => Math.max(Math.min(MIN_SIDE, most), pixels)) as [number, number];
  // Without a level image, cells have a whole number of pixels, so that their edges are sharp.
  const whole = (pixels: number, cells: number) => Math.max(1, Math.floor(pixels / cells)) * cells;
  const width = map === null ? whole(wide, room.cellsX) : Math.round(wide);
  const height = map === null ? whole(tall, room.cellsY) : Math.round(tall);
  return {
    bounds,
    width,
    height,
    x: (value) => toShare(value, bounds.xMin, bounds.xMax) * width,
    y: (value) => {
      const share = toShare(value, bounds.yMin, bounds.yMax);
      return (room.yUp ? 1 - share : share) * height;
    },
  };
}

/** 0 at min, 1 at max. Halved, because the difference of two doubles may overflow. */
const toShare = (value: number, min: number, max: number) =>
  max > min ? (value / 2 - min / 2) / (max / 2 - min / 2) : 0;

const unionBounds = (a: RoomBounds, b: RoomBounds): RoomBounds => ({
  xMin: Math.min(a.xMin, b.xMin),
  xMax: Math.max(a.xMax, b.xMax),
  yMin: Math.min(a.yMin, b.yMin),
  yMax: Math.max(a.yMax, b.yMax),
});
