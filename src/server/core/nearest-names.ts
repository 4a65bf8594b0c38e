/** Suggests existing names for a name that does not exist, in the messages of errors. */

/** The maximum number of suggested names, and the length up to which names are compared. */
const MAX_SUGGESTIONS = 5;
const MAX_COMPARED_LENGTH = 80;

/** The existing names that are most like the given one, the most similar first. */
export function findNearestNames(name: string, existing: Iterable<string>, max = MAX_SUGGESTIONS): string[] {
  const wanted = name.slice(0, MAX_COMPARED_LENGTH).toLowerCase();
  return [...existing]
    .map((candidate) => ({
      candidate,
      distance: rank(wanted, candidate.slice(0, MAX_COMPARED_LENGTH).toLowerCase()),
    }))
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, max)
    .map(({ candidate }) => candidate);
}

/** The distance, or at most 1 if one name contains the other. */
function rank(a: string, b: string): number {
  if (a === b) return 0;
  return a.includes(b) || b.includes(a) ? 1 : computeDistance(a, b);
}

/** The number of characters to insert, delete or replace: V. I. Levenshtein, Soviet Physics Doklady 10 (1966). */
export function computeDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/** The end of a message: the existing names that are most like the given one, or `empty` if there are none. */
export function describeNearest(
  name: string,
  existing: ReadonlySet<string>,
  noun: string,
  empty: string,
): string {
  if (existing.size === 0) return empty;
  const quoted = findNearestNames(name, existing).map((known) => JSON.stringify(known));
  const more = existing.size > quoted.length ? `, and ${existing.size - quoted.length} more` : "";
  return `The most similar of ${existing.size} ${noun}: ${quoted.join(", ")}${more}`;
}
