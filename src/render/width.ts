/** Measures how many terminal columns text takes, and truncates or pads it to a width. */
import { ASCII, hasPictograph, hasVisible, isWide, SIMPLE } from "./characters.ts";

const KEYCAP = /^[\d#*]\ufe0f?\u20e3/;
const MODIFIER = /[\u{1f3fb}-\u{1f3ff}]/u;
const FLAG = /^[\u{1f1e6}-\u{1f1ff}]{2}/u;
const ELLIPSIS = "…";
/** UTF-16 units per call of the segmenter, which takes seconds for long texts. */
const SEGMENT_UNITS = 512;

let segmenter: Intl.Segmenter | undefined;

/** A user-perceived character (grapheme cluster) and the columns it takes. */
export interface GraphemeCluster {
  readonly part: string;
  readonly width: number;
}

export function* segmentGraphemes(text: string): Generator<GraphemeCluster> {
  if (SIMPLE.test(text)) {
    for (const part of text) yield { part, width: isWide(part.codePointAt(0) ?? 0) ? 2 : 1 };
    return;
  }
  segmenter ??= new Intl.Segmenter("en");
  for (let from = 0; from < text.length; ) {
    const parts = [...segmenter.segment(text.slice(from, from + SEGMENT_UNITS))].map(
      ({ segment }) => segment,
    );
    // The last cluster may continue in the next slice, so it is segmented again there.
    if (from + SEGMENT_UNITS < text.length && parts.length > 1) parts.pop();
    for (const part of parts) {
      yield { part, width: clusterWidth(part) };
      from += part.length;
    }
  }
}

function clusterWidth(cluster: string): number {
  if (cluster.length === 1) return hasVisible(cluster) ? (isWide(cluster.charCodeAt(0)) ? 2 : 1) : 0;
  return isEmoji(cluster) ? 2 : measureVisible(cluster);
}

function isEmoji(cluster: string): boolean {
  if (KEYCAP.test(cluster) || FLAG.test(cluster)) return true;
  if (!hasPictograph(cluster)) return false;
  return cluster.includes("\ufe0f") || MODIFIER.test(cluster) || isJoined(cluster);
}

const isJoined = (cluster: string) => /\u200d\p{Extended_Pictographic}/u.test(cluster);

/** Terminals draw each letter of a cluster separately, but combine the vowels and finals of a Hangul syllable. */
function measureVisible(cluster: string): number {
  let width = 0;
  let inSyllable = false;
  for (const character of cluster) {
    const point = character.codePointAt(0) ?? 0;
    const joins: boolean = inSyllable && isHangulVowelOrFinal(point);
    if (!joins && hasVisible(character)) width += isWide(point) ? 2 : 1;
    inSyllable = joins || isHangulStart(point);
  }
  return width;
}

const isHangulStart = (point: number) =>
  (point >= 0x1100 && point <= 0x115f) ||
  (point >= 0xa960 && point <= 0xa97c) ||
  (point >= 0xac00 && point <= 0xd7a3);

const isHangulVowelOrFinal = (point: number) =>
  (point >= 0x1160 && point <= 0x11ff) || (point >= 0xd7b0 && point <= 0xd7fb);

/** The columns that one line of text takes in a terminal. Invisible characters take none. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const cluster of segmentGraphemes(text)) width += cluster.width;
  return width;
}

/** Truncates text to at most `width` columns and ends it with `…` if it is longer. Never splits a grapheme cluster. */
export function truncate(text: string, width: number): string {
  if (!(width >= 1)) return "";
  if (ASCII.test(text)) return text.length <= width ? text : text.slice(0, Math.floor(width) - 1) + ELLIPSIS;
  let taken = 0;
  let length = 0;
  let end = 0;
  for (const cluster of segmentGraphemes(text)) {
    taken += cluster.width;
    if (taken > width) return text.slice(0, end) + ELLIPSIS;
    length += cluster.part.length;
    if (taken <= width - 1) end = length;
  }
  return text;
}

/** Pads text with spaces to `width` columns. Longer text is unchanged. */
export function pad(text: string, width: number, align: "left" | "right" = "left"): string {
  const blank = " ".repeat(Math.max(0, width - displayWidth(text)));
  return align === "left" ? text + blank : blank + text;
}
