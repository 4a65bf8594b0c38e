/** The details of one tester. */
import type { Output } from "../../contract/define.ts";
import type { getTester } from "../../contract/testers.ts";
import type { Detail } from "../details.ts";
import type { RenderOptions } from "../options.ts";
import { formatTime } from "../time.ts";
import { statsDetails } from "./stats-details.ts";

export function testerDetails(
  { game, rollup, summary }: Output<typeof getTester>,
  options: RenderOptions,
): Detail[] {
  const location = [rollup.city, rollup.region, rollup.country].filter(Boolean).join(", ");
  return [
    ["Tester", rollup.handle ?? rollup.deviceId ?? null, "strong"],
    ["Device", rollup.deviceId ?? null],
    ["Game", game.name],
    ["Last location", location || null],
    ["Sessions", rollup.sessionCount],
    ["First seen", formatTime(rollup.firstSeen, options)],
    ["Last seen", formatTime(rollup.lastSeen, options)],
    ["Last build", rollup.lastBuild],
    ...statsDetails(rollup.stats),
    ["Summary", summary?.narrative ?? null],
  ];
}
