/** The insights of a game, with filters. */
import { type InsightItem, insightTypes, listInsights, sentiments } from "../../contract/insights.ts";
import type { TableColumn } from "../../render/columns.ts";
import { el, fragment } from "../../render/svg/element.ts";
import { insightColumns, NO_INSIGHTS_MATCH } from "../../render/tables/insights.ts";
import { toFlags, toTimeFlags } from "../command-line.ts";
import { emptyNote } from "../details.ts";
import { dataTable, filterForm, pager } from "../elements.ts";
import { linkTo } from "../links.ts";
import { choiceParam, definePage, readTime, textParam, timeParam } from "../page.ts";
import { PAGE_SIZE, pagedParams, toPageFlags } from "./list.ts";

/** The columns of the command that the page shows, with the linked column first. */
const shownKeys = ["title", "tag", "confidence", "sentiment", "createdAt"];
const columns: readonly TableColumn<InsightItem>[] = shownKeys.flatMap((key) =>
  insightColumns
    .filter((column) => column.key === key)
    .map(({ wide: _wide, last: _last, ...column }) => column),
);

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
    return {
      title: "Insights",
      trail: [{ text: game, href: linkTo(["games", game, "builds"]) }],
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
          { name: "tag", label: "Tag", placeholder: "difficulty-spike:furnace" },
          { name: "device", label: "Tester", placeholder: "handle or device" },
          { name: "from", label: "From", placeholder: "7d" },
          { name: "to", label: "To" },
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
          empty: emptyNote(NO_INSIGHTS_MATCH),
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
