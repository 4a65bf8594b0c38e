/** Two builds of a game: whether the second is better or worse, and the changes behind that. */

import { answerComparison, type ComparisonAnswer } from "../../charts/comparison-answer.ts";
import { comparisonChart, describeMissingTesters } from "../../charts/comparison-chart.ts";
import { describeTests } from "../../charts/friction.ts";
import { type TestedComparison, testChanges } from "../../charts/tested-changes.ts";
import { readComparedHistory } from "../../client/play-history.ts";
import { type BuildList, listBuilds } from "../../contract/build-list.ts";
import { type BuildComparison, compareBuilds } from "../../contract/builds.ts";
import { getBuildExposure } from "../../contract/play-history.ts";
import { chartSvg } from "../../render/svg/charts.ts";
import { el, fragment, type Markup } from "../../render/svg/element.ts";
import { shownChangeColumns } from "../../render/tables/build-changes.ts";
import { toFlags } from "../command-line.ts";
import { drawing, emptyNote, linkList } from "../details.ts";
import { section } from "../elements.ts";
import {
  buildChoices,
  filterForm,
  listEnvironments,
  MAX_BUILD_CHOICES,
  oneEnvironmentField,
  toListEnv,
} from "../filter-form.ts";
import { linkTo } from "../links.ts";
import { definePage, type PageContent, type PageInput, sortParams, textParam } from "../page.ts";
import { dataTable } from "../table.ts";
import { type BuildPair, choosePair } from "./build-pair.ts";

/** What is the same in all forms of the page. */
interface Scope {
  readonly game: string;
  readonly env: string | undefined;
  readonly builds: BuildList;
  readonly input: Pick<PageInput, "path" | "search">;
}

export const comparePage = definePage({
  path: "/games/{game}/compare",
  query: { a: textParam, b: textParam, env: textParam, ...sortParams },
  async show({ params: { game }, query: { a, b, env }, path, search }, { call }) {
    const builds = await call(listBuilds, { game, limit: MAX_BUILD_CHOICES });
    const pair = await choosePair({ a, b }, { game, env, builds }, call);
    // Links and the form name the builds that are shown, even if the address does not.
    const shown = new URLSearchParams(search);
    for (const [name, value] of Object.entries(pair)) if (value !== null) shown.set(name, value);
    const scope = { game, env, builds, input: { path, search: shown } };
    if (pair.a === null || pair.b === null) return showChoice(scope, pair);
    const versions = { a: pair.a, b: pair.b };
    const data = await call(compareBuilds, { game, ...versions, env });
    const read = (input: Parameters<typeof call<typeof getBuildExposure>>[1]) =>
      call(getBuildExposure, input);
    const tested = testChanges(data, await readComparedHistory(read, { game, ...versions, env }));
    return showComparison(scope, data, tested);
  },
});

/** The page while fewer than two builds are chosen. */
function showChoice({ game, env, builds, input }: Scope, { b }: BuildPair): PageContent {
  const where = env === "all" ? "" : ` in ${toListEnv(env)}`;
  const nothing = b === null ? `No build has sessions${where}.` : `There is no build before ${b}${where}.`;
  return {
    ...{ title: "Compare builds", trail: trailTo(builds), game },
    body: fragment(
      pickers(builds, input),
      emptyNote(`${nothing} Choose two builds that testers have played, or another environment.`),
    ),
    command: ["builds", "list", "--game", game, "--limit", String(MAX_BUILD_CHOICES)],
    data: builds,
  };
}

function showComparison(scope: Scope, data: BuildComparison, tested: TestedComparison): PageContent {
  const { game, env, builds, input } = scope;
  const [a, b] = [data.buildA.version, data.buildB.version];
  const missing = describeMissingTesters(data);
  const shows = missing === null && data.diff.changes.length > 0;
  return {
    ...{ title: `${a} to ${b}`, trail: trailTo(builds), game },
    body: fragment(
      pickers(builds, input),
      missing === null
        ? renderAnswer(answerComparison(data, tested))
        : emptyNote(`${missing} Choose another build or environment.`),
      linkList("About these builds", [
        [`Build ${a}`, linkTo(["games", game, "builds", a], { env })],
        [`Build ${b}`, linkTo(["games", game, "builds", b], { env })],
        a === b
          ? null
          : [
              "Where players went",
              linkTo(["games", game, "heatmap"], { build: b, compare: a, env: toListEnv(env) }),
            ],
        a === b ? null : [`${b} to ${a}`, linkTo(["games", game, "compare"], { a: b, b: a, env })],
      ]),
      shows
        ? section(
            "friction",
            "Friction",
            drawing("Chart of the changes", chartSvg(comparisonChart(data, tested))),
          )
        : null,
      shows ? section("changes", "Changes", renderChanges(scope, data, tested)) : null,
    ),
    command: ["builds", "compare", a, b, "--game", game, ...toFlags({ "--env": env })],
    data,
  };
}

const trailTo = ({ game: { name, slug } }: BuildList) => [
  { text: name, href: linkTo(["games", slug, "builds"]) },
];

function pickers({ items }: BuildList, input: Scope["input"]): Markup {
  const choices = buildChoices(items);
  return filterForm(
    input,
    [
      { name: "a", label: "From build", choices, any: "the one before" },
      { name: "b", label: "To build", choices, any: "the latest" },
      oneEnvironmentField(listEnvironments(items)),
    ],
    { resets: false },
  );
}

const verdictClasses: Readonly<Record<ComparisonAnswer["verdict"], string>> = {
  ...{ worse: "verdict failed", better: "verdict passed", mixed: "verdict", unclear: "verdict" },
};

function renderAnswer({ verdict, sentences: [result = "", ...more] }: ComparisonAnswer): Markup {
  return el(
    "section",
    { class: verdictClasses[verdict], "aria-labelledby": "answer" },
    el("h2", { id: "answer" }, result),
    more.map((sentence) => el("p", {}, sentence)),
  );
}

function renderChanges({ game, env, input }: Scope, data: BuildComparison, tested: TestedComparison): Markup {
  const { buildA, buildB } = data;
  return fragment(
    dataTable(tested.changes, shownChangeColumns(data), {
      caption: `Changes from ${buildA.version} to ${buildB.version}`,
      link: ({ tag, testersB }) =>
        linkTo(["games", game, "insights"], {
          build: testersB === 0 ? buildA.version : buildB.version,
          env: toListEnv(env),
          tag,
        }),
      empty: "",
      sortable: input,
    }),
    el("p", { class: "note" }, describeTests(tested.changes)),
  );
}
