/** The insights of a game, with filters. */
import { insightTypes, listInsights, sentiments } from "../../contract/insights.ts";
import { el, fragment } from "../../render/svg/element.ts";
import { insightColumns, NO_INSIGHTS_MATCH } from "../../render/tables/insights.ts";
import { toFlags, toTimeFlags } from "../command-line.ts";
import { pager } from "../elements.ts";
import { filterForm, timeField } from "../filter-form.ts";
import { tagLink, trailTo } from "../game-links.ts";
import { linkTo } from "../links.ts";
import { choiceParam, definePage, readTime, textParam, timeParam } from "../page.ts";
import { chooseColumns, dataTable } from "../table.ts";
import { PAGE_SIZE, pagedParams, toPageFlags } from "./list.ts";

/** The columns of the command that the page shows, with the linked column first. */
const columns = chooseColumns(insightColumns, ["title", "tag", "confidence", "sentiment", "createdAt"]);

const NO_INSIGHTS = "No insights yet. The service finds them when it analyzes sessions.";

export const insightsPage = definePage({
  path: "/games/{game}/insights",
  query: {
    ...{ build: textParam, env: textParam, tag: textParam, device: textParam },
    type: choiceParam(insightTypes),
    sentiment: choiceParam(sentiments),
    ...{ from: timeParam, to: timeParam },
    ...pagedParams,
  },
  async show({ params: { game }, query, ...input }, { call, now }) {
    const { offset = 0, from, to, ...filter } = query;
    const range = { from: readTime(from, now), to: readTime(to, now) };
    const data = await call(listInsights, { game, ...filter, ...range, limit: PAGE_SIZE, offset });
    const { build, env, tag, device, type, sentiment } = filter;
    const isFiltered = Object.values({ ...filter, ...range }).some((value) => value !== undefined);
    return {
      title: "Insights",
      trail: trailTo(game),
      game,
      body: fragment(
        filterForm(input, [
          { name: "build", label: "Build", placeholder: "all" },
          { name: "env", label: "Environment", placeholder: "all" },
          { name: "type", label: "Type", choices: insightTypes.map((value) => ({ value })), any: "all" },
          {
            name: "sentiment",
            label: "Sentiment",
            choices: sentiments.map((value) => ({ value })),
            any: "all",
          },
          {
            ...{ name: "tag", label: "Tag", placeholder: "difficulty-spike:furnace" },
            suggestions: data.items.map((insight) => insight.tag),
          },
          { name: "device", label: "Tester", placeholder: "handle or device" },
          timeField("from", "From"),
          timeField("to", "To"),
        ]),
        tag === undefined
          ? null
          : el(
              "p",
              {},
              el(
                "a",
                { href: linkTo(["games", game, "builds"], { tag, env }) },
                "How many testers of each build have this tag",
              ),
            ),
        dataTable(data.items, columns, {
          caption: "Insights, newest first",
          link: ({ id }) => linkTo(["games", game, "insights", id]),
          links: { tag: ({ tag }) => tagLink(game, tag) },
          stacks: true,
          empty: el("p", {}, isFiltered ? NO_INSIGHTS_MATCH : NO_INSIGHTS),
        }),
        pager(input, { offset, count: data.items.length, total: data.total, limit: PAGE_SIZE }),
      ),
      command: [
        ...["insights", "list", "--game", game],
        ...toFlags({ "--build": build, "--env": env, "--tag": tag, "--device": device }),
        ...toFlags({ "--type": type, "--sentiment": sentiment }),
        ...toTimeFlags({ "--from": from, "--to": to }),
        ...toPageFlags(offset),
      ],
      data,
    };
  },
});
