/** Counts the values in a response, to find out whether it is large. */

/** How many values are validated at once. The limit bounds memory, because the validator collects all issues. */
export const MAX_CHUNK_VALUES = 5000;

/** Counts a value and all values inside it, up to MAX_CHUNK_VALUES. */
export function countValues(value: unknown): number {
  let count = 0;
  const open: Iterator<unknown>[] = [[value].values()];
  for (let last = open.at(-1); last !== undefined && count < MAX_CHUNK_VALUES; last = open.at(-1)) {
    const { done, value: next } = last.next();
    if (done) open.pop();
    else count += 1;
    if (typeof next === "object" && next !== null) open.push(iterateChildren(next));
  }
  return count;
}

function* iterateChildren(value: object): Generator<unknown> {
  if (Array.isArray(value)) yield* value;
  else for (const key in value) yield (value as Record<string, unknown>)[key];
}
