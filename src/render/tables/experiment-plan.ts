/** How many players an experiment needs, and what its players so far can show. */
import type { MetricPlan, VariantComparison } from "../../contract/experiments.ts";
import type { TableColumn } from "../columns.ts";
import { textColumn } from "./columns.ts";
import { formatMetric, formatPoints } from "./experiment-metrics.ts";

export const PLAN_TITLE = "Players needed to detect a difference with a probability of 80%";

export interface PlanRow extends MetricPlan {
  readonly keys: readonly string[];
}

const CRASH_RATE = "crash-rate";

/** The metrics whose differences are to be detected. The crash rate has a limit instead, see `describeCrashPlan`. */
export function createPlanRows({ plan, variants }: VariantComparison): PlanRow[] {
  const keys = variants.map(({ key }) => key);
  return (plan ?? [])
    .filter(({ metric }) => metric !== CRASH_RATE)
    .map((metricPlan) => ({ ...metricPlan, keys }));
}

const formatCount = (count: number) => count.toLocaleString("en-US");

function formatPlayers({ keys, players }: PlanRow): string {
  return keys.map((key, at) => `${key} ${formatCount(players[at] ?? 0)}`).join(", ");
}

/** The players needed per variant, as one number if they are equal. */
const formatNeeded = (row: PlanRow) =>
  new Set(row.players).size === 1 ? `${formatCount(row.players[0] ?? 0)} per variant` : formatPlayers(row);

export const planColumns: readonly TableColumn<PlanRow>[] = [
  textColumn("metric", "METRIC", ({ metric }) => formatMetric(metric)),
  textColumn(
    "rate",
    "RATE",
    ({ rate, rateAssumed }) => `${formatPoints(rate)}%${rateAssumed ? " (assumed)" : ""}`,
  ),
  textColumn("difference", "DIFF (PP)", ({ difference }) => formatPoints(difference)),
  { ...textColumn<PlanRow>("players", "PLAYERS NEEDED", formatNeeded, 1), wrap: true },
  textColumn("detectable", "DETECTABLE NOW", ({ detectable }) =>
    detectable == null ? null : formatPoints(detectable),
  ),
];

/** How many players are needed to show that the crash rate rises by less than its limit. Null without such a plan. */
export function describeCrashPlan({ plan, variants }: VariantComparison): string | null {
  const crashPlan = plan?.find(({ metric }) => metric === CRASH_RATE);
  if (!crashPlan) return null;
  const { rate, rateAssumed, difference, power, players, detectable } = crashPlan;
  const keys = variants.map(({ key }) => key);
  const needed =
    new Set(players).size === 1
      ? `${formatCount(players[0] ?? 0)} players per variant`
      : `these players: ${formatPlayers({ ...crashPlan, keys })}`;
  const basis = `${rateAssumed ? "assumed" : "measured"} crash rate: ${formatPoints(rate)}%`;
  const first = `To show that the crash rate rises by less than ${formatDifference(difference)} with a probability of ${Math.round(power * 100)}%, the experiment needs ${needed} (${basis}).`;
  return detectable == null
    ? first
    : `${first} The current number of players is only enough to rule out a rise of ${formatDifference(detectable)} or more. The interval of the crash rate above shows what was measured.`;
}

function formatDifference(share: number): string {
  const points = formatPoints(share);
  return `${points} ${points === "1.0" ? "point" : "points"}`;
}

/** What the sample ratio check can notice. Null if the service does not report it. */
export function describeSensitivity({ sampleRatio, variants }: VariantComparison): string | null {
  const sensitivity = sampleRatio?.sensitivity;
  if (!sensitivity) return null;
  const { loss, power, detectableLoss } = sensitivity;
  const percent = (share: number) => `${Math.round(share * 1000) / 10}%`;
  const players = variants.reduce((sum, { playerCount }) => sum + (playerCount ?? 0), 0);
  const first = `Sample ratio check with ${formatCount(players)} ${players === 1 ? "player" : "players"}: if ${percent(loss)} of a variant's players are missing from the data, the check notices it with a probability of ${Math.round(power * 100)}%.`;
  return detectableLoss == null
    ? `${first} It cannot notice missing players reliably yet.`
    : `${first} It notices with a probability of 80% if ${percent(detectableLoss)} are missing.`;
}
