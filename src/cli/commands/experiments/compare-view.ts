/** The terminal view of a comparison: the verdict, warnings, the variants, their differences and the sample size. */

import { retentionChart } from "../../../charts/retention.ts";
import type { Output } from "../../../contract/define.ts";
import type {
  ComparedVariant,
  getExperimentComparison,
  VariantComparison,
} from "../../../contract/experiments.ts";
import { renderIntervals } from "../../../render/charts/rows.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter } from "../../../render/style.ts";
import { renderTable } from "../../../render/table.ts";
import { transposeVariants } from "../../../render/tables/variants.ts";
import { cleanLine } from "../../../render/text.ts";
import { formatTime } from "../../../render/time.ts";
import { HOUR_MS } from "../../../shared/time-units.ts";
import { formatTagCount } from "../tag-text.ts";
import {
  createDifferenceRows,
  describeDifferences,
  differenceColumns,
  groupByVariant,
  titleDifferences,
} from "./difference-table.ts";
import { createPlanRows, describeCrashPlan, describeSensitivity, planColumns } from "./sample-size.ts";
import { describeVerdict, listWarnings } from "./verdict.ts";

type ExperimentComparison = Output<typeof getExperimentComparison>;

/** Renders the view; it ends in a line feed. */
export function compareView(
  { comparison, digest, name }: ExperimentComparison & { readonly name?: string | undefined },
  options: RenderOptions,
): string {
  const paint = painter(options);
  if (comparison.variants.every(hasNoPlayers))
    return renderNoPlayers(name ?? comparison.experimentId, options);
  const { text, style, note } = describeVerdict(comparison);
  const renderNote = (line: string) =>
    `${renderParagraph(line, "", options)
      .map((wrapped) => paint(wrapped, "muted"))
      .join("\n")}\n`;
  const verdict = renderParagraph(cleanLine(text), "", options).map((line) => paint(line, style));
  const parts = [`${verdict.join("\n")}\n`];
  if (note !== null) parts.push(renderNote(note));
  for (const warning of listWarnings(comparison)) parts.push(`${paint(`Warning: ${warning}`, "bad")}\n`);
  const { rows, columns } = transposeVariants(comparison.variants);
  parts.push("\n", renderTable(rows, columns, options));
  parts.push("\n", renderIntervals(retentionChart(comparison, name), options));
  const differences = createDifferenceRows(comparison);
  if (differences.length > 0) {
    parts.push(`\n${paint(titleDifferences(differences), "strong")}\n`);
    parts.push(renderTable(differences, differenceColumns, options, groupByVariant(differences, paint)));
    parts.push(renderNote(describeDifferences(comparison)));
  }
  const plan = createPlanRows(comparison);
  if (plan.length > 0) {
    parts.push(`\n${paint("Players needed to detect a difference with a probability of 80%", "strong")}\n`);
    parts.push(renderTable(plan, planColumns, options));
  }
  for (const line of [describeCrashPlan(comparison), describeSensitivity(comparison)]) {
    if (line !== null) parts.push(renderNote(cleanLine(line)));
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
    const lines = [
      ...renderParagraph(
        `${describeDigest(digest, comparison, options)}: ${digest.digest.recommendation}`,
        "",
        options,
      ),
      ...(digest.status === "degraded"
        ? renderParagraph(RULES_NOTE, "", options).map((line) => paint(line, "muted"))
        : []),
    ];
    parts.push(`\n${lines.join("\n")}\n`);
  }
  return parts.join("");
}

const hasNoPlayers = ({ sessionCount, playerCount }: ComparedVariant) =>
  sessionCount === 0 && (playerCount ?? 0) === 0;

function renderNoPlayers(experiment: string, options: RenderOptions): string {
  const text = `Experiment ${cleanLine(experiment)} has no players yet, so there is nothing to compare.`;
  return `${renderParagraph(text, "", options).join("\n")}\n`;
}

/** The confidence of a stored recommendation, and its age if the figures above are newer. */
function describeDigest(
  { confidenceLabel, generatedAt }: NonNullable<ExperimentComparison["digest"]>,
  comparison: VariantComparison,
  options: RenderOptions,
): string {
  const confidence = confidenceTexts[confidenceLabel] ?? `${confidenceLabel} confidence`;
  const isOlder = typeof generatedAt === "number" && comparison.generatedAt - generatedAt > MAX_DIGEST_AGE_MS;
  return isOlder
    ? `Recommendation of ${formatTime(generatedAt, options)} (${confidence}; the figures above may be newer)`
    : `Recommendation (${confidence})`;
}

/** A recommendation that is older than this has its time. */
const MAX_DIGEST_AGE_MS = HOUR_MS;

const RULES_NOTE = "Written by rules, because the AI model returned no usable text.";

/** The confidence of a recommendation in words. Other labels are shown followed by `confidence`. */
const confidenceTexts: Readonly<Record<string, string>> = { insufficient: "not enough data" };
