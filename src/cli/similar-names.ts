/** Finds the names that a mistyped word may mean. */

/** The maximum number of names in a suggestion and in a list of what exists. */
const MAX_SUGGESTED = 3;
const MAX_LISTED = 12;
/** Longer words are not compared, because the comparison takes quadratic time. */
const MAX_COMPARED_CHARS = 200;

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

/**
 * A sentence with the names that a word may mean or, if there are none and `plural` is given, with the names that exist;
 * otherwise null.
 */
export function suggestSimilar(word: string, known: readonly string[], plural: string | null): string | null {
  const names = [...new Set(known)];
  const similar = findSimilar(word, names).map((name) => JSON.stringify(name));
  const last = similar.pop();
  if (last !== undefined)
    return `Did you mean ${similar.length === 0 ? last : `${similar.join(", ")} or ${last}`}?`;
  return plural === null ? null : listNames(names, plural);
}

/** A sentence with the names that exist; null if none exist. */
export function listNames(names: readonly string[], plural: string): string | null {
  if (names.length === 0) return null;
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : "";
  return `The ${plural} are ${names.slice(0, MAX_LISTED).join(", ")}${more}.`;
}

/** The number of inserted, deleted, replaced or swapped characters between two short words. */
function countEdits(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const get = (i: number, j: number) => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    rows[i] = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = get(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? get(i - 2, j - 2) + 1 : replaced;
      rows[i]?.push(Math.min(get(i - 1, j) + 1, get(i, j - 1) + 1, replaced, swapped));
    }
  }
  return get(a.length, b.length);
}
