/** Every cell of a heatmap as a row: for spreadsheets and programs. */
import { cellBounds } from "../../../charts/densest.ts";
import type { HeatmapView, RoomBounds } from "../../../charts/heatmap-view.ts";
import type { TableColumn } from "../../../render/columns.ts";
import { renderCsv } from "../../../render/csv.ts";

export interface CellRow extends RoomBounds {
  readonly room: string;
  readonly x: number;
  readonly y: number;
  /** Positions; in a difference b's share of the room's less a's. */
  readonly count: number;
  /** 0..1, or -1..1 in a difference. */
  readonly value: number;
}

/** The cells where somebody was, by room, then y, then x. */
export function cellRows({ rooms }: HeatmapView): CellRow[] {
  return rooms.flatMap((room) =>
    room.values.flatMap((value, at) => {
      const count = room.counts[at] ?? null;
      if (value === null || count === null) return [];
      const place = { x: at % room.cellsX, y: Math.floor(at / room.cellsX) };
      return [{ room: room.room, ...place, ...cellBounds(room, at), count, value }];
    }),
  );
}

/** A header and a row a cell. */
export function cellsCsv(picture: HeatmapView): string {
  const [count, value] =
    picture.kind === "density" ? (["positions", "intensity"] as const) : (["change", "scaled"] as const);
  const columns: readonly TableColumn<CellRow>[] = [
    ...(["room", "x", "y", "xMin", "xMax", "yMin", "yMax"] as const).map((key) => ({
      key,
      header: key,
      value: (row: CellRow) => row[key],
    })),
    { key: count, header: count, value: (row) => row.count },
    { key: value, header: value, value: (row) => row.value },
  ];
  return renderCsv(cellRows(picture), columns, ",");
}
