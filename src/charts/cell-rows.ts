/** All cells of a heatmap as rows, for spreadsheets and programs. */
import { cellBounds } from "./densest.ts";
import type { HeatmapView, RoomBounds } from "./heatmap-view.ts";

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
