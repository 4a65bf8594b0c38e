/** The play-time lines of a build's or tester's details. */
import type { Stats } from "../../contract/stats.ts";
import type { Detail } from "../../render/details.ts";
import { formatShare } from "../../render/numbers.ts";
import { formatDuration } from "../../render/time.ts";

/** The lines of a Stats object. */
export function statsDetails(stats: Stats): Detail[] {
  const pair = (wall: number, active: number) => `${formatDuration(wall)} (${formatDuration(active)} active)`;
  return [
    ["Play time", pair(stats.totalWallSec, stats.totalActiveSec)],
    ["Mean session", pair(stats.avgWallSec, stats.avgActiveSec)],
    ["Median session", pair(stats.medianWallSec, stats.medianActiveSec)],
    ["Engagement", formatShare(stats.engagementRate)],
  ];
}
