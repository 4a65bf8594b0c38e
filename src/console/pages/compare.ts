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
import type { Input } from "../../contract/define.ts";
import { getScorecard, type RowEvidence } from "../../contract/scorecard.ts";
import type { SessionEvidence } from "../../contract/verdict.ts";
import type { TableColumn } from "../../render/columns.ts";
import { formatCount } from "../../render/numbers.ts";
import { el, fragment, type Markup } from "../../render/svg/element.ts";
import { formatMoment } from "../../render/tables/event-text.ts";
import { shownScorecardColumns } from "../../render/tables/scorecard.ts";
import { DEFAULT_OPTIONS } from "../../scorecard/options.ts";
import type { TitledRow } from "../../scorecard/titled-rows.ts";
import type { NamedPair } from "../../shared/build-words.ts";
import { linkToMoment } from "../../shared/page-links.ts";
import { quoteArgument, toFlags } from "../command-line.ts";
import { emptyNote, linkList } from "../details.ts";
import { getVerdictClass, section } from "../elements.ts";
import { buildChoices, filterForm, MAX_BUILD_CHOICES, toListEnv } from "../filter-form.ts";
import { linkTo } from "../links.ts";
import { definePage, type PageContent, type PageInput, sortParams, textParam } from "../page.ts";
import { type PlayScope, readPlayScope } from "../play-scope.ts";
import { survivalSection } from "../survival.ts";
import { chooseColumns, dataTable } from "../table.ts";
import { choosePair } from "./build-pair.ts";

/** What is the same in all forms of the page. */
interface Scope extends PlayScope {
  readonly input: Pick<PageInput, "path" | "search">;
}

export const comparePage = definePage({
  path: "/games/{game}/compare",
  query: { a: textParam, b: textParam, env: textParam, ...sortParams },
  async show({ params: { game }, query: { a, b, ...query }, path, search }, { call }) {
    const played = await readPlayScope(game, query.env, call);
    const { env } = played;
    const pair = await choosePair({ a, b }, played, call);
    // Links and the form name the builds that are shown, even if the address does not.
    const shown = new URLSearchParams(search);
    for (const [name, value] of Object.entries(pair)) if (value !== null) shown.set(name, value);
    const scope = { ...played, input: { path, search: shown } };
    if (pair.a === null || pair.b === null) return showChoice(scope, pair);
    const versions = { a: pair.a, b: pair.b };
    const calls = {
      announces: async () => true,
      compareBuilds: (input: Input<typeof compareBuilds>) => call(compareBuilds, input),
      getScorecard: (input: Input<typeof getScorecard>) => call(getScorecard, input),
      getBuildFacts: (input: Input<typeof getBuildFacts>) => call(getBuildFacts, input),
    };
    const compared = await readComparison(calls, { game, ...versions, env }, DEFAULT_OPTIONS);
    const between = { game, env, build: versions.b, before: versions.a === versions.b ? null : versions.a };
    return showComparison(
      scope,
      viewComparison(compared),
      compared.evidence ?? [],
      await survivalSection(between, CURVE_WIDTH, call),
    );
  },
});

/** The page while fewer than two builds are chosen. */
function showChoice(scope: Scope, { b }: NamedPair): PageContent {
  const { game, env, builds, fallback } = scope;
  const where = env === "all" ? "" : ` in ${toListEnv(env)}`;
  const nothing = b === null ? `No build has sessions${where}.` : `There is no build before ${b}${where}.`;
  return {
    ...{ title: "Compare builds", trail: [["builds", "Builds"]], game, scope: { fallback } },
    body: fragment(
      pickers(scope),
      emptyNote(`${nothing} Choose two builds that testers have played, or another environment.`),
    ),
    command: ["builds", "list", "--game", game, "--limit", String(MAX_BUILD_CHOICES)],
    data: builds,
  };
}

/** The width of the curve, pixels. */
const CURVE_WIDTH = 860;

function showComparison(
  scope: Scope,
  view: ScorecardView,
  evidence: readonly RowEvidence[],
  curve: Markup | null,
): PageContent {
  const { game, env, fallback } = scope;
  const [a, b] = [view.a.version, view.b.version];
  const shows = view.a.testers > 0 && view.b.testers > 0 && view.rows.length > 0;
  return {
    ...{ title: `${a} to ${b}`, trail: [["builds", "Builds"]], game, scope: { fallback, build: b } },
    body: fragment(
      pickers(scope),
      renderAnswer(view),
      linkList("About these builds", [
        [`Build ${a}`, linkTo(["games", game, "builds", a], { env })],
        [`Build ${b}`, linkTo(["games", game, "builds", b], { env })],
        a === b
          ? null
          : ["Where players went", linkTo(["games", game, "heatmap"], { build: b, compare: a, env })],
        a === b ? null : [`${b} to ${a}`, linkTo(["games", game, "compare"], { a: b, b: a, env })],
      ]),
      curve,
      shows ? section("changes", "What changed", renderRows({ ...scope, evidence }, view)) : null,
      el(
        "p",
        { class: "note" },
        "As a page to share: ",
        el(
          "code",
          {},
          ["playtest", "report", a, b, "--game", game, ...toFlags({ "--env": env })]
            .map(quoteArgument)
            .join(" "),
        ),
      ),
    ),
    command: ["builds", "compare", a, b, "--scorecard", "--game", game, ...toFlags({ "--env": env })],
    data: describeScorecard(view),
  };
}

function pickers({ builds: { items }, input }: Scope): Markup {
  const choices = buildChoices(items);
  return filterForm(
    input,
    [
      { name: "a", label: "From build", choices, any: "the one before" },
      { name: "b", label: "To build", choices, any: "the latest" },
    ],
    { resets: false },
  );
}

function renderAnswer(view: ScorecardView): Markup {
  return el(
    "section",
    { class: getVerdictClass(answerScorecard(view)), "aria-labelledby": "answer" },
    el("h2", { id: "answer" }, describeAnswer(view)),
    [describeScope(view), describeOutcomes(view).join(" · "), view.notes.join(" ")]
      .filter((text) => text !== "")
      .map((text) => el("p", {}, text)),
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

interface RowScope extends Scope {
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
        el("summary", {}, title),
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
      if (family === "friction") return linkTo(["games", game, "insights"], { ...filter, tag: id });
      return room === null ? null : linkTo(["games", game, "dropoff"], { ...filter, env });
    },
    bars: {
      difference: ({ unit, isNewRoom, difference, b: side, status }) => {
        const change = isNewRoom ? side.value : difference;
        return unit === "share" && change !== null ? { change, mood: moods[status] ?? "neutral" } : null;
      },
    },
    stacks: true,
    empty: el("p", {}, "No row is worse or better."),
    sortable: input,
  });
}
