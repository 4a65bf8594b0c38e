/** heatmap --cells: the densest cells as a list, and all cells as CSV. */
import { type CellRow, cellRows } from "../../../charts/cell-rows.ts";
import { densestCells, type RankedCell } from "../../../charts/densest.ts";
import type { HeatmapView } from "../../../charts/heatmap-view.ts";
import type { TableColumn } from "../../../render/columns.ts";
import { renderCsv } from "../../../render/csv.ts";
import { formatPoints } from "../../../render/heatmap/legend.ts";
import { formatTenths } from "../../../render/numbers.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
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

/** The bounds of a cell are rounded for people, and exact in files. */
const formatBound = (bound: number) => numberLabel(bound, 0.1);

const locationColumns = defineColumns<RankedCell>({
  room: { header: "ROOM", shrink: 1 },
  xMin: { header: "X FROM", format: ({ xMin }) => formatBound(xMin) },
  xMax: { header: "X TO", format: ({ xMax }) => formatBound(xMax) },
  yMin: { header: "Y FROM", format: ({ yMin }) => formatBound(yMin) },
  yMax: { header: "Y TO", format: ({ yMax }) => formatBound(yMax) },
});

const densityColumns = [
  ...locationColumns,
  ...defineColumns<RankedCell>({
    positions: { header: "POSITIONS" },
    share: { header: "SHARE OF ALL ROOMS", format: ({ share }) => formatTenths(Number(share)) },
  }),
];

const differenceColumns = [
  ...locationColumns,
  ...defineColumns<RankedCell>({
    change: {
      header: "CHANGE (PP)",
      format: ({ change }) => formatPoints(Number(change), Math.abs(Number(change))),
    },
  }),
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
