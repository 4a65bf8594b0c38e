/** The terminal view of a comparison: the verdict, warnings, the variants, their differences and the sample size. */

import { retentionChart } from "../../../charts/variant-retention.ts";
import type { Output } from "../../../contract/define.ts";
import type { getExperimentComparison } from "../../../contract/experiments.ts";
import { renderIntervals } from "../../../render/charts/rows.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter } from "../../../render/style.ts";
import { renderTable } from "../../../render/table.ts";
import {
  createDifferenceRows,
  describeDifferences,
  differenceColumns,
  groupByVariant,
  titleDifferences,
} from "../../../render/tables/experiment-differences.ts";
import {
  describeDigest,
  listVariantFindings,
  RULES_NOTE,
} from "../../../render/tables/experiment-findings.ts";
import {
  createPlanRows,
  describeCrashPlan,
  describeSensitivity,
  PLAN_TITLE,
  planColumns,
} from "../../../render/tables/experiment-plan.ts";
import {
  describeNoPlayers,
  describeVerdict,
  hasNoPlayers,
  listWarnings,
} from "../../../render/tables/experiment-verdict.ts";
import { transposeVariants } from "../../../render/tables/variants.ts";
import { cleanLine } from "../../../render/text.ts";

type ExperimentComparison = Output<typeof getExperimentComparison>;

/** Renders the view; it ends in a line feed. */
export function compareView(
  { comparison, digest, name }: ExperimentComparison & { readonly name?: string | undefined },
  options: RenderOptions,
): string {
  const paint = painter(options);
  if (hasNoPlayers(comparison)) {
    const empty = describeNoPlayers(cleanLine(name ?? comparison.experimentId));
    return `${renderParagraph(empty, "", options).join("\n")}\n`;
  }
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
    parts.push(`\n${paint(PLAN_TITLE, "strong")}\n`);
    parts.push(renderTable(plan, planColumns, options));
  }
  for (const line of [describeCrashPlan(comparison), describeSensitivity(comparison)]) {
    if (line !== null) parts.push(renderNote(cleanLine(line)));
  }
  for (const variant of comparison.variants) {
    const { key } = variant;
    const lines = listVariantFindings(variant);
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
