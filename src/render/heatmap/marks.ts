/** Marks over the cells of a room in a terminal, as characters. */
import { findCell } from "../../charts/heatmap-marks.ts";
import { listPathCells } from "../../charts/heatmap-paths.ts";
import type { HeatmapView, MarkSummary, RoomView } from "../../charts/heatmap-view.ts";
import { type MarkKind, type PathOutcome, pathOutcomes } from "../../contract/heatmaps.ts";
import { cleanLine } from "../text.ts";
import type { PlotSize } from "./size.ts";

/** The characters of marks. No ramp of cells has them. */
export const markCharacters: Readonly<Record<MarkKind, string>> = { deaths: "x", quits: "o" };
/** Where both kinds of marks are in one cell. */
const BOTH = "&";
const isMark = (character: string) => character === BOTH || Object.values(markCharacters).includes(character);

/** The characters of paths, by what the session did in the room. */
export const pathCharacters: Readonly<Record<PathOutcome, string>> = {
  completed: "c",
  failed: "f",
  quit: "q",
  left: "l",
};

/** The characters of marks by line of text, then column. */
export function placeMarks(
  room: RoomView,
  { columns, rows }: PlotSize,
  rowsPerLine: number,
): ReadonlyMap<number, ReadonlyMap<number, string>> {
  const lines = new Map<number, Map<number, string>>();
  const grid = { bounds: room.bounds, cellsX: columns, cellsY: rows };
  const setCharacter = (column: number, row: number, character: string) => {
    const at = Math.floor((room.yUp ? rows - 1 - row : row) / rowsPerLine);
    const line = lines.get(at) ?? new Map<number, string>();
    lines.set(at, line);
    line.set(column, character);
  };
  for (const path of room.paths ?? [])
    for (const { column, row } of listPathCells(grid, path))
      setCharacter(column, row, pathCharacters[path.outcome]);
  for (const { kind, points } of room.marks) {
    for (const point of points) {
      const { column, row } = findCell(grid, point);
      const at = Math.floor((room.yUp ? rows - 1 - row : row) / rowsPerLine);
      const known = lines.get(at)?.get(column);
      const character = markCharacters[kind];
      const isOther = known !== undefined && known !== character && isMark(known);
      setCharacter(column, row, isOther ? BOTH : character);
    }
  }
  return lines;
}

/** The legend of the marks in words, such as `x: 34 deaths (player_death).`; empty without marks. */
export function describeMarks({ marks, rooms }: HeatmapView): string {
  const texts = marks.map((summary) =>
    summary.isEmpty ? formatText(summary) : `${markCharacters[summary.kind]}: ${formatText(summary)}`,
  );
  const shown = marks.filter(({ isEmpty }) => !isEmpty);
  const used = new Set(rooms.flatMap(({ paths = [] }) => paths.map(({ outcome }) => outcome)));
  for (const outcome of pathOutcomes)
    if (used.has(outcome)) texts.push(`${pathCharacters[outcome]}: path of a session, ${outcome}.`);
  return [...texts, ...(shown.length > 1 ? [`${BOTH}: both.`] : [])].join(" ");
}

/** The text of a summary as a sentence without control characters. */
export const formatText = ({ text }: MarkSummary) => `${cleanLine(text)}.`;
