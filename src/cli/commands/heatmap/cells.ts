/** heatmap --cells: the densest cells as a list. */
import { densestCells, type RankedCell } from "../../../pictures/densest.ts";
import type { Picture } from "../../../pictures/picture.ts";
import type { Column } from "../../../render/columns.ts";
import { formatPoints } from "../../../render/heatmap/legend.ts";
import { formatTenths } from "../../../render/numbers.ts";
import { numberLabel } from "../../../render/ticks.ts";
import { type Result, tableOf } from "../../command.ts";

/** The first `limit` cells, as rows of a table and as JSON. */
export function cellsResult(picture: Picture, limit: number): Result {
  const cells = densestCells(picture, limit);
  const { game, about, positions, notShown } = picture;
  if (picture.kind === "density") {
    const rows = cells.map(({ change: _, ...cell }) => cell);
    return {
      data: { game, about, eventCount: positions + notShown, cells: rows },
      table: tableOf(cells, densityColumns, "No positions match."),
      items: rows,
    };
  }
  const rows = cells.map(({ positions: _, share: __, ...cell }) => cell);
  return {
    data: { game, about, ...picture.sides, cells: rows },
    table: tableOf(cells, differenceColumns, "Nothing changed, or no positions match."),
    items: rows,
  };
}

/** A bound of the cell: for people with the digits that tell it from the next, bare in files. */
function bound(key: "xMin" | "xMax" | "yMin" | "yMax", header: string): Column<RankedCell> {
  return { key, header, value: (cell) => cell[key], format: (value) => numberLabel(Number(value), 0.1) };
}

const where: readonly Column<RankedCell>[] = [
  { key: "room", header: "ROOM", value: ({ room }) => room, shrink: 1 },
  bound("xMin", "X FROM"),
  bound("xMax", "X TO"),
  bound("yMin", "Y FROM"),
  bound("yMax", "Y TO"),
];

const densityColumns: readonly Column<RankedCell>[] = [
  ...where,
  { key: "positions", header: "POSITIONS", value: ({ positions }) => positions },
  {
    key: "share",
    header: "SHARE",
    value: ({ share }) => share,
    format: (value) => formatTenths(Number(value)),
  },
];

const differenceColumns: readonly Column<RankedCell>[] = [
  ...where,
  {
    key: "change",
    header: "POINTS",
    value: ({ change }) => change,
    format: (value) => formatPoints(Number(value), Math.abs(Number(value))),
  },
];
