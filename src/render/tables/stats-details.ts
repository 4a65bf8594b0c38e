/** The play time details of a build or tester. */
import type { Stats } from "../../contract/result-fields.ts";
import type { Detail } from "../details.ts";
import { formatShare } from "../numbers.ts";
import { formatDuration } from "../time.ts";

export function statsDetails(stats: Stats): Detail[] {
  const formatTimes = (wall: number, active: number) =>
    `${formatDuration(wall)} (${formatDuration(active)} active)`;
  return [
    ["Play time", formatTimes(stats.totalWallSec, stats.totalActiveSec)],
    ["Mean session length", formatTimes(stats.avgWallSec, stats.avgActiveSec)],
    ["Median session length", formatTimes(stats.medianWallSec, stats.medianActiveSec)],
    ["Engagement", `${formatShare(stats.engagementRate)} of play time active`],
  ];
}
