/** Options, hostile text and checks that the tests of renderers share. */

import type { RenderOptions } from "../../src/render/options.ts";
import fc from "../property.ts";

export const NOW = Date.UTC(2026, 2, 10, 12);

/** A terminal of 80 columns without color, with overrides. */
export function terminal(overrides: Partial<RenderOptions> = {}): RenderOptions {
  return { width: 80, color: 0, plain: false, wide: false, tty: true, now: NOW, tz: "UTC", ...overrides };
}

/** Controls, line separators, bidi controls, tags, fillers and lone surrogates, by code point. */
const FORBIDDEN =
  /[\x00-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\ufffe\uffff\u{e0000}-\u{e007f}\u{1d173}-\u{1d17a}]|\u034f|[\u{e0100}-\u{e01ef}]|\p{Surrogate}/u;

/** The forbidden characters of a text except `allowed`, as code points in hex. */
export function forbiddenIn(text: string, allowed = ""): string[] {
  return [...text]
    .filter((character) => !allowed.includes(character) && FORBIDDEN.test(character))
    .map((character) => (character.codePointAt(0) ?? 0).toString(16));
}

/** One example of each kind of attack with text. */
export const ATTACKS = [
  ..."\0\x07\b\t\n\v\f\r\x1b\x7f\x80\x9b\x9d\xad",
  ..."\u034f\u061c\u115f\u180e\u200b\u200c\u200d\u200e\u200f\u2028\u2029",
  ..."\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\u3164\ufe0e\ufe0f\ufeff\ufff9\uffff",
  ..."\u{e0001}\u{e0041}\u{e007f}\u{e0100}\u{1d173}",
  "\ud800",
  "\udc00",
  "\u001b[31m",
  "\u001b]8;;http://evil.test\u0007",
];

/** Text whose width differs from its length. */
export const SHAPES = [
  "a",
  "word",
  " ",
  "é",
  "e\u0301",
  "z\u0301\u0302\u0303",
  "日本",
  "한국",
  "\u1112\u1161\u11ab",
  "Ａ",
  "ﾊﾞ",
  "👍",
  "👍🏽",
  "👩‍👩‍👧‍👦",
  "❤️",
  "🇩🇪",
  "1️⃣",
  "✨",
  "☝🏽",
  "ไทย",
  "עִבְרִית",
];

const pieces = fc.oneof(
  fc.constantFrom(...ATTACKS),
  fc.constantFrom(...SHAPES),
  fc.constantFrom(..."=+-@|`*_[]<>&#:/\\\"',"),
  fc.string({ unit: "binary", maxLength: 3 }),
);

/** Any text, often with characters that break terminals, spreadsheets and Markdown. */
export const hostileText = fc.array(pieces, { maxLength: 24 }).map((parts) => parts.join(""));

/** Text in many scripts and emoji, without characters that must be escaped. */
export const shapedText = fc
  .array(fc.constantFrom(...SHAPES), { maxLength: 24 })
  .map((parts) => parts.join(""));
