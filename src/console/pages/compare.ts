/** Two builds of a game: whether the second is better or worse, and the changes behind that. */
import type { ChartMood } from "../../charts/charts.ts";
import {
  answerScorecard,
  describeAnswer,
  describeChange,
  describeOutcomes,
  describeScope,
  describeScorecard,
  type ScorecardView,
  selectShown,
  viewComparison,
} from "../../charts/scorecard.ts";
import { readComparison } from "../../client/scorecard.ts";
import { getBuildFacts } from "../../contract/build-facts.ts";
import { compareBuilds } from "../../contract/builds.ts";
import { getScorecard, type RowEvidence } from "../../contract/scorecard.ts";
import type { SessionEvidence } from "../../contract/verdict.ts";
import type { TableColumn } from "../../render/columns.ts";
import { formatCount } from "../../render/numbers.ts";
import { el, fragment, type Markup } from "../../render/svg/element.ts";
import { formatMoment } from "../../render/tables/event-text.ts";
import { shownScorecardColumns } from "../../render/tables/scorecard.ts";
import { getMark } from "../../render/verdict-marks.ts";
import { DEFAULT_OPTIONS } from "../../scorecard/options.ts";
import type { TitledRow } from "../../scorecard/titled-rows.ts";
import { linkToMoment } from "../../shared/page-links.ts";
import { toFlags } from "../command-line.ts";
import { linkList } from "../details.ts";
import { section, verdictBox } from "../elements.ts";
import { toListEnv } from "../filter-form.ts";
import { gameLink } from "../links.ts";
import { createPageClient, definePage, type PageContent, sortParams, textParam } from "../page.ts";
import { survivalSection } from "../survival.ts";
import { chooseColumns, dataTable } from "../table.ts";
import { type PairScope, pickers, readPairScope, showChoice, skippedNote } from "./pair-scope.ts";

export const comparePage = definePage({
  path: "/games/{game}/compare",
  query: { a: textParam, b: textParam, env: textParam, ...sortParams },
  async show(address, context) {
    const scope = await readPairScope(address, context);
    const { game, env, pair } = scope;
    if (pair.a === null || pair.b === null) return showChoice(scope, "Compare builds");
    const versions = { a: pair.a, b: pair.b };
    const client = createPageClient({ compareBuilds, getScorecard, getBuildFacts }, context);
    const compared = await readComparison(client, { game, ...versions, env }, DEFAULT_OPTIONS);
    const between = { game, env, build: versions.b, before: versions.a === versions.b ? null : versions.a };
    return showComparison(
      scope,
      viewComparison(compared),
      compared.evidence ?? [],
      await survivalSection(between, CURVE_WIDTH, context.call),
    );
  },
});

const CURVE_WIDTH = 760;

function showComparison(
  scope: PairScope,
  view: ScorecardView,
  evidence: readonly RowEvidence[],
  curve: Markup | null,
): PageContent {
  const { game, env, fallback } = scope;
  const [a, b] = [view.a.version, view.b.version];
  const shows = view.a.testers > 0 && view.b.testers > 0 && view.rows.length > 0;
  return {
    ...{ title: `Compare ${a} to ${b}`, scope: { fallback, build: b } },
    body: fragment(
      pickers(scope),
      renderAnswer(view),
      skippedNote(scope),
      linkList("About these builds", [
        [`Build ${a}`, gameLink(game, ["builds", a], { env })],
        [`Build ${b}`, gameLink(game, ["builds", b], { env })],
        a !== b && ["Report to share", gameLink(game, "report", { a, b, env })],
        a !== b && ["Where players went", gameLink(game, "heatmap", { build: b, compare: a, env })],
        a !== b && [`${b} to ${a}`, gameLink(game, "compare", { a: b, b: a, env })],
      ]),
      curve,
      shows ? section("changes", "What changed", renderRows({ ...scope, evidence }, view)) : null,
    ),
    command: ["builds", "compare", a, b, "--scorecard", "--game", game, ...toFlags({ "--env": env })],
    data: describeScorecard(view),
  };
}

function renderAnswer(view: ScorecardView): Markup {
  return verdictBox(
    { ...getMark(answerScorecard(view)), answer: describeAnswer(view) },
    [describeScope(view), describeOutcomes(view).join(" · "), view.notes.join(" ")]
      .filter((text) => text !== "")
      .map((text) => el("p", text)),
  );
}

const moods: Readonly<Record<string, ChartMood>> = { worse: "bad", better: "good" };

/** The rows as people compare them: what it is about first, and the result in words. */
const columns: readonly TableColumn<TitledRow>[] = [
  ...chooseColumns(shownScorecardColumns, ["title", "status", "sides"]),
  {
    ...{ key: "difference", header: "Change", align: "right" },
    value: ({ difference, isNewRoom, b }) => (isNewRoom ? b.value : difference),
    format: (_value, _options, row) => describeChange(row),
  },
  ...chooseColumns(shownScorecardColumns, ["range", "id"]),
];

/** When the session shows it. */
const describeMoment = (moment: SessionEvidence | undefined) =>
  moment === undefined ? null : moment.activeSec === null ? "session" : formatMoment(moment.activeSec);

interface RowScope extends PairScope {
  readonly evidence: readonly RowEvidence[];
}

/** What matters, and the other rows to open. */
function renderRows(scope: RowScope, view: ScorecardView): Markup {
  const shown = selectShown(view);
  const rest = view.rows.filter((row) => !shown.includes(row));
  const title = `${formatCount(rest.length, "more row")} unclear or ruled out`;
  return fragment(
    renderTable(scope, view, shown, `What changed from ${view.a.version} to ${view.b.version}`),
    rest.length > 0 &&
      el(
        "details",
        { open: scope.input.search.has("sort") ? "" : null },
        el("summary", title),
        renderTable(scope, view, rest, title),
      ),
  );
}

function renderTable(
  { game, env, input, evidence }: RowScope,
  { a, b }: ScorecardView,
  rows: readonly TitledRow[],
  caption: string,
): Markup {
  const moments = new Map(evidence.map(({ metric, sessions: [first] }) => [metric, first]));
  const watch: TableColumn<TitledRow> = {
    ...{ key: "watch", header: "Watch" },
    value: ({ metric }) => describeMoment(moments.get(metric)),
  };
  return dataTable(rows, rows.some(({ metric }) => moments.has(metric)) ? [...columns, watch] : columns, {
    caption,
    links: {
      watch: ({ metric }) => {
        const moment = moments.get(metric);
        return moment ? linkToMoment(game, moment) : null;
      },
    },
    link: ({ family, id, room, b: side }) => {
      const filter = { build: side.count === 0 ? a.version : b.version, env: toListEnv(env) };
      if (family === "friction") return gameLink(game, "insights", { ...filter, tag: id });
      return room === null ? null : gameLink(game, "dropoff", { ...filter, env });
    },
    bars: {
      difference: ({ unit, isNewRoom, difference, b: side, status }) => {
        const change = isNewRoom ? side.value : difference;
        return unit === "share" && change !== null ? { change, mood: moods[status] ?? "neutral" } : null;
      },
    },
    stacks: "early",
    empty: "No row is worse or better.",
    sortable: input,
  });
}
