/** The builds of a game: the latest one first, all of them, and how friction or a metric developed over them. */
import { trendChart } from "../../charts/trend.ts";
import { type BuildRow, builds, listBuilds, registrations } from "../../contract/build-list.ts";
import { isKnownBuild } from "../../contract/build-order.ts";
import {
  DEFAULT_TREND_METRIC,
  getTrend,
  metricTitles,
  type Trend,
  type TrendMetric,
  trendMetrics,
} from "../../contract/trends.ts";
import { formatCount } from "../../render/numbers.ts";
import { fragment, type Markup } from "../../render/svg/element.ts";
import { toColumns } from "../../render/tables/columns.ts";
import { describeEmptyTrend } from "../../render/tables/trend.ts";
import { chartFigure } from "../chart-figure.ts";
import { toFlags } from "../command-line.ts";
import { commandNote, emptyNote, linkList } from "../details.ts";
import { pager, section } from "../elements.ts";
import {
  filterForm,
  findDefaultEnvironment,
  listEnvironments,
  toPlayEnv,
  withoutAll,
} from "../filter-form.ts";
import { gameLink } from "../links.ts";
import {
  choiceParam,
  definePage,
  isNotFound,
  PAGE_SIZE,
  type PageContext,
  type PageInput,
  pagedParams,
  sortParams,
  textParam,
} from "../page.ts";
import { columnFacts, dataTable } from "../table.ts";

interface TrendScope {
  readonly game: string;
  readonly env: string | undefined;
  readonly tag: string | undefined;
  readonly metric: TrendMetric | undefined;
}

export const buildsPage = definePage({
  path: "/games/{game}/builds",
  query: {
    env: textParam,
    registration: choiceParam(registrations),
    metric: choiceParam(trendMetrics),
    tag: textParam,
    ...sortParams,
    ...pagedParams,
  },
  async show({ params: { game }, query, ...input }, { call }) {
    const { metric, tag, registration, offset = 0 } = query;
    const env = withoutAll(query.env);
    const data = await call(listBuilds, { game, env, registration, limit: PAGE_SIZE, offset });
    const scope = { game, env, metric, tag };
    const isWhole = data.total === data.items.length;
    const [newest, previous] =
      offset === 0 && registration !== "unregistered" ? data.items.filter(isKnownBuild) : [];
    return {
      title: `Builds of ${data.game.name}`,
      body: fragment(
        newest
          ? section("latest", `Latest build: ${newest.version}`, ...renderLatest(newest, previous, scope))
          : null,
        section(
          "all",
          "All builds",
          dataTable(data.items, toColumns(builds), {
            caption: registration === "unregistered" ? "Unregistered builds" : "Builds, the latest first",
            link: ({ version }) => gameLink(game, ["builds", version], { env }),
            stacks: true,
            empty: env === undefined ? NO_SESSIONS : `No sessions in ${env}.`,
            ...(isWhole ? { sortable: input } : {}),
          }),
          data.unregistered ? unregisteredNote(data.unregistered, { game, env }) : null,
          pager(input, { offset, count: data.items.length, total: data.total, limit: PAGE_SIZE }),
        ),
        data.total === 0
          ? null
          : section(
              "trend",
              "Trend",
              await renderTrend(
                {
                  ...scope,
                  env: toPlayEnv(env, await findDefaultEnvironment(game, listEnvironments(data.items), call)),
                },
                input,
                call,
              ),
            ),
      ),
      command: [
        ...["builds", "list", "--game", game],
        ...toFlags({
          "--env": env,
          "--registration": registration,
          "--limit": PAGE_SIZE,
          "--offset": offset || undefined,
        }),
      ],
      data,
    };
  },
});

/** Where the builds are that the list leaves out. */
const unregisteredNote = (count: number, { game, env }: Pick<TrendScope, "game" | "env">): Markup =>
  linkList("Builds that are not registered", [
    [
      `${formatCount(count, "unregistered build")} not shown`,
      gameLink(game, "builds", { env, registration: "unregistered" }),
    ],
  ]);

const NO_SESSIONS = "No sessions yet. A build appears with the first telemetry that names it.";

function renderLatest(build: BuildRow, previous: BuildRow | undefined, { game, env }: TrendScope): Markup[] {
  const { version } = build;
  const filter = { build: version, env };
  return [
    columnFacts(build, toColumns(builds), LATEST_FACTS),
    linkList("About the latest build", [
      previous && [
        `Is it better than ${previous.version}?`,
        gameLink(game, "compare", { a: previous.version, b: version, env }),
      ],
      ["Summary", gameLink(game, ["builds", version], { env })],
      ["Where testers quit", gameLink(game, "dropoff", filter)],
      ["Insights", gameLink(game, "insights", filter)],
      ["Heatmap", gameLink(game, "heatmap", filter)],
      ["Sessions", gameLink(game, "sessions", filter)],
    ]),
  ];
}

const LATEST_FACTS = ["sessionCount", "testerCount", "totalWallSec", "lastSeen"];

const metricChoices = trendMetrics
  .filter((metric) => metric !== DEFAULT_TREND_METRIC)
  .map((value) => ({ value, text: metricTitles[value] }));

/** The trend with the form that chooses it. An unknown tag, or a game without play in production, is named here, so that the rest of the page stays useful. */
async function renderTrend(
  scope: TrendScope,
  input: Pick<PageInput, "path" | "search">,
  call: PageContext["call"],
): Promise<Markup> {
  const { game, env, tag, metric } = scope;
  const subject = tag === undefined ? { metric } : { tag };
  const form = filterForm(
    input,
    [
      { name: "metric", label: "Metric", choices: metricChoices, any: metricTitles[DEFAULT_TREND_METRIC] },
      { name: "tag", label: "Or a tag or metric", placeholder: "difficulty-spike:furnace" },
    ],
    { label: "Trend" },
  );
  try {
    const trend = await call(getTrend, { game, env, ...subject });
    const flags = toFlags({ "--tag": tag, "--metric": tag === undefined ? metric : undefined, "--env": env });
    return fragment(form, drawTrend(trend), commandNote(["builds", "trend", "--game", game, ...flags]));
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return fragment(form, emptyNote(error.message));
  }
}

const drawTrend = (trend: Trend): Markup =>
  trend.points.length === 0
    ? emptyNote(describeEmptyTrend(trend, "Choose another environment."))
    : chartFigure("Chart of the trend", trendChart(trend));
