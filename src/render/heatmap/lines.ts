/** Colored lines with a known width, so that blocks can be placed side by side. */
import type { Paint, Style } from "../style.ts";
import { displayWidth } from "../text.ts";
import { wrapText } from "../wrap.ts";

export interface PaintedLine {
  /** The text with escape sequences for colors. */
  readonly text: string;
  /** Width in columns, without escape sequences. */
  readonly width: number;
}

/** A styled line. The text must not contain control characters. */
export function paintLine(text: string, paint: Paint, style: Style | null = null): PaintedLine {
  return { text: paint(text, style), width: displayWidth(text) };
}

/** Wraps and styles a text. */
export function wrapAndPaint(
  text: string,
  width: number,
  paint: Paint,
  style: Style | null = null,
): PaintedLine[] {
  return wrapText(text, width).map((line) => paintLine(line, paint, style));
}

/** Places pieces with gaps of two spaces on as few lines as possible. */
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

/** Places blocks of lines side by side, each `width` columns wide, with a gap between them. */
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
