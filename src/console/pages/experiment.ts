/** One experiment: the verdict first, then its variants with intervals, their differences and the sample size. */
import { retentionChart } from "../../charts/variant-retention.ts";
import type { Output } from "../../contract/define.ts";
import {
  type Experiment,
  experiments,
  getExperimentComparison,
  listGameExperiments,
  type VariantComparison,
} from "../../contract/experiments.ts";
import type { Style } from "../../render/style.ts";
import { chartSvg } from "../../render/svg/charts.ts";
import { type Child, el, fragment, type Markup } from "../../render/svg/element.ts";
import {
  createDifferenceRows,
  describeDifferences,
  differenceColumns,
  titleDifferences,
} from "../../render/tables/experiment-differences.ts";
import { describeDigest, listVariantFindings, RULES_NOTE } from "../../render/tables/experiment-findings.ts";
import {
  createPlanRows,
  describeCrashPlan,
  describeSensitivity,
  PLAN_TITLE,
  planColumns,
} from "../../render/tables/experiment-plan.ts";
import {
  describeNoPlayers,
  describeVerdict,
  hasNoPlayers,
  listWarnings,
} from "../../render/tables/experiment-verdict.ts";
import { toColumns } from "../../render/tables/resource-columns.ts";
import { variantRateColumns } from "../../render/tables/variants.ts";
import { CELLS } from "../cells.ts";
import { CHART_WIDTH, drawing } from "../details.ts";
import { section } from "../elements.ts";
import { trailTo } from "../links.ts";
import { definePage, NotThere } from "../page.ts";
import { dataTable } from "../table.ts";

type Comparison = Output<typeof getExperimentComparison>;

export const experimentPage = definePage({
  path: "/games/{game}/experiments/{id}",
  query: {},
  async show({ params: { game, id } }, { call }) {
    const { experiments } = await call(listGameExperiments, { id: game });
    const experiment = experiments.find((listed) => listed.id === id);
    if (!experiment) throw new NotThere(`experiment ${JSON.stringify(id)} of game ${JSON.stringify(game)}`);
    const data = await call(getExperimentComparison, { id });
    const { comparison } = data;
    return {
      title: experiment.name,
      trail: trailTo(game, ["experiments", "Experiments"]),
      game,
      body: fragment(
        hasNoPlayers(comparison)
          ? el("div", { class: "empty" }, el("p", {}, describeNoPlayers(experiment.name)))
          : results(experiment, data),
        section("about", "About the experiment", about(experiment)),
      ),
      command: ["experiments", "compare", id],
      data,
    };
  },
});

const verdictClasses: Partial<Record<Style, string>> = { good: "verdict passed", bad: "verdict failed" };

function results({ name }: Experiment, { comparison, digest }: Comparison): Markup {
  const { text, style, note } = describeVerdict(comparison);
  return fragment(
    el(
      "section",
      { class: verdictClasses[style] ?? "verdict", "aria-labelledby": "verdict" },
      el("h2", { id: "verdict" }, text),
      note !== null && el("p", { class: "note" }, note),
      listWarnings(comparison).map((warning) => el("p", { class: "bad" }, `Warning: ${warning}`)),
    ),
    section(
      "variants",
      "Variants",
      dataTable(comparison.variants, variantRateColumns, {
        caption: "Variants with 95% confidence intervals",
        empty: el("p", {}, "No variants."),
      }),
      drawing("Chart of the retention", chartSvg(retentionChart(comparison, name), CHART_WIDTH)),
    ),
    differences(comparison),
    sampleSize(comparison),
    findings(comparison),
    digest
      ? section(
          "digest",
          describeDigest(digest, comparison, CELLS),
          el("p", {}, digest.digest.recommendation),
          digest.status === "degraded" && el("p", { class: "note" }, RULES_NOTE),
        )
      : null,
  );
}

function differences(comparison: VariantComparison): Child {
  const rows = createDifferenceRows(comparison);
  if (rows.length === 0) return null;
  const variants = [...new Set(rows.map(({ variant }) => variant))];
  return section(
    "differences",
    titleDifferences(rows),
    variants.map((variant) => {
      const own = rows.filter((row) => row.variant === variant);
      const table = dataTable(own, differenceColumns, {
        caption: `Differences by metric: ${variant}`,
        empty: null,
      });
      return variants.length > 1 ? [el("h3", {}, variant), table] : table;
    }),
    el("p", { class: "note" }, describeDifferences(comparison)),
  );
}

function sampleSize(comparison: VariantComparison): Child {
  const rows = createPlanRows(comparison);
  const notes = [describeCrashPlan(comparison), describeSensitivity(comparison)].filter(
    (line) => line !== null,
  );
  if (rows.length === 0 && notes.length === 0) return null;
  return section(
    "plan",
    PLAN_TITLE,
    rows.length > 0 && dataTable(rows, planColumns, { caption: "Sample size by metric", empty: null }),
    notes.map((line) => el("p", { class: "note" }, line)),
  );
}

function findings({ variants }: VariantComparison): Child {
  const found = variants.filter((variant) => listVariantFindings(variant).length > 0);
  if (found.length === 0) return null;
  return section(
    "findings",
    "Findings by variant",
    found.map((variant) => [
      el("h3", {}, variant.key),
      el(
        "ul",
        {},
        listVariantFindings(variant).map((line) => el("li", {}, line)),
      ),
    ]),
  );
}

/** Status, variants with their values, audience and times. */
const about = (experiment: Experiment): Markup =>
  dataTable(
    [experiment],
    toColumns(experiments)
      .filter(({ key }) => key !== "name")
      .map(({ wide: _wide, ...column }) => column),
    { caption: "The experiment", empty: null },
  );
