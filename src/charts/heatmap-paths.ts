/** The paths of sessions over a heatmap: which of them a room has, and what they say in words. */
import { type HeatmapPath, type HeatmapRoom, type PathOutcome, pathOutcomes } from "../contract/heatmaps.ts";
import { findCell } from "./heatmap-marks.ts";
import type { RoomPath } from "./heatmap-view.ts";

const isKnown = (outcome: string): outcome is PathOutcome =>
  (pathOutcomes as readonly string[]).includes(outcome);

/** The paths of one room, by what the sessions did there. Points outside of its bounds divide a path. */
export function listRoomPaths(
  paths: readonly HeatmapPath[],
  { room, bounds: { xMin, xMax, yMin, yMax } }: Pick<HeatmapRoom, "room" | "bounds">,
): RoomPath[] {
  const isInside = ({ x, y }: HeatmapPath["points"][number]) =>
    x >= xMin && x <= xMax && y >= yMin && y <= yMax;
  return paths.flatMap((path) => {
    if (path.room !== room) return [];
    const parts: HeatmapPath["points"][] = [[]];
    for (const point of path.points) {
      if (isInside(point)) parts.at(-1)?.push(point);
      else if (parts.at(-1)?.length !== 0) parts.push([]);
    }
    const outcome = isKnown(path.outcome) ? path.outcome : "left";
    return parts.flatMap((points) => (points.length === 0 ? [] : [{ outcome, points }]));
  });
}

/** What the sessions did in their rooms, such as `Paths of the newest 20 sessions by room: 12 completed, 8 quit.`; empty without paths. */
export function describePaths(paths: readonly HeatmapPath[] | undefined): string[] {
  if (paths === undefined) return [];
  const sessions = new Set(paths.map(({ sessionId }) => sessionId)).size;
  // The outcome is that of the session, and the players of a session have a path each.
  const outcomes = [
    ...new Map(paths.map((path) => [`${path.sessionId} ${path.room}`, path.outcome])).values(),
  ];
  if (sessions === 0) return ["No ended session has a path in these rooms."];
  const counts = pathOutcomes.flatMap((outcome) => {
    const count = outcomes.filter((one) => one === outcome).length;
    return count === 0 ? [] : [`${count} ${outcome}`];
  });
  return [
    `Paths of the newest ${sessions === 1 ? "session" : `${sessions} sessions`} by room: ${counts.join(", ")}.`,
  ];
}

/** The cells that a path passes, in a grid over the bounds of the room. */
export function listPathCells(
  grid: Parameters<typeof findCell>[0],
  { points }: RoomPath,
): { readonly column: number; readonly row: number }[] {
  let from = null as ReturnType<typeof findCell> | null;
  return points.flatMap((point) => {
    const to = findCell(grid, point);
    const start = from ?? to;
    from = to;
    const steps = Math.max(Math.abs(to.column - start.column), Math.abs(to.row - start.row), 1);
    return Array.from({ length: steps }, (_, step) => ({
      column: Math.round(start.column + ((to.column - start.column) * (step + 1)) / steps),
      row: Math.round(start.row + ((to.row - start.row) * (step + 1)) / steps),
    }));
  });
}
