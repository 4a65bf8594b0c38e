/** One experiment: the verdict with its figures first, then friction, quits and ratings, and the statistics. */

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
} from "../../charts/experiment.ts";
import { retentionChart } from "../../charts/retention.ts";
import type { Output } from "../../contract/define.ts";
import {
  type Experiment,
  experiments,
  getExperimentComparison,
  listGameExperiments,
  type VariantComparison,
  type VariantScorecard,
} from "../../contract/experiments.ts";
import { type Child, el, fragment, type Markup } from "../../render/svg/element.ts";
import { toDetails } from "../../render/tables/columns.ts";
import {
  createDifferenceRows,
  differenceColumns,
  figureColumns,
  METHODS,
} from "../../render/tables/experiment.ts";
import { describeDigest, listVariantFindings, RULES_NOTE } from "../../render/tables/experiment-findings.ts";
import { shownScorecardColumns } from "../../render/tables/scorecard.ts";
import { variantRateColumns } from "../../render/tables/variants.ts";
import { capitalize } from "../../shared/words.ts";
import { CELLS } from "../cells.ts";
import { chartFigure } from "../chart-figure.ts";
import { detailList, emptyNote, noteText } from "../details.ts";
import { section, verdictBox } from "../elements.ts";
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
      trail: [["experiments", "Experiments"]],
      body: fragment(
        hasNoPlayers(comparison) ? emptyNote(describeNoPlayers(experiment.name)) : results(data),
        section("about", "About the experiment", about(experiment)),
      ),
      command: ["experiments", "compare", id],
      data,
    };
  },
});

function results({ comparison, digest }: Comparison): Markup {
  const { decision, mark, reason, tone } = answerExperiment(comparison);
  const { variants, scorecards } = comparison;
  const needed = describeNeeded(comparison);
  return fragment(
    verdictBox(
      { mark, style: tone, answer: `${capitalize(decision)}: ${reason}` },
      el("p", describeExperiment(comparison)),
      dataTable(listFigures(comparison), figureColumns(variants), {
        caption: "The figures that decide",
      }),
      needed !== null && el("p", `${needed}.`),
    ),
    (scorecards ?? []).map((scorecard) => rows(scorecard, comparison)),
    section(
      "variants",
      "Variants",
      dataTable(variants, variantRateColumns, {
        caption: "Variants with 95% confidence intervals",
        empty: "No variants.",
      }),
      chartFigure("Chart of the retention", retentionChart(comparison)),
    ),
    differences(comparison),
    findings(comparison),
    digest
      ? section(
          "digest",
          describeDigest(digest, comparison, CELLS),
          el("p", digest.digest.recommendation),
          digest.status === "degraded" && noteText(RULES_NOTE),
        )
      : null,
  );
}

/** Friction, quits and ratings: what matters first, and all rows to open. */
function rows(scorecard: VariantScorecard, comparison: VariantComparison): Child {
  const { variant, baseline } = scorecard;
  const all = listRows(scorecard);
  if (all.length === 0) return null;
  const shown = selectRows(scorecard, comparison);
  const caption = `Friction, quits and ratings of ${variant} against ${baseline}`;
  return section(
    `rows-${variant}`,
    `Friction, quits and ratings: ${variant} against ${baseline}`,
    shown.length > 0 && dataTable(shown, shownScorecardColumns, { caption }),
    noteText(describeRest(scorecard, shown.length).join(" · ")),
    shown.length < all.length &&
      el(
        "details",
        el("summary", "All rows"),
        dataTable(all, shownScorecardColumns, { caption: `All rows: ${caption}` }),
      ),
  );
}

function differences(comparison: VariantComparison): Child {
  const found = createDifferenceRows(comparison);
  if (found.length === 0) return null;
  const baseline = found[0]?.baseline ?? "";
  const notes = [METHODS, describeSensitivity(comparison)].filter((line) => line !== null);
  return section(
    "differences",
    `Differences from ${baseline} (percentage points)`,
    dataTable(found, differenceColumns, { caption: "Differences by metric" }),
    notes.map((line) => noteText(line)),
  );
}

function findings({ variants }: VariantComparison): Child {
  const found = variants.filter((variant) => listVariantFindings(variant).length > 0);
  if (found.length === 0) return null;
  return section(
    "findings",
    "Praise and quotes by variant",
    found.map((variant) => [
      el("h3", variant.key),
      el(
        "ul",
        listVariantFindings(variant).map((line) => el("li", line)),
      ),
    ]),
  );
}

/** Status, variants with their values, audience and times. */
const about = (experiment: Experiment): Markup =>
  detailList(
    toDetails(
      experiments,
      Object.keys(experiments.columns).filter((key) => key !== "name"),
      experiment,
      CELLS,
    ).map(([label, value]) => [label, value]),
  );
