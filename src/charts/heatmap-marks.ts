/** The marks over a heatmap: where players died, and where their sessions ended. */

import { type HeatmapMarks, type HeatmapRoom, type MarkKind, markKinds } from "../contract/heatmaps.ts";
import { formatCount } from "../shared/words.ts";
import type { MarkSummary, RoomBounds, RoomMarks, RoomView } from "./heatmap-view.ts";

const isKnown = (kind: string): kind is MarkKind => (markKinds as readonly string[]).includes(kind);

/** The marks of one room. Those outside its bounds, and kinds that a newer service added, are left out. */
export function listRoomMarks(
  marks: readonly HeatmapMarks[],
  { room, bounds, outside }: Pick<HeatmapRoom, "room" | "bounds" | "outside">,
): RoomMarks[] {
  const isInside = ({ x, y }: RoomMarks["points"][number]) =>
    outside === undefined || (x >= bounds.xMin && x <= bounds.xMax && y >= bounds.yMin && y <= bounds.yMax);
  return marks.flatMap(({ kind, rooms }) => {
    const points = rooms
      .filter((entry) => entry.room === room)
      .flatMap((entry) => entry.points.filter(isInside));
    return isKnown(kind) && points.length > 0 ? [{ kind, points }] : [];
  });
}

/** What the marks of a kind show, for a legend. */
export function summarizeMarks(marks: HeatmapMarks): MarkSummary[] {
  const { kind } = marks;
  if (!isKnown(kind)) return [];
  const text = kind === "deaths" ? describeDeaths(marks) : describeQuits(marks);
  return [{ kind, text, isEmpty: marks.total === 0 }];
}

const sumPoints = ({ rooms }: HeatmapMarks) =>
  rooms.reduce((sum, { points }) => sum + points.reduce((part, { count }) => part + count, 0), 0);

function describeDeaths(marks: HeatmapMarks): string {
  const { events, total, withoutPosition } = marks;
  const names = events.join(", ");
  if (total === 0) {
    return withoutPosition === 0
      ? `no deaths: no event named ${names} matches`
      : `no deaths: none of ${formatCount(withoutPosition, "event")} (${names}) has a position`;
  }
  return [`${formatCount(sumPoints(marks), "death")} (${names})`, ...describeMissing(withoutPosition)].join(
    "; ",
  );
}

function describeQuits(marks: HeatmapMarks): string {
  const { total, withoutPosition, isLimited } = marks;
  if (total === 0) {
    return withoutPosition === 0
      ? "no quits: no session has ended"
      : `no quits: none of ${formatCount(withoutPosition, "ended session")} has a position`;
  }
  const which = isLimited
    ? "last positions of the newest ended sessions"
    : "last positions of ended sessions";
  return [`${sumPoints(marks)} ${which}`, ...describeMissing(withoutPosition)].join("; ");
}

const describeMissing = (count: number) => (count === 0 ? [] : [`${count} without a position`]);

/** The index of the cell of a point in a grid over the bounds of the room, or the nearest cell. */
export function findCell(
  { bounds, cellsX, cellsY }: Pick<RoomView, "bounds" | "cellsX" | "cellsY">,
  { x, y }: { readonly x: number; readonly y: number },
): { readonly column: number; readonly row: number } {
  const { xMin, xMax, yMin, yMax }: RoomBounds = bounds;
  return { column: findIndex(x, xMin, xMax, cellsX), row: findIndex(y, yMin, yMax, cellsY) };
}

/** Halved, because the difference of two doubles may overflow. */
function findIndex(value: number, min: number, max: number, cells: number): number {
  const share = max > min ? (value / 2 - min / 2) / (max / 2 - min / 2) : 0;
  return Math.min(cells - 1, Math.max(0, Math.floor(share * cells)));
}
