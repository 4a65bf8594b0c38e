/**
 * Makes untrusted text safe for a terminal: control characters and invisible characters become visible escapes. Every text
 * that people see is also truncated here, so that no long text reaches the code and packages behind.
 */
import { ASCII, hasPictograph, lineCommands, SIMPLE, suspects } from "./characters.ts";

export { displayWidth, pad, truncate } from "./width.ts";

/** Longer texts are truncated for people. JSON, CSV and TSV contain them completely. */
export const MAX_TEXT_LENGTH = 20_000;
/** Combining marks allowed per character. More would draw over the lines around it, and no script needs more. */
const MAX_MARKS = 8;

const ASCII_LINES = /^[\n\x20-\x7e]*$/;
/** The start of a command that CI services execute anywhere in a line; see `escapeCommands`. */
const BRACKET_COMMAND = /##(vso|teamcity)?\[/gi;
const NAMED: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

type EscapeCharacter = (character: string) => string;

/**
 * Escapes controls, bidi controls and invisible characters, such as `\x1b`, `\u202e` and `\u{e0041}`, and truncates the text.
 * Returns one line.
 */
export function cleanLine(text: string): string {
  return escapeLine(truncateText(text, MAX_TEXT_LENGTH));
}

/** Like `cleanLine`, but keeps line feeds and converts CR LF to a line feed. */
export function cleanBlock(text: string, maxLength = MAX_TEXT_LENGTH): string {
  return escapeBlock(truncateText(text, maxLength));
}

/** Truncates a text to this many UTF-16 units, ending in `…`, without splitting a surrogate pair. */
export function truncateText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Escapes like `cleanLine`, and keeps the whole text, for data and markup. */
export function escapeLine(text: string): string {
  return ASCII.test(text) || SIMPLE.test(text) ? text : escapeSuspects(text, escapeVisibly);
}

/** Escapes like `cleanBlock`, and keeps the whole text, for data. */
export function escapeBlock(text: string): string {
  if (ASCII_LINES.test(text) || SIMPLE.test(text)) return text;
  const lines = text.replaceAll("\r\n", "\n");
  return escapeSuspects(lines, (character) => (character === "\n" ? "\n" : escapeVisibly(character)));
}

/**
 * Escapes the commands that CI services would execute in a log, in the escapes of the text's format. `toEscape` receives a
 * character without which the command is none. GitHub's runner recognizes `::` at the start of a line after blanks and
 * `##[` anywhere (actions/runner, ActionCommand.cs). It ignores invisible characters, because it compares texts by the
 * rules of a language. Azure's agent recognizes `##vso[` and TeamCity `##teamcity[` anywhere.
 */
export function escapeCommands(text: string, toEscape: EscapeCharacter): string {
  const lines = text.includes("::")
    ? text.replace(lineCommands(), (_, skipped: string) => skipped + toEscape(":"))
    : text;
  // The expression is slower than this check on long texts.
  if (!lines.includes("##")) return lines;
  return lines.replace(BRACKET_COMMAND, (start) => start.slice(0, -1) + toEscape("["));
}

/** Escapes the commands of CI services in plain text or Markdown. */
export const withoutCommands = (text: string): string =>
  escapeCommands(text, (character) => `\\${character}`);

/**
 * Makes JSON text safe for a terminal and the log of a CI service. It uses JSON escapes, so the parsed value does not
 * change.
 */
export function escapeJson(json: string): string {
  const escaped = escapeCommands(json, escapeUnits);
  if (ASCII_LINES.test(escaped)) return escaped;
  return escapeSuspects(escaped, (character) => {
    if (character === "\n" || character === "\t") return character;
    return character === "\r" ? "\n" : escapeUnits(character);
  });
}

function escapeSuspects(text: string, toEscape: EscapeCharacter): string {
  return text.replace(suspects(), (match, offset: number) => {
    const first = match.charCodeAt(0);
    if (first === 0x200d || first === 0xfe0f || first === 0xfe0e) {
      return isPartOfEmoji(text, offset) ? match : toEscape(match);
    }
    return isMark(match) ? limitMarks(match, text[offset - 1], toEscape) : toEscape(match);
  });
}

/** Whether this is a joiner between two emoji, or a variation selector after an emoji or in a keycap. */
function isPartOfEmoji(text: string, offset: number): boolean {
  const next = text[offset + 1];
  const before = text.slice(Math.max(0, offset - 4), offset);
  if (text[offset] !== "\u200d") {
    if (next === "\u20e3") return /[\d#*]$/.test(before);
    return /\p{Extended_Pictographic}$/u.test(before);
  }
  const after = String.fromCodePoint(text.codePointAt(offset + 1) ?? 0);
  return endsWithEmoji(before) && hasPictograph(after);
}

const endsWithEmoji = (text: string) => /\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?$/u.test(text);

const isMark = (match: string) => /^(?!\p{Default_Ignorable_Code_Point})\p{M}/u.test(match);

/** Escapes marks beyond the limit, and marks without a base character. */
function limitMarks(marks: string, before: string | undefined, toEscape: EscapeCharacter): string {
  const all = [...marks];
  const limit = before === undefined || before === "\n" ? 0 : MAX_MARKS;
  return all.length <= limit ? marks : all.slice(0, limit).join("") + all.slice(limit).map(toEscape).join("");
}

function escapeVisibly(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  const hex = point.toString(16);
  if (point > 0xffff) return `\\u{${hex}}`;
  return NAMED[character] ?? (point < 0x100 ? `\\x${hex.padStart(2, "0")}` : `\\u${hex.padStart(4, "0")}`);
}

/** Escapes every UTF-16 unit as in JSON. */
export function escapeUnits(character: string): string {
  let units = "";
  for (let at = 0; at < character.length; at++) {
    units += `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`;
  }
  return units;
}
