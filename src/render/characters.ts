/** Classes of Unicode characters: which are safe to send to a terminal, and how wide a terminal draws them. */

/** Only printable ASCII, which is safe and takes one column per character. */
export const ASCII = /^[\x20-\x7e]*$/;

/**
 * Only characters of common scripts and emoji that are safe and never combine with their neighbors. Such text needs no
 * escaping and no segmenter, which takes milliseconds to create.
 */
export const SIMPLE =
  /^[\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u048a-\u058f\u10a0-\u10ff\u1e00-\u1fff\u2010-\u2027\u2030-\u205e\u2070-\u20cf\u2100-\u2bff\u2e80-\u3029\u3030-\u3098\u309b-\u3163\u3165-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff01-\uff9d\uffe0-\uffe6\u{1f200}-\u{1f3fa}\u{1f400}-\u{1faff}\u{20000}-\u{2fffd}]*$/u;

const LINE_BREAKS = "\\n\\v\\f\\r\\x85\\u2028\\u2029";
const unsafe =
  "\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\p{Noncharacter_Code_Point}";

// V8 takes a millisecond to compile Unicode property classes, so these expressions are created only for non-ASCII text.

let suspectPattern: RegExp | undefined;

/** Matches a control, bidi control, invisible character, line separator or lone surrogate, or a run of combining marks. */
export function suspects(): RegExp {
  suspectPattern ??= new RegExp(`[${unsafe}]|(?:(?![${unsafe}])\\p{M})+`, "gu");
  return suspectPattern;
}

let lineCommandPattern: RegExp | undefined;

/**
 * Matches the first colon of `::` at the start of a line, behind blanks, invisible characters, combining marks and color
 * codes, which the first group contains. Each kind of line break starts a line.
 */
export function lineCommands(): RegExp {
  lineCommandPattern ??= new RegExp(
    `(?<![^${LINE_BREAKS}])((?:\\x1b\\[[\\d;]*m|(?![${LINE_BREAKS}])[\\s\\p{C}\\p{M}${unsafe}])*):(?=:)`,
    "gu",
  );
  return lineCommandPattern;
}

/** Whether a text has a character that takes at least one column. */
export function hasVisible(text: string): boolean {
  return /[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/u.test(
    text,
  );
}

/** Whether a text has a character that may be an emoji. Joiners and variation selectors are valid only next to these. */
export function hasPictograph(text: string): boolean {
  return /\p{Extended_Pictographic}/u.test(text);
}

/** First and last code point of each range that takes two columns: East Asian Wide and Fullwidth (UAX #11). */
// biome-ignore format: a table
const WIDE = [
  0x1100, 0x115f, 0x231a, 0x231b, 0x2329, 0x232a, 0x23e9, 0x23ec, 0x23f0, 0x23f0, 0x23f3, 0x23f3, 0x25fd, 0x25fe,
  0x2614, 0x2615, 0x2630, 0x2637, 0x2648, 0x2653, 0x267f, 0x267f, 0x268a, 0x268f, 0x2693, 0x2693, 0x26a1, 0x26a1,
  0x26aa, 0x26ab, 0x26bd, 0x26be, 0x26c4, 0x26c5, 0x26ce, 0x26ce, 0x26d4, 0x26d4, 0x26ea, 0x26ea, 0x26f2, 0x26f3,
  0x26f5, 0x26f5, 0x26fa, 0x26fa, 0x26fd, 0x26fd, 0x2705, 0x2705, 0x270a, 0x270b, 0x2728, 0x2728, 0x274c, 0x274c,
  0x274e, 0x274e, 0x2753, 0x2755, 0x2757, 0x2757, 0x2795, 0x2797, 0x27b0, 0x27b0, 0x27bf, 0x27bf, 0x2b1b, 0x2b1c,
  0x2b50, 0x2b50, 0x2b55, 0x2b55, 0x2e80, 0x303e, 0x3041, 0x3247, 0x3250, 0xa4c6, 0xa960, 0xa97c, 0xac00, 0xd7a3,
  0xf900, 0xfaff, 0xfe10, 0xfe19, 0xfe30, 0xfe6b, 0xff01, 0xff60, 0xffe0, 0xffe6, 0x16fe0, 0x191d2, 0x1aff0, 0x1b2fb,
  0x1d300, 0x1d376, 0x1f004, 0x1f004, 0x1f0cf, 0x1f0cf, 0x1f18e, 0x1f18e, 0x1f191, 0x1f19a, 0x1f1ae, 0x1f1ae,
  0x1f200, 0x1f320, 0x1f32d, 0x1f335, 0x1f337, 0x1f37c, 0x1f37e, 0x1f393, 0x1f3a0, 0x1f3ca, 0x1f3cf, 0x1f3d3,
  0x1f3e0, 0x1f3f0, 0x1f3f4, 0x1f3f4, 0x1f3f8, 0x1f43e, 0x1f440, 0x1f440, 0x1f442, 0x1f4fc, 0x1f4ff, 0x1f53d,
  0x1f54b, 0x1f54e, 0x1f550, 0x1f567, 0x1f57a, 0x1f57a, 0x1f595, 0x1f596, 0x1f5a4, 0x1f5a4, 0x1f5fb, 0x1f64f,
  0x1f680, 0x1f6c5, 0x1f6cc, 0x1f6cc, 0x1f6d0, 0x1f6d2, 0x1f6d5, 0x1f6df, 0x1f6eb, 0x1f6ec, 0x1f6f4, 0x1f6fc,
  0x1f7da, 0x1f7f0, 0x1f90c, 0x1f93a, 0x1f93c, 0x1f945, 0x1f947, 0x1f9ff, 0x1fa70, 0x1fafa, 0x20000, 0x3fffd,
] as const;

/** Whether a code point takes two columns. Code points of ambiguous width take one. */
export function isWide(codePoint: number): boolean {
  let low = 0;
  let high = WIDE.length / 2 - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (codePoint < (WIDE[middle * 2] ?? 0)) high = middle - 1;
    else if (codePoint > (WIDE[middle * 2 + 1] ?? 0)) low = middle + 1;
    else return true;
  }
  return false;
}
