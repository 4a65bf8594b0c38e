/** The terminal view of a comparison: the verdict, the figures it rests on, and on request everything else. */
import {
  answerExperiment,
  describeExperiment,
  describeNeeded,
  describeNoPlayers,
  describeRest,
  describeSensitivity,
  hasNoPlayers,
  listFigures,
  listRows,
  selectRows,
} from "../../../charts/experiment.ts";
import { retentionChart } from "../../../charts/retention.ts";
import type { Output } from "../../../contract/define.ts";
import type {
  getExperimentComparison,
  VariantComparison,
  VariantScorecard,
} from "../../../contract/experiments.ts";
import { type AlignedCell, alignCells } from "../../../render/aligned.ts";
import { renderIntervals } from "../../../render/charts/rows.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { renderRows, type ScorecardDetail } from "../../../render/scorecard/text.ts";
import { painter, type Style } from "../../../render/style.ts";
import { renderTable } from "../../../render/table.ts";
import { createDifferenceRows, differenceColumns, METHODS } from "../../../render/tables/experiment.ts";
import {
  describeDigest,
  listVariantFindings,
  RULES_NOTE,
} from "../../../render/tables/experiment-findings.ts";
import { variantRateColumns } from "../../../render/tables/variants.ts";
import { cleanLine } from "../../../render/text.ts";

type ExperimentComparison = Output<typeof getExperimentComparison>;

/** Without `all`, each variant shows at most this many rows. */
const MAX_ROWS = 5;

export function compareView(
  { comparison, digest }: ExperimentComparison,
  { all, stats }: ScorecardDetail,
  options: RenderOptions,
): string {
  const paragraph = (text: string, indent = "  ", style: Style | null = null) =>
    renderParagraph(text, indent, options, style);
  if (hasNoPlayers(comparison)) {
    const empty = describeNoPlayers(cleanLine(comparison.name ?? comparison.experimentId));
    return `${paragraph(empty, "").join("\n")}\n`;
  }
  const { decision, mark, tone, reason } = answerExperiment(comparison);
  const head = `${options.plain ? "" : `${mark} `}${decision.toUpperCase()}   ${cleanLine(reason)}`;
  const needed = describeNeeded(comparison);
  const lines = [
    ...paragraph(head, "", tone),
    ...paragraph(cleanLine(describeExperiment(comparison))),
    "",
    ...renderFigures(comparison, options),
    ...(comparison.scorecards ?? []).flatMap((scorecard) =>
      renderScorecard(scorecard, comparison, { all, stats }, options),
    ),
    ...(needed === null && stats ? [] : [""]),
    ...(needed === null ? [] : paragraph(`${needed}.`)),
    ...(stats ? [] : paragraph("Details: --stats, --all", "  ", "muted")),
    ...(stats ? ["", ...renderStatistics(comparison, options)] : []),
    ...(all ? renderFindings(comparison, options) : []),
  ];
  if (all && digest) {
    const answer = `${describeDigest(digest, comparison, options)}: ${digest.digest.recommendation}`;
    const note = digest.status === "degraded" ? paragraph(RULES_NOTE, "", "muted") : [];
    lines.push("", ...paragraph(answer, ""), ...note);
  }
  return `${lines.join("\n")}\n`;
}

function renderFigures(comparison: VariantComparison, options: RenderOptions): string[] {
  const right = (text: string): AlignedCell => ({ text, align: "right" });
  const { variants } = comparison;
  const change = variants.length === 2 ? "change" : "";
  const header = [{ text: "" }, ...variants.map(({ key }) => right(key)), right(change), { text: "" }];
  const rows = listFigures(comparison).map(({ label, values, change, note }) => [
    { text: label },
    ...values.map((value) => right(value ?? "-")),
    right(change ?? ""),
    { text: note ?? "" },
  ]);
  return alignCells([header, ...rows], "  ", options);
}

function renderScorecard(
  scorecard: VariantScorecard,
  comparison: VariantComparison,
  { all, stats }: ScorecardDetail,
  options: RenderOptions,
): string[] {
  const shown = all ? listRows(scorecard) : selectRows(scorecard, comparison).slice(0, MAX_ROWS);
  const heading =
    comparison.variants.length > 2 && shown.length > 0
      ? [`  ${cleanLine(`${scorecard.variant} against ${scorecard.baseline}`)}`]
      : [];
  const rest = describeRest(scorecard, shown.length).map((text) =>
    options.plain ? text.replaceAll("→", "to") : text,
  );
  return [
    "",
    ...heading,
    ...renderRows(shown, { all, stats }, options),
    ...(rest.length > 0 ? renderParagraph(rest.join(" · "), "  ", options) : []),
  ];
}

function renderStatistics(comparison: VariantComparison, options: RenderOptions): string[] {
  const differences = createDifferenceRows(comparison);
  const notes = [METHODS, describeSensitivity(comparison)].filter((text) => text !== null);
  const tables = [
    renderTable(comparison.variants, variantRateColumns, options),
    renderIntervals(retentionChart(comparison), options),
    ...(differences.length > 0 ? [renderTable(differences, differenceColumns, options)] : []),
  ];
  const muted = notes.flatMap((text) => renderParagraph(cleanLine(text), "", options, "muted"));
  return [tables.join("\n"), ...muted];
}

/** What players praised and wrote. Their friction is in the scorecard. */
function renderFindings({ variants }: VariantComparison, options: RenderOptions): string[] {
  return variants.flatMap((variant) => {
    const lines = listVariantFindings(variant);
    if (lines.length === 0) return [];
    const paragraphs = lines.flatMap((line) => renderParagraph(line, "  ", options));
    return ["", painter(options)(cleanLine(variant.key), "strong"), ...paragraphs];
  });
}
