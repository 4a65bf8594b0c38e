/** All cells of a heatmap as CSV. */
import { type CellRow, cellRows } from "../../../charts/cell-rows.ts";
import type { HeatmapView } from "../../../charts/heatmap-view.ts";
import type { TableColumn } from "../../../render/columns.ts";
import { renderCsv } from "../../../render/csv.ts";

/** CSV with one row per cell. */
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
