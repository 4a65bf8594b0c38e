/** Whether the sessions of a build were ended by a clock, and not by their players. */
import type { GroupFacts } from "./facts.ts";

/** Fewer sessions than this may be equally long by chance. */
const MIN_SESSIONS = 10;
/** Lengths within this share of each other are equal. */
const TOLERANCE = 0.05;

/** Whether at least half of the sessions are equally long. */
export function hasTimedSessions({ testers }: GroupFacts): boolean {
  const lengths = Float64Array.from(
    testers.flatMap(({ sessions }) => sessions.map(({ wallSec }) => wallSec)),
  ).sort();
  if (lengths.length < MIN_SESSIONS) return false;
  let first = 0;
  return lengths.some((length, last) => {
    while ((lengths[first] ?? 0) < length * (1 - TOLERANCE)) first += 1;
    return last - first + 1 >= lengths.length / 2;
  });
}
