/** The terminal view of a comparison: the verdict, warnings, the variants and their differences. */

import { retentionChart } from "../../../charts/retention.ts";
import type { Output } from "../../../contract/define.ts";
import type {
  getExperimentComparison,
  VariantComparison,
  VariantDifference,
} from "../../../contract/experiments.ts";
import { renderIntervals } from "../../../render/charts/rows.ts";
import type { TableColumn } from "../../../render/columns.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter, type Style } from "../../../render/style.ts";
import { renderTable } from "../../../render/table.ts";
import { cleanLine } from "../../../render/text.ts";
import { textColumn } from "../columns.ts";
import { formatTagCount } from "../tag-text.ts";
import { findRetention, transposeVariants } from "./variant-columns.ts";

type ExperimentComparison = Output<typeof getExperimentComparison>;

/** Renders the view; it ends in a line feed. */
export function compareView({ comparison, digest }: ExperimentComparison, options: RenderOptions): string {
  const paint = painter(options);
  const { text, style } = describeVerdict(comparison);
  const parts = [`${paint(cleanLine(text), style)}\n`];
  for (const warning of listWarnings(comparison)) parts.push(`${paint(`Warning: ${warning}`, "bad")}\n`);
  const { rows, columns } = transposeVariants(comparison.variants);
  parts.push("\n", renderTable(rows, columns, options));
  parts.push("\n", renderIntervals(retentionChart(comparison), options));
  const differences = comparison.differences ?? [];
  if (differences.length > 0) {
    parts.push(`\n${paint("Differences from the first variant (percentage points)", "strong")}\n`);
    const rows = differences.map((difference) => ({
      ...difference,
      hasData: hasData(difference, comparison.variants),
    }));
    parts.push(renderTable(rows, differenceColumns, options));
    const note = renderParagraph(DIFFERENCE_NOTE, "", options).map((line) => paint(line, "muted"));
    parts.push(`${note.join("\n")}\n`);
  }
  for (const { key, topFriction, topPraise, sampleQuotes } of comparison.variants) {
    const lines = [
      ...topFriction.map((counted) => formatTagCount("Friction", counted)),
      ...topPraise.map((counted) => formatTagCount("Praise", counted)),
      ...sampleQuotes.map((quote) => `"${quote}"`),
    ];
    if (lines.length === 0) continue;
    const paragraphs = lines.flatMap((line) => renderParagraph(line, "  ", options));
    parts.push(`\n${paint(cleanLine(key), "strong")}\n${paragraphs.join("\n")}\n`);
  }
  if (digest) {
    const confidence = confidenceTexts[digest.confidenceLabel] ?? `${digest.confidenceLabel} confidence`;
    const lines = [
      ...renderParagraph(`Recommendation (${confidence}): ${digest.digest.recommendation}`, "", options),
      ...(digest.status === "degraded"
        ? renderParagraph(RULES_NOTE, "", options).map((line) => paint(line, "muted"))
        : []),
    ];
    parts.push(`\n${lines.join("\n")}\n`);
  }
  return parts.join("");
}

function describeVerdict(comparison: VariantComparison): { readonly text: string; readonly style: Style } {
  const { leader, variants } = comparison;
  if (leader != null) {
    const name = variants.find(({ key }) => key === leader)?.name;
    const variant = name === undefined || name === leader ? leader : `${leader} (“${name}”)`;
    return { text: `Variant ${variant} leads: more of its players return on day 1.`, style: "good" };
  }
  const fewest = Math.min(...variants.map(({ playerCount }) => playerCount ?? 0));
  const text =
    fewest < 30
      ? `Not enough data: the smallest variant has ${fewest} ${fewest === 1 ? "player" : "players"}; at least 30 per variant are required.`
      : "No variant leads.";
  return { text, style: "muted" };
}

function listWarnings({ crossovers, sampleRatio }: VariantComparison): string[] {
  const crossoverWarnings = crossovers?.warning
    ? [`${formatCrossovers(crossovers.devices)} seen in more than one variant and excluded.`]
    : [];
  const ratioWarnings = sampleRatio?.warning
    ? [`the player counts do not match the allocation (p = ${sampleRatio.pValue.toPrecision(2)}).`]
    : [];
  return [...crossoverWarnings, ...ratioWarnings];
}

const formatCrossovers = (devices: number) => (devices === 1 ? "1 device was" : `${devices} devices were`);

const formatSignedPoints = (share: number) => `${share > 0 ? "+" : ""}${(share * 100).toFixed(1)}`;

const RULES_NOTE = "Written by rules, because the AI model returned no usable text.";

/** The confidence of a recommendation in words. Other labels are shown followed by `confidence`. */
const confidenceTexts: Readonly<Record<string, string>> = { insufficient: "not enough data" };

const DIFFERENCE_NOTE =
  "Use this table to decide. Its intervals are wider than those above, because they stay valid however often you check.";

interface DifferenceRow extends VariantDifference {
  /** Whether both variants have data for the metric. Without data, the service reports a difference of 0. */
  readonly hasData: boolean;
}

function hasData(
  { metric, baseline, variant }: VariantDifference,
  variants: VariantComparison["variants"],
): boolean {
  const [, day] = /^retention-(\d+)$/.exec(metric) ?? [];
  return [baseline, variant].every((key) => {
    const compared = variants.find((entry) => entry.key === key);
    if (compared === undefined) return true;
    if (day !== undefined) return findRetention(Number(day), compared) !== undefined;
    return compared.sessionCount > 0;
  });
}

const metricTitles: Readonly<Record<string, string>> = {
  "crash-rate": "Crash rate",
  engagement: "Engagement",
};

const formatMetric = (metric: string) =>
  metricTitles[metric] ?? metric.replace(/^retention-(\d+)$/, "Returned on day $1");

const differenceColumns: readonly TableColumn<DifferenceRow>[] = [
  textColumn("metric", "METRIC", ({ metric }) => formatMetric(metric)),
  textColumn("variant", "VARIANT", ({ variant }) => variant),
  textColumn("delta", "DIFFERENCE", (row) => (row.hasData ? formatSignedPoints(row.delta) : null)),
  textColumn("interval", "95% INTERVAL", ({ interval }) =>
    interval ? `${formatSignedPoints(interval.low)} to ${formatSignedPoints(interval.high)}` : null,
  ),
  textColumn("significant", "SIGNIFICANT", ({ significant }) => (significant ? "yes" : "no")),
];
