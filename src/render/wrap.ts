/** Breaks text for people into lines of a width. */
import { displayWidth, segmentGraphemes } from "./width.ts";

/** The lines of a clean text, none wider than `width` columns; words stay whole where they fit a line. */
export function wrapText(text: string, width: number): string[] {
  if (!Number.isFinite(width)) return text.split("\n");
  const most = Math.max(2, Math.floor(width));
  return text.split("\n").flatMap((line) => (displayWidth(line) <= most ? [line] : wrapLine(line, most)));
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = "";
  let taken = 0;
  for (const word of line.split(" ")) {
    const wide = displayWidth(word);
    if (current !== "" && taken + 1 + wide <= width) {
      current += ` ${word}`;
      taken += 1 + wide;
      continue;
    }
    if (current !== "") lines.push(current);
    const pieces = wide > width ? breakWord(word, width) : [word];
    current = pieces.pop() ?? "";
    taken = displayWidth(current);
    lines.push(...pieces);
  }
  lines.push(current);
  return lines;
}

/** A word wider than a line, in pieces that fit one. */
function breakWord(word: string, width: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  let taken = 0;
  for (const cluster of segmentGraphemes(word)) {
    if (taken + cluster.width > width && piece !== "") {
      pieces.push(piece);
      piece = "";
      taken = 0;
    }
    piece += cluster.part;
    taken += cluster.width;
  }
  return [...pieces, piece];
}
