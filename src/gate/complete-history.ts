/**
 * Checks what each tester played against the counts of the comparison. A tag that the history lacks would look as if
 * nobody had it, and the gate would pass.
 */
import { MAX_HISTORY_SESSIONS, type TesterHistory } from "../contract/play-history.ts";
import type { GateBuild, TagChange } from "./build-comparison.ts";

/** `deltaPct` is rounded to one decimal, so the exact change can be smaller by this many percentage points. */
const ROUNDING_POINTS = 0.05;

/** Which of the two builds of a comparison. */
type BuildSide = "a" | "b";

/** The build without its history, and the reason, if the history lacks testers or tags that the comparison counts. */
export function dropIncompleteHistory(
  build: GateBuild,
  changes: readonly TagChange[],
  side: BuildSide,
): GateBuild {
  if (build.history === null) return build;
  const missing = findMissing(build, build.history, changes, side);
  if (missing === null) return build;
  const historyFault = `The list of what the testers of ${build.version} played is incomplete: it has ${missing}. All testers are compared instead, even if those of one build played more.`;
  return { ...build, history: null, historyFault };
}

/** What the history lacks, such as `3 of 20 testers`; null if it is complete. */
function findMissing(
  build: GateBuild,
  history: readonly TesterHistory[],
  changes: readonly TagChange[],
  side: BuildSide,
): string | null {
  if (history.length < build.testers) return `${history.length} of ${build.testers} testers`;
  // Sessions after the maximum are not listed, so their tags are unknown.
  const truncated = history.filter(({ sessions }) => sessions.length >= MAX_HISTORY_SESSIONS).length;
  const listed = countByTag(history);
  for (const [tag, required] of countRequired(build, changes, side)) {
    const count = listed.get(tag) ?? 0;
    if (count + truncated < required) return `${count} of at least ${required} testers with ${tag}`;
  }
  return null;
}

function countByTag(history: readonly TesterHistory[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { sessions } of history) {
    for (const tag of new Set(sessions.flatMap(({ tags }) => tags)))
      counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  return counts;
}

/** The minimum number of testers with each tag, by the comparison. */
function countRequired(
  build: GateBuild,
  changes: readonly TagChange[],
  side: BuildSide,
): ReadonlyMap<string, number> {
  const required = new Map([...(build.byTag ?? [])].map(([tag, { testers }]) => [tag, testers]));
  for (const change of changes) {
    const count = countFromChange(change, build.testers, side);
    required.set(change.tag, Math.max(required.get(change.tag) ?? 0, count));
  }
  return required;
}

/** The testers with the tag. If the service does not report them, at least as many as the change of the share implies. */
function countFromChange(change: TagChange, testers: number, side: BuildSide): number {
  const known = side === "a" ? change.testersA : change.testersB;
  if (known !== null) return known;
  const minShare = (side === "a" ? -change.deltaPct : change.deltaPct) - ROUNDING_POINTS;
  return Math.max(0, Math.ceil((minShare / 100) * testers));
}
