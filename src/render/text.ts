/** Makes text from anywhere safe for a terminal: what is invisible or steers it becomes a visible escape. */
import { ASCII, hasPictograph, SIMPLE, suspects } from "./characters.ts";

export { displayWidth, pad, truncate } from "./width.ts";

/** Marks that one character keeps; more would paint over the lines around it. No script stacks as many. */
const MAX_MARKS = 8;

const ASCII_LINES = /^[\n\x20-\x7e]*$/;
/** What CI services take for a command wherever it stands, up to its bracket; see `withoutCommands`. */
export const BRACKET_COMMAND = /##(vso|teamcity)?\[/gi;
const NAMED: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

type EscapeCharacter = (character: string) => string;

/** One line, safe for a terminal: controls, bidi controls and invisible characters as `\x1b`, `\u202e`, `\u{e0041}`. */
export function cleanLine(text: string): string {
  return ASCII.test(text) || SIMPLE.test(text) ? text : escapeSuspects(text, escapeVisibly);
}

/** As `cleanLine`, but line feeds stay, and CR LF becomes one. */
export function cleanBlock(text: string): string {
  if (ASCII_LINES.test(text) || SIMPLE.test(text)) return text;
  const lines = text.replaceAll("\r\n", "\n");
  return escapeSuspects(lines, (character) => (character === "\n" ? "\n" : escapeVisibly(character)));
}

/**
 * Text for the log of a CI service, which would obey the commands in it. GitHub's runner takes `::` at the start of a
 * line and `##[` anywhere (actions/runner, ActionCommand.cs), Azure's agent `##vso[` anywhere, TeamCity `##teamcity[`.
 */
export function withoutCommands(text: string): string {
  return text.replace(/^([^\S\n]*):(?=:)/gm, "$1\\:").replace(BRACKET_COMMAND, "##$1\\[");
}

/**
 * JSON text, safe for a terminal and the log of a CI service: what they would obey is escaped as JSON does, so its
 * value stays the same.
 */
export function escapeJson(json: string): string {
  const inert = json.replace(BRACKET_COMMAND, "#\\u0023$1[");
  if (ASCII_LINES.test(inert)) return inert;
  return escapeSuspects(inert, (character) => {
    if (character === "\n" || character === "\t") return character;
    return character === "\r" ? "\n" : escapeUnits(character);
  });
}

function escapeSuspects(text: string, toEscape: EscapeCharacter): string {
  return text.replace(suspects(), (found, offset: number) => {
    const first = found.charCodeAt(0);
    if (first === 0x200d || first === 0xfe0f || first === 0xfe0e) {
      return keepsEmoji(text, offset) ? found : toEscape(found);
    }
    return isMark(found) ? cutMarks(found, text[offset - 1], toEscape) : toEscape(found);
  });
}

/** True for a joiner between two emoji, and for a variation selector after one or in a keycap. */
function keepsEmoji(text: string, offset: number): boolean {
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

const isMark = (found: string) => /^(?!\p{Default_Ignorable_Code_Point})\p{M}/u.test(found);

/** Marks beyond the limit, and marks with nothing to stand on, are escaped. */
function cutMarks(marks: string, before: string | undefined, toEscape: EscapeCharacter): string {
  const all = [...marks];
  const kept = before === undefined || before === "\n" ? 0 : MAX_MARKS;
  return all.length <= kept ? marks : all.slice(0, kept).join("") + all.slice(kept).map(toEscape).join("");
}

function escapeVisibly(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  const hex = point.toString(16);
  if (point > 0xffff) return `\\u{${hex}}`;
  return NAMED[character] ?? (point < 0x100 ? `\\x${hex.padStart(2, "0")}` : `\\u${hex.padStart(4, "0")}`);
}

function escapeUnits(character: string): string {
  let units = "";
  for (let at = 0; at < character.length; at++) {
    units += `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`;
  }
  return units;
}
