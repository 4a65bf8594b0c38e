/** Lines that know their width, so that coloured ones can stand side by side. */
import type { Paint, Style } from "../style.ts";
import { displayWidth } from "../text.ts";
import { wrapText } from "../wrap.ts";

export interface PaintedLine {
  /** As it is written, with the escapes of its colours. */
  readonly text: string;
  /** Columns that it takes. */
  readonly width: number;
}

/** A line of clean text. */
export function paintLine(text: string, paint: Paint, style: Style | null = null): PaintedLine {
  return { text: paint(text, style), width: displayWidth(text) };
}

/** Clean text in lines of a width. */
export function wrapAndPaint(
  text: string,
  width: number,
  paint: Paint,
  style: Style | null = null,
): PaintedLine[] {
  return wrapText(text, width).map((line) => paintLine(line, paint, style));
}

/** Pieces one after the other with two spaces between, on as few lines of a width as hold them. */
export function flowPieces(pieces: readonly PaintedLine[], width: number): PaintedLine[] {
  const lines: PaintedLine[] = [];
  for (const piece of pieces) {
    const last = lines.at(-1);
    if (last && last.width + 2 + piece.width <= width) {
      lines[lines.length - 1] = { text: `${last.text}  ${piece.text}`, width: last.width + 2 + piece.width };
    } else lines.push(piece);
  }
  return lines;
}

/** Blocks of lines next to each other, each `width` columns wide, with so many columns between. */
export function sideBySide(
  blocks: readonly (readonly PaintedLine[])[],
  width: number,
  gap: number,
): PaintedLine[] {
  const height = Math.max(0, ...blocks.map((block) => block.length));
  return Array.from({ length: height }, (_, at) =>
    blocks.reduce<PaintedLine>(
      (line, block, column) => {
        const own = block[at];
        if (!own || own.width === 0) return line;
        const start = column * (width + gap);
        const blank = " ".repeat(Math.max(0, start - line.width));
        return { text: line.text + blank + own.text, width: line.width + blank.length + own.width };
      },
      { text: "", width: 0 },
    ),
  );
}
