/** Wording: tags, quotes, counts and event ids as findings write them. */

/** Characters of a whole tag: it stays readable as a table column and a chart label. */
export const MAX_TAG_LENGTH = 80;
/** Characters of a tester's words that a title quotes. */
export const MAX_QUOTE_LENGTH = 80;
/** Event ids that evidence lists; more only repeat what the count says. */
export const MAX_LISTED_IDS = 10;

const notInSlug = /[^\p{L}\p{M}\p{N}_.]+/gu;
const atEnds = /^[-\p{M}]+|-+$/gu;
/** Control characters, line separators and marks that turn the direction of writing. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\s]+/gu;

/** At most `length` UTF-16 units from the start, without half a character at the end. */
function truncate(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
}

/**
 * A text as a slug: lower-case letters, digits, `-`, `_` and `.` of any script, all else collapsed to `-`.
 * Never empty: a text of symbols alone is told by their code points, so that two of them stay apart.
 */
export function slugify(text: string, length: number = MAX_TAG_LENGTH): string {
  const words = truncate(text, length * 2)
    .normalize("NFKC")
    .toLowerCase()
    .replace(notInSlug, "-");
  const slug = truncate(words.replace(atEnds, ""), length).replace(atEnds, "");
  if (slug !== "") return slug;
  const points = [...text.slice(0, 8)].map((char) => `u${char.codePointAt(0)?.toString(16)}`);
  return truncate(points.join("-") || "none", length);
}

/** The tag `<kind>:<where>` in at most MAX_TAG_LENGTH characters. */
export function formatTag(kind: string, where: string): string {
  return `${kind}:${slugify(where, MAX_TAG_LENGTH - kind.length - 1)}`;
}

/** A tester's words on one line, cut to `length` characters; escaping them is up to who renders them. */
export function quote(text: string, length: number = MAX_QUOTE_LENGTH): string {
  const line = truncate(text, length * 4)
    .toWellFormed()
    .replace(unprintable, " ")
    .trim();
  return line.length <= length && text.length <= length * 4 ? line : `${truncate(line, length - 1)}…`;
}

/** `1 failure`, `3 failures`. */
export function formatCount(count: number, one: string, many: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** `once`, `twice`, `3 times`. */
export function formatTimes(count: number): string {
  return count === 1 ? "once" : count === 2 ? "twice" : `${count} times`;
}

/** A text that ends as a sentence does: with a full stop where it has no end of its own, also within a quotation. */
export function endSentence(text: string): string {
  return /[.!?\u2026]\u201d?$/u.test(text) ? text : `${text}.`;
}

/** `a`, `a and b`, `a, b and c`. */
export function joinWithAnd(parts: readonly string[]): string {
  const [last = "", ...before] = parts.toReversed();
  return before.length === 0 ? last : `${before.reverse().join(", ")} and ${last}`;
}

/** `events 31, 35, 40 and 9 more`, for the events at these positions. */
export function formatEventIds(
  events: ReadonlyArray<{ readonly id: string }>,
  positions: readonly number[],
): string {
  const listed = positions.slice(0, MAX_LISTED_IDS).map((at) => quote(events[at]?.id ?? "", 64));
  const more = positions.length - listed.length;
  const word = positions.length === 1 ? "event" : "events";
  return `${word} ${listed.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** A duration in ms as `8s`, `4m 10s`, `30m` or `2h 5m`. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (minutes === 0) return `${seconds}s`;
  if (hours === 0) return withRest(`${minutes}m`, seconds % 60, "s");
  return withRest(`${hours}h`, minutes % 60, "m");
}

function withRest(whole: string, rest: number, unit: string): string {
  return rest === 0 ? whole : `${whole} ${rest}${unit}`;
}
