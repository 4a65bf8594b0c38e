/** Plans a playtest: how many testers the gate needs to notice a problem of a given size. */

import { findEnoughTesters, type TestedFamily } from "../statistics/power.ts";
import { DEFAULT_CONFIDENCE, DEFAULT_MAX_INCREASE, DEFAULT_MIN_TESTERS } from "./config.ts";

/** Tags that a gate checks if nothing else is known, and the shares of testers with each: evenly spaced. */
export const DEFAULT_TAGS = 20;
const [MIN_SHARE, MAX_SHARE] = [0.05, 0.4];
/** The size of the assumed builds. Only the shares of their tags matter. */
const ASSUMED_TESTERS = 1_000;

export interface TesterPlan {
  /** Share of testers with the new problem, in percent. */
  readonly detectPoints: number;
  /** Required probability to notice it, 0 to 1. */
  readonly power: number;
  /** Number of checked tags. Default: 20. */
  readonly tags?: number;
}

/** The number of testers per build; null if no number is enough. */
export function planTesters({ detectPoints, power, tags = DEFAULT_TAGS }: TesterPlan): {
  readonly testers: number | null;
  readonly tags: number;
} {
  const used = assumeTags(tags);
  const testers = findEnoughTesters(used, detectPoints / 100, power);
  return { testers: testers && Math.max(testers, DEFAULT_MIN_TESTERS), tags: used.tables.length };
}

function assumeTags(count: number): TestedFamily {
  const tables = Array.from({ length: count }, (_, at) => {
    const share = MIN_SHARE + ((MAX_SHARE - MIN_SHARE) * at) / Math.max(1, count - 1);
    const testers = Math.round(share * ASSUMED_TESTERS);
    const sizes = { totalA: ASSUMED_TESTERS, totalB: ASSUMED_TESTERS };
    return { testersA: testers, testersB: testers, ...sizes };
  });
  return {
    tables,
    testersA: ASSUMED_TESTERS,
    testersB: ASSUMED_TESTERS,
    // Friction and quits share the level.
    level: (1 - DEFAULT_CONFIDENCE) / 2,
    maxIncreasePoints: DEFAULT_MAX_INCREASE,
  };
}
