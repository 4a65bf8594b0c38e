/** Formats tags, quotes, counts, durations and event ids for generated texts. */

import { MAX_TAG_LENGTH, slugify, truncate } from "../../shared/slugs.ts";
import { NO_ROOM, roomLocation } from "../../shared/tags.ts";

/** Maximum length of a quote in a title, in characters. */
export const MAX_QUOTE_LENGTH = 80;
/** Maximum number of event ids that evidence lists. */
export const MAX_LISTED_IDS = 10;

/** Control characters, line separators, bidirectional formatting characters and white space. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\s]+/gu;

/** The tag `<kind>:<where>` in at most MAX_TAG_LENGTH characters. */
export function formatTag(kind: string, where: string): string {
  return `${kind}:${slugify(where, MAX_TAG_LENGTH - kind.length - 1)}`;
}

/** The tag of a finding in a room, which is distinct from the tags of answers, transcripts, crashes and errors. */
export function formatRoomTag(kind: string, room: string): string {
  if (room === NO_ROOM) return formatTag(kind, room);
  const length = MAX_TAG_LENGTH - kind.length - 1;
  const slug = slugify(room, length);
  const location = roomLocation(kind, slug);
  const added = location.length - slug.length;
  return `${kind}:${added === 0 ? slug : roomLocation(kind, slugify(room, length - added))}`;
}

/** Tester text on one line, truncated to `length` characters. Whoever renders it must escape it. */
export function quote(text: string, length: number = MAX_QUOTE_LENGTH): string {
  const line = truncate(text, length * 4)
    .toWellFormed()
    .replace(UNPRINTABLE, " ")
    .trim();
  return line.length <= length && text.length <= length * 4 ? line : `${truncate(line, length - 1)}…`;
}

/** Appends a period, unless the text already ends with punctuation, also inside quotation marks. */
export function endSentence(text: string): string {
  return /[.!?\u2026]\u201d?$/u.test(text) ? text : `${text}.`;
}

/** `a`, `a and b`, `a, b and c`. */
export function joinWithAnd(parts: readonly string[]): string {
  const [last = "", ...before] = parts.toReversed();
  return before.length === 0 ? last : `${before.reverse().join(", ")} and ${last}`;
}

/** The ids of the events at the given indexes: `events 31, 35, 40 and 9 more`. */
export function formatEventIds(
  events: ReadonlyArray<{ readonly id: string }>,
  positions: readonly number[],
): string {
  const listed = positions.slice(0, MAX_LISTED_IDS).map((at) => quote(events[at]?.id ?? "", 64));
  const more = positions.length - listed.length;
  const word = positions.length === 1 ? "event" : "events";
  return `${word} ${listed.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Formats a duration in ms as `8s`, `4m 10s`, `30m` or `2h 5m`. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (minutes === 0) return `${seconds}s`;
  if (hours === 0) return joinUnits(`${minutes}m`, seconds % 60, "s");
  return joinUnits(`${hours}h`, minutes % 60, "m");
}

function joinUnits(major: string, minor: number, unit: string): string {
  return minor === 0 ? major : `${major} ${minor}${unit}`;
}
