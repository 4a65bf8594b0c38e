/** How many players an experiment needs, and what its players so far can show. */
import type { MetricPlan, VariantComparison } from "../../../contract/experiments.ts";
import type { TableColumn } from "../../../render/columns.ts";
import { textColumn } from "../columns.ts";
import { formatMetric, formatPoints } from "./metric-text.ts";

export interface PlanRow extends MetricPlan {
  readonly keys: readonly string[];
}

export function createPlanRows({ plan, variants }: VariantComparison): PlanRow[] {
  const keys = variants.map(({ key }) => key);
  return (plan ?? []).map((metricPlan) => ({ ...metricPlan, keys }));
}

const formatCount = (count: number) => count.toLocaleString("en-US");

function formatPlayers({ keys, players }: PlanRow): string {
  return keys.map((key, at) => `${key} ${formatCount(players[at] ?? 0)}`).join(", ");
}

export const planColumns: readonly TableColumn<PlanRow>[] = [
  textColumn("metric", "METRIC", ({ metric }) => formatMetric(metric)),
  textColumn(
    "rate",
    "RATE",
    ({ rate, rateAssumed }) => `${formatPoints(rate)}%${rateAssumed ? " (assumed)" : ""}`,
  ),
  textColumn("difference", "DIFFERENCE (POINTS)", ({ metric, difference }) =>
    metric === "crash-rate" ? `less than +${formatPoints(difference)}` : formatPoints(difference),
  ),
  textColumn("players", "PLAYERS NEEDED", formatPlayers),
  textColumn("detectable", "DETECTABLE NOW", ({ metric, detectable }) => {
    if (detectable == null) return null;
    return metric === "crash-rate" ? `less than +${formatPoints(detectable)}` : formatPoints(detectable);
  }),
];

/** What the sample ratio check can notice. Null if the service does not report it. */
export function describeSensitivity({ sampleRatio, variants }: VariantComparison): string | null {
  const sensitivity = sampleRatio?.sensitivity;
  if (!sensitivity) return null;
  const { loss, power, detectableLoss } = sensitivity;
  const percent = (share: number) => `${Math.round(share * 1000) / 10}%`;
  const players = variants.reduce((sum, { playerCount }) => sum + (playerCount ?? 0), 0);
  const first = `Sample ratio check with ${formatCount(players)} ${players === 1 ? "player" : "players"}: if a variant loses ${percent(loss)} of its players, the check notices it with a probability of ${Math.round(power * 100)}%.`;
  return detectableLoss == null
    ? `${first} It cannot notice any loss reliably yet.`
    : `${first} For a probability of 80%, the variant must lose ${percent(detectableLoss)}.`;
}
