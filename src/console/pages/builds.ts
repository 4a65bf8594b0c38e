/** The builds of a game, and how friction or a metric developed over them. */
import { trendChart } from "../../charts/trend.ts";
import { listBuilds } from "../../contract/build-list.ts";
import { getTrend, trendMetrics } from "../../contract/trends.ts";
import { chartSvg } from "../../render/svg/charts.ts";
import { el, fragment } from "../../render/svg/element.ts";
import { buildColumns } from "../../render/tables/builds.ts";
import { describeEmptyTrend } from "../../render/tables/trend.ts";
import { toFlags } from "../command-line.ts";
import { dataTable, filterForm, pager, section } from "../elements.ts";
import { linkTo } from "../links.ts";
import { choiceParam, definePage, textParam } from "../page.ts";
import { PAGE_SIZE, pagedParams, sortParams } from "./list.ts";

export const buildsPage = definePage({
  path: "/games/{game}/builds",
  query: { env: textParam, metric: choiceParam(trendMetrics), tag: textParam, ...sortParams, ...pagedParams },
  async show({ params: { game }, query, ...input }, { call }) {
    const { env, metric, tag, offset = 0 } = query;
    const data = await call(listBuilds, { game, env, limit: PAGE_SIZE, offset });
    const trend = await call(getTrend, { game, env, ...(tag === undefined ? { metric } : { tag }) });
    const [newest, previous] = data.items.filter(({ version }) => version !== "unknown");
    const isWhole = data.total === data.items.length;
    return {
      title: `Builds of ${data.game.name}`,
      trail: [],
      game,
      body: fragment(
        offset === 0 && newest && previous
          ? el(
              "p",
              {},
              el(
                "a",
                { href: linkTo(["games", game, "compare"], { a: previous.version, b: newest.version, env }) },
                `Compare ${newest.version} with ${previous.version}`,
              ),
            )
          : null,
        filterForm({ path: input.path, search: input.search }, [
          { name: "env", label: "Environment", placeholder: "all" },
          { name: "tag", label: "Friction tag of the trend" },
          {
            name: "metric",
            label: "Metric of the trend",
            choices: trendMetrics.map((value) => ({ value })),
            any: "default",
          },
        ]),
        dataTable(data.items, buildColumns, {
          caption: "Builds, the one played last first",
          link: ({ version }) => linkTo(["games", game, "sessions"], { build: version, env }),
          empty: el("p", {}, env === undefined ? "No sessions yet." : `No sessions in ${env}.`),
          ...(isWhole ? { sortable: input } : {}),
        }),
        pager(input, { offset, count: data.items.length, total: data.total, limit: PAGE_SIZE }),
        section(
          "trend",
          "Trend",
          trend.points.length === 0
            ? el("p", {}, describeEmptyTrend(trend, "Choose another environment."))
            : el("figure", {}, chartSvg(trendChart(trend))),
        ),
      ),
      command: ["builds", "list", "--game", game, ...toFlags({ "--env": env })],
      data,
    };
  },
});
