/** heatmap --cells: the densest cells as a list, and all cells as CSV. */

import { type CellRow, cellRows } from "../../../charts/cell-rows.ts";
import { densestCells, type RankedCell } from "../../../charts/densest.ts";
import type { HeatmapView } from "../../../charts/heatmap-view.ts";
import type { TableColumn } from "../../../render/columns.ts";
import { renderCsv } from "../../../render/csv.ts";
import { formatPoints } from "../../../render/heatmap/legend.ts";
import { formatTenths } from "../../../render/numbers.ts";
import { numberLabel } from "../../../render/ticks.ts";
import { createTable, type Result } from "../../command.ts";

/** The first `limit` cells as a table and JSON. */
export function cellsResult(view: HeatmapView, limit: number): Result {
  const cells = densestCells(view, limit);
  const { game, about, positions, notShown } = view;
  if (view.kind === "density") {
    const rows = cells.map(({ change: _, ...cell }) => cell);
    return {
      data: { game, about, eventCount: positions + notShown, cells: rows },
      table: createTable(cells, densityColumns, "No positions match."),
      items: rows,
    };
  }
  const rows = cells.map(({ positions: _, share: __, ...cell }) => cell);
  return {
    data: { game, about, ...view.sides, cells: rows },
    table: createTable(cells, differenceColumns, "No changes, or no positions match."),
    items: rows,
  };
}

/** A bound of the cell: rounded for people, exact in files. */
function boundColumn(key: "xMin" | "xMax" | "yMin" | "yMax", header: string): TableColumn<RankedCell> {
  return { key, header, value: (cell) => cell[key], format: (value) => numberLabel(Number(value), 0.1) };
}

const locationColumns: readonly TableColumn<RankedCell>[] = [
  { key: "room", header: "ROOM", value: ({ room }) => room, shrink: 1 },
  boundColumn("xMin", "X FROM"),
  boundColumn("xMax", "X TO"),
  boundColumn("yMin", "Y FROM"),
  boundColumn("yMax", "Y TO"),
];

const densityColumns: readonly TableColumn<RankedCell>[] = [
  ...locationColumns,
  { key: "positions", header: "POSITIONS", value: ({ positions }) => positions },
  {
    key: "share",
    header: "SHARE OF ALL ROOMS",
    value: ({ share }) => share,
    format: (value) => formatTenths(Number(value)),
  },
];

const differenceColumns: readonly TableColumn<RankedCell>[] = [
  ...locationColumns,
  {
    key: "change",
    header: "CHANGE (PP)",
    value: ({ change }) => change,
    format: (value) => formatPoints(Number(value), Math.abs(Number(value))),
  },
];

export function cellsCsv(view: HeatmapView): string {
  const [count, value] =
    view.kind === "density" ? (["positions", "intensity"] as const) : (["change", "scaled"] as const);
  const columns: readonly TableColumn<CellRow>[] = [
    ...(["room", "x", "y", "xMin", "xMax", "yMin", "yMax"] as const).map((key) => ({
      key,
      header: key,
      value: (row: CellRow) => row[key],
    })),
    { key: count, header: count, value: (row) => row.count },
    { key: value, header: value, value: (row) => row.value },
  ];
  return renderCsv(cellRows(view), columns, ",");
}
