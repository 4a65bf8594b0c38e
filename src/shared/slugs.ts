/** Slugs: names in tags, made of what testers and games call things. */
import { ANSWER_PREFIX, answerLocation } from "./tags.ts";

/** Maximum length of a tag in characters, so that it fits into table columns and chart labels. */
export const MAX_TAG_LENGTH = 80;

const notInSlug = /[^\p{L}\p{M}\p{N}_.]+/gu;
/** `notInSlug` has replaced every run of other characters with one hyphen. */
const slugEdges = /^[-\p{M}]+|-$/gu;

/** Truncates a text to `length` UTF-16 units without splitting a surrogate pair. */
export function truncate(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
}

/**
 * Converts a text to a slug: lower-case letters and digits of any script, `-`, `_` and `.`. Everything else collapses
 * to `-`. The slug is never empty: a text without letters and digits becomes its code points, so that it stays
 * distinct.
 */
export function slugify(text: string, length: number = MAX_TAG_LENGTH): string {
  const words = truncate(text, length * 2)
    .normalize("NFKC")
    .toLowerCase()
    .replace(notInSlug, "-");
  const slug = truncate(words.replace(slugEdges, ""), length).replace(slugEdges, "");
  if (slug !== "") return slug;
  const points = [...text.slice(0, 8)].map((char) => `u${char.codePointAt(0)?.toString(16)}`);
  return truncate(points.join("-") || "none", length);
}

/** The tag of a finding in the answers to a form field. */
export function formatAnswerTag(kind: string, fieldId: string): string {
  const length = MAX_TAG_LENGTH - kind.length - 1 - ANSWER_PREFIX.length;
  return `${kind}:${answerLocation(slugify(fieldId, length))}`;
}
