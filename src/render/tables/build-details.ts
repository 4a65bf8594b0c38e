/** One build as labels and values. */
import type { BuildRollup, getBuild } from "../../contract/builds.ts";
import type { Output } from "../../contract/define.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import type { Detail } from "../details.ts";
import { formatNumber } from "../numbers.ts";
import type { RenderOptions } from "../options.ts";
import { cleanLine } from "../text.ts";
import { formatTime } from "../time.ts";
import { statsDetails } from "./stats-details.ts";

/** The totals of a build and its summary in an environment. */
export function buildDetails(
  { game, rollup, summary }: Output<typeof getBuild>,
  env: string | undefined,
  options: RenderOptions,
): Detail[] {
  return [
    ["Build", rollup.version, "strong"],
    ["Game", game.name],
    ["Statistics for", describeEnvironments(rollup)],
    ["Sessions", formatNumber(rollup.sessionCount, options)],
    ["Testers", describeTesters(rollup, options)],
    ["First seen", formatTime(rollup.firstSeen, options)],
    ["Last seen", formatTime(rollup.lastSeen, options)],
    ...(options.wide ? [["Most sessions from", rollup.sampleCountry ?? null] as const] : []),
    ...statsDetails(rollup.stats),
    [`Summary (${env ?? DEFAULT_ENV})`, summary?.narrative ?? null],
  ];
}

/** The environments that the totals of a build are counted over. */
export function describeEnvironments({ environments }: BuildRollup): string {
  const names = environments?.map(cleanLine).join(", ") ?? "";
  return names === "" ? "all environments combined" : `all environments combined (${names})`;
}

/** The testers, with their devices if some sessions have none. Not every service counts testers. */
function describeTesters({ testerCount, uniqueDevices }: BuildRollup, options: RenderOptions): string {
  const devices = `${formatNumber(uniqueDevices, options)} ${uniqueDevices === 1 ? "device" : "devices"}`;
  if (testerCount === null || testerCount === undefined) return devices;
  const testers = formatNumber(testerCount, options);
  const anonymous = testerCount - uniqueDevices;
  if (anonymous <= 0) return testers;
  const sessions = anonymous === 1 ? "1 session" : `${formatNumber(anonymous, options)} sessions`;
  return `${testers} (${devices}, and ${sessions} without a device)`;
}
