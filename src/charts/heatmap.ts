/** Builds view models of heatmaps: the positions of one build, or the difference between two. */
import type { Heatmap } from "../contract/heatmaps.ts";
import { densityRoom } from "./density.ts";
import { differenceRooms } from "./difference.ts";
import { listRoomMarks, summarizeMarks } from "./heatmap-marks.ts";
import { listRoomPaths } from "./heatmap-paths.ts";
import type { BuildHeatmap, HeatmapView } from "./heatmap-view.ts";

/** Converts one response. `about` describes its filters, and `notes` what it does not include. */
export function buildDensityView(heatmap: Heatmap, about = "", notes: readonly string[] = []): HeatmapView {
  const rooms = heatmap.rooms.map((room) => ({
    ...densityRoom(room),
    marks: listRoomMarks(heatmap.marks ?? [], room),
    ...(heatmap.paths ? { paths: listRoomPaths(heatmap.paths, room) } : {}),
  }));
  const positions = rooms.reduce((sum, { total }) => sum + total, 0);
  return {
    kind: "density",
    game: heatmap.game.name,
    about,
    sides: null,
    rooms,
    positions,
    notShown: Math.max(0, heatmap.eventCount - positions - countLeftOut(heatmap)),
    marks: (heatmap.marks ?? []).flatMap(summarizeMarks),
    notes,
  };
}

/** Positions in the rooms shown that are not in the plane or on the floor. */
const countLeftOut = ({ rooms }: Heatmap): number =>
  rooms.reduce((sum, { withoutZ = 0, otherFloors = 0 }) => sum + withoutZ + otherFloors, 0);

/** Compares b with a, room by room: b's rooms in their order, then the rooms that only a has. */
export function buildDifferenceView(
  a: BuildHeatmap,
  b: BuildHeatmap,
  about = "",
  notes: readonly string[] = [],
): HeatmapView {
  const rooms = differenceRooms(a, b);
  const positions = rooms.reduce((sum, { total }) => sum + total, 0);
  const before = rooms.reduce((sum, room) => sum + (room.before ?? 0), 0);
  const countNotShown = (heatmap: Heatmap, shown: number) =>
    Math.max(0, heatmap.eventCount - shown - countLeftOut(heatmap));
  return {
    kind: "difference",
    game: b.heatmap.game.name,
    about,
    sides: { a: a.build, b: b.build },
    rooms,
    positions,
    notShown: countNotShown(a.heatmap, before) + countNotShown(b.heatmap, positions),
    marks: [],
    notes,
  };
}
