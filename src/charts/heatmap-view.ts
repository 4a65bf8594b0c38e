/** The view model of a heatmap, without colors and layout: the rooms of one build, or the difference between two. */
import type { Heatmap, MarkKind, PathOutcome } from "../contract/heatmaps.ts";
import type { TraceBounds } from "../shared/traces.ts";

/** In world units, as returned by the API. */
export type RoomBounds = TraceBounds;

/** One room. Cells are stored row by row (`y * cellsX + x`) from the lowest y to the highest. Null means no positions. */
export interface RoomView {
  readonly room: string;
  readonly bounds: RoomBounds;
  /** Whether y grows upward in drawings, as in engines with the origin at the bottom. */
  readonly yUp: boolean;
  readonly cellsX: number;
  readonly cellsY: number;
  /** Density: intensity, 0..1. Difference: change relative to `most`, -1..1. Path: when the player was there last, 0..1. */
  readonly values: ReadonlyArray<number | null>;
  /** Density: positions. Difference: the cell's share of b's positions in the room minus its share of a's, -1..1. */
  readonly counts: ReadonlyArray<number | null>;
  /** The largest absolute value of `counts`; 0 if there is none. */
  readonly most: number;
  /** Positions in the room. In a difference, those of b. */
  readonly total: number;
  /** In a difference, positions of a; otherwise null. */
  readonly before: number | null;
  /** False if counts are approximate, because they could not be recovered from the intensities. */
  readonly exact: boolean;
  /** Whether the cells of a or b were spread over a common grid by area. */
  readonly resampled: boolean;
  /** In a difference, the build that does not have the room. All cells are null then. */
  readonly missing: "a" | "b" | null;
  /** In a difference, the positions of the only build that has the room, which are drawn instead of changes; otherwise null. */
  readonly single: RoomView | null;
  /** What is marked over the cells; empty in a difference. */
  readonly marks: readonly RoomMarks[];
  /** The paths of sessions that are drawn over the cells; absent without any. */
  readonly paths?: readonly RoomPath[];
  /** In a difference, the build for which the service returned no data about the room. All cells are null then. */
  readonly unknown: "a" | "b" | null;
}

/** What a room has that is drawn as it was recorded, without a comparison or marks. */
export const plainRoom = {
  before: null,
  exact: true,
  resampled: false,
  missing: null,
  single: null,
  marks: [],
  unknown: null,
} as const satisfies Partial<RoomView>;

/** Points over a room: where players died, or where their sessions ended. */
export interface RoomMarks {
  readonly kind: MarkKind;
  /** In world units. `count` marks are at the same point, or in the same cell. */
  readonly points: ReadonlyArray<{ readonly x: number; readonly y: number; readonly count: number }>;
}

/** The path of a session through a room, in world units. */
export interface RoomPath {
  readonly outcome: PathOutcome;
  readonly points: ReadonlyArray<{ readonly x: number; readonly y: number }>;
}

/** The marks of one kind in all rooms that are shown. */
export interface MarkSummary {
  readonly kind: MarkKind;
  /** The number of marks, such as `34 deaths (player_death)`, or why there are none. */
  readonly text: string;
  readonly isEmpty: boolean;
}

/** One build of a difference. */
export interface BuildHeatmap {
  readonly build: string;
  readonly heatmap: Heatmap;
  /** Rooms of the other build for which the service returned no data. */
  readonly unknown: ReadonlySet<string>;
}

/** What is drawn of a room: its cells, or in a difference, the map of the only build that has the room. */
export function selectPicture<View extends Pick<HeatmapView, "kind" | "sides">>(
  room: RoomView,
  view: View,
): { readonly room: RoomView; readonly view: View } {
  return room.single === null
    ? { room, view }
    : { room: room.single, view: { ...view, kind: "density", sides: null } };
}

export interface HeatmapView {
  readonly kind: "density" | "difference" | "path";
  readonly game: string;
  /** The filters, such as `build 0.9.0, environment production`; empty without filters. */
  readonly about: string;
  /** The builds of a difference; otherwise null. */
  readonly sides: { readonly a: string; readonly b: string } | null;
  readonly rooms: readonly RoomView[];
  /** Positions in the rooms shown. In a difference, those of b. */
  readonly positions: number;
  /** Positions in rooms that are not shown. In a difference, those of both builds. */
  readonly notShown: number;
  /** What is marked in any room, with sentences about marks without a position. */
  readonly marks: readonly MarkSummary[];
  /** Sentences about events that are not included, and why. */
  readonly notes: readonly string[];
}
