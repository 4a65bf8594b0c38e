/** Wraps text into lines of a maximum width. */
import { displayWidth, segmentGraphemes } from "./width.ts";

/** Splits cleaned text into lines of at most `width` columns. Breaks a word only if it is wider than a line. */
export function wrapText(text: string, width: number): string[] {
  if (!Number.isFinite(width)) return text.split("\n");
  const max = Math.max(2, Math.floor(width));
  return text.split("\n").flatMap((line) => (displayWidth(line) <= max ? [line] : wrapLine(line, max)));
}

/**
 * Splits a cleaned line at blanks into lines of at most `width` columns. Code in backquotes, URLs and paths stay on one
 * line, even if they are wider, so that they can be copied.
 */
export function wrapSentence(line: string, width: number): string[] {
  if (displayWidth(line) <= width) return [line];
  const joined = line.split("`").map((part, at) => (at % 2 === 1 ? part.replaceAll(" ", "\u00a0") : part));
  return wrapLine(joined.join("`"), width, (word) => [word]).map((part) => part.replaceAll("\u00a0", " "));
}

function wrapLine(line: string, width: number, split = breakWord): string[] {
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
    const pieces = wide > width ? split(word, width) : [word];
    current = pieces.pop() ?? "";
    taken = displayWidth(current);
    lines.push(...pieces);
  }
  lines.push(current);
  return lines;
}

/** Splits a word that is wider than a line into pieces that fit. */
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
