/** What the picture of a heatmap shows, without colours and layout: rooms of cells, of one build or between two. */
import type { Heatmap } from "../contract/heatmaps.ts";

/** World units, as the service tells them. */
export interface RoomBounds {
  readonly xMin: number;
  readonly xMax: number;
  readonly yMin: number;
  readonly yMax: number;
}

/** One room. Cells lie row by row, `y * cellsX + x`, and y grows downwards; null is a cell where nobody was. */
export interface RoomView {
  readonly room: string;
  readonly bounds: RoomBounds;
  readonly cellsX: number;
  readonly cellsY: number;
  /** Density: the contract's intensity, 0..1. Difference: -1..1, in parts of `most`. */
  readonly values: ReadonlyArray<number | null>;
  /** Density: positions. Difference: the cell's share of b's positions in the room less its share of a's, -1..1. */
  readonly counts: ReadonlyArray<number | null>;
  /** The largest of `counts`, without its sign; 0 where there is none. */
  readonly most: number;
  /** Positions in the room; those of b in a difference. */
  readonly total: number;
  /** Positions of a in a difference, else null. */
  readonly before: number | null;
  /** False where the service's numbers do not give whole counts back, so that counts are the nearest there are. */
  readonly exact: boolean;
  /** True where the cells of a or b were spread over a common grid by area. */
  readonly resampled: boolean;
  /** In a difference, the build that shows no such room. */
  readonly missing: "a" | "b" | null;
  /** In a difference, the build of which the service could not say whether it has this room; all cells are null then. */
  readonly unknown: "a" | "b" | null;
}

/** One build of a difference. */
export interface BuildHeatmap {
  readonly build: string;
  readonly heatmap: Heatmap;
  /** Rooms of the other build that the service could not say anything about. */
  readonly unknown: ReadonlySet<string>;
}

export interface HeatmapView {
  readonly kind: "density" | "difference";
  readonly game: string;
  /** What the positions are of, such as `build 0.9.0, environment production`; empty for all there are. */
  readonly about: string;
  /** The builds of a difference, else null. */
  readonly sides: { readonly a: string; readonly b: string } | null;
  readonly rooms: readonly RoomView[];
  /** Positions in the rooms shown; those of b in a difference. */
  readonly positions: number;
  /** Positions in rooms not shown; those of both builds in a difference. */
  readonly notShown: number;
}
