/** Names that an unknown name may mean, and the sentences that suggest them. */

/** The maximum number of names in a suggestion, in a list of what exists, and among the nearest of many. */
const MAX_SUGGESTED = 3;
const MAX_LISTED = 12;
const MAX_NEAREST = 5;
/** Longer words are not suggested, and only the beginning is ranked, because the comparison takes quadratic time. */
const MAX_COMPARED_CHARS = 200;
const MAX_RANKED_CHARS = 80;

/** Whether at most one third of the word's characters would have to change. */
export function isNear(word: string, name: string): boolean {
  return countEdits(word, name) * 3 <= word.length;
}

/** Returns the known names that a word may mean: the nearest ones with few different characters, or that continue it. */
export function findSimilar(word: string, known: readonly string[]): string[] {
  if (word.length > MAX_COMPARED_CHARS) return [];
  const lower = word.toLowerCase();
  const candidates = known
    .filter((name) => name.length <= MAX_COMPARED_CHARS)
    .map((name) => ({ name, edits: countEdits(lower, name.toLowerCase()) }))
    .filter(({ name, edits }) => edits * 3 <= word.length || name.toLowerCase().startsWith(lower));
  const fewest = Math.min(...candidates.map(({ edits }) => edits));
  const nearest = candidates.filter(({ edits }) => edits === fewest);
  return nearest.slice(0, MAX_SUGGESTED).map(({ name }) => name);
}

/** A name in a message: in quotes, except if it is a plain word such as `0.9.0` or `difficulty-spike:furnace`. */
export const formatName = (name: string): string => (/^[\w.:@+-]+$/.test(name) ? name : JSON.stringify(name));

/** Joins texts as in "a, b or c". */
export function joinAlternatives(texts: readonly string[]): string {
  const last = texts.at(-1) ?? "";
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(", ")} or ${last}`;
}

/** The question whether one of these names is meant; null without names. */
export function askDidYouMean(names: readonly string[]): string | null {
  return names.length === 0 ? null : `Did you mean ${joinAlternatives(names.map(formatName))}?`;
}

/**
 * A sentence with the names that a word may mean or, if there are none and `plural` is given, with the names that exist;
 * otherwise null.
 */
export function suggestSimilar(word: string, known: readonly string[], plural: string | null): string | null {
  const names = [...new Set(known)];
  return askDidYouMean(findSimilar(word, names)) ?? (plural === null ? null : listNames(names, plural));
}

/** A sentence with the names that exist; null if none exist. */
export function listNames(names: readonly string[], plural: string): string | null {
  if (names.length === 0) return null;
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : "";
  return `The ${plural} are ${names.slice(0, MAX_LISTED).join(", ")}${more}.`;
}

/** The existing names that are most like the given one, the most similar first, and of equal ones in code unit order. */
export function findNearest(name: string, existing: Iterable<string>, max = MAX_NEAREST): string[] {
  const wanted = name.slice(0, MAX_RANKED_CHARS).toLowerCase();
  return [...existing]
    .map((candidate) => ({
      candidate,
      distance: rank(wanted, candidate.slice(0, MAX_RANKED_CHARS).toLowerCase()),
    }))
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, max)
    .map(({ candidate }) => candidate);
}

/** The end of a message: the existing names that are most like the given one, or `empty` if there are none. */
export function describeNearest(
  name: string,
  existing: ReadonlySet<string>,
  noun: string,
  empty: string,
): string {
  if (existing.size === 0) return empty;
  const quoted = findNearest(name, existing).map((known) => JSON.stringify(known));
  const more = existing.size > quoted.length ? `, and ${existing.size - quoted.length} more` : "";
  return `The most similar of ${existing.size} ${noun}: ${quoted.join(", ")}${more}`;
}

/** The number of edits, or at most 1 if one name contains the other. */
function rank(a: string, b: string): number {
  if (a === b) return 0;
  return a.includes(b) || b.includes(a) ? 1 : countEdits(a, b);
}

/**
 * The number of inserted, deleted, replaced or swapped characters between two short words: the restricted distance of
 * F. J. Damerau, Communications of the ACM 7 (1964).
 */
function countEdits(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (beforePrevious[j - 2] ?? 0) + 1 : replaced;
      current.push(Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, replaced, swapped));
    }
    [beforePrevious, previous] = [previous, current];
  }
  return previous[b.length] ?? 0;
}
