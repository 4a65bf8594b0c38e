/** All cells of a heatmap as rows, for spreadsheets and programs. */
import { cellBounds } from "../../../charts/densest.ts";
import type { HeatmapView, RoomBounds } from "../../../charts/heatmap-view.ts";
import type { TableColumn } from "../../../render/columns.ts";
import { renderCsv } from "../../../render/csv.ts";

export interface CellRow extends RoomBounds {
  readonly room: string;
  readonly x: number;
  readonly y: number;
  /** Positions. In a difference: share of the room's positions in b minus the share in a. */
  readonly count: number;
  /** Scaled to 0..1, or -1..1 in a difference. */
  readonly value: number;
}

/** The cells with positions, by room, then y, then x. */
export function cellRows({ rooms }: HeatmapView): CellRow[] {
  return rooms.flatMap((room) =>
    room.values.flatMap((value, at) => {
      const count = room.counts[at] ?? null;
      if (value === null || count === null) return [];
      const cell = { x: at % room.cellsX, y: Math.floor(at / room.cellsX) };
      return [{ room: room.room, ...cell, ...cellBounds(room, at), count, value }];
    }),
  );
}

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
