/** The commands about insights. */
import { MAX_PAGE_SIZE } from "../../../contract/fields.ts";
import * as insightEvidence from "../../../contract/insight-evidence.ts";
import { type InsightItem, insights, listInsights, SESSION_SUMMARY } from "../../../contract/insights.ts";
import { describeNoEvents, evidenceColumns, listedInsightColumns } from "../../../render/tables/insights.ts";
import { evidenceEventColumns } from "../../../render/tables/session-events.ts";
import type { Command } from "../../command.ts";
import { command, createTable } from "../../command.ts";
import { fail } from "../../errors.ts";
import { choice, longName } from "../../flags.ts";
import { withWholeId } from "../../short-ids.ts";
import { createListCommand, type ListForPeople, type ListRequest } from "../resource-commands.ts";

const listing = createListCommand(insights, { forPeople: selectProblems });

const listInsightsCommand: Command = {
  ...listing,
  flags: {
    ...listing.flags,
    by: choice("--by <group>", "count the testers of each problem, by tag", ["tag"]),
  },
  async run(context, { args, flags }) {
    const { by, build, env, all, ...others } = flags as Readonly<Record<string, string | undefined>>;
    if (by === undefined) return await listing.run(context, { args, flags });
    for (const [name, value] of Object.entries(others)) {
      const flag = listing.flags[name];
      if (value !== undefined && flag)
        throw fail("usage", {
          message: `${longName(flag.flags)} cannot be used with --by`,
          hint: "Omit one of them.",
        });
    }
    return await (await import("./by-tag.ts")).listTags(context, { build, env, all: Boolean(all) });
  },
};

/** Insights without the summaries of sessions, unless they are selected by their type or tag. */
async function selectProblems(request: ListRequest<InsightItem>): Promise<ListForPeople<InsightItem>> {
  const { query, read, announces } = request;
  const name = listInsights.name;
  const moment = (await announces(`${name}?exclude`)) ? { include: "activeSec" } : {};
  const readMoments: typeof read = (range) => read({ ...range, ...moment });
  const selected = { columns: listedInsightColumns, fetchPage: readMoments, note: null };
  if (query.type !== undefined || query.tag !== undefined) return selected;
  const { total } = await read({ type: SESSION_SUMMARY, limit: 1 });
  if (total === 0) return selected;
  const left = total === 1 ? "1 session summary is" : `${total} session summaries are`;
  return {
    ...selected,
    fetchPage: (await announces(`${name}?exclude`))
      ? (range) => readMoments({ ...range, exclude: SESSION_SUMMARY })
      : leaveOutSummaries(readMoments, total),
    note: `${left} left out; see \`playtest sessions get <session>\`.`,
  };
}

/** Reads pages without summaries from a service that cannot leave them out. `summaries` is the number of them. */
function leaveOutSummaries(
  read: ListRequest<InsightItem>["read"],
  summaries: number,
): ListForPeople<InsightItem>["fetchPage"] {
  const items: InsightItem[] = [];
  let received = 0;
  let rest = { hasMore: true, total: 0 };
  return async ({ limit, offset }) => {
    while (rest.hasMore && items.length <= offset + limit) {
      const { items: found, hasMore, total } = await read({ limit: MAX_PAGE_SIZE, offset: received });
      items.push(...found.filter(({ type }) => type !== SESSION_SUMMARY));
      received += found.length;
      rest = { hasMore, total: Math.max(0, total - summaries) };
      // The reader of pages refuses a page that is empty although there should be more.
      if (found.length === 0 && hasMore) return { items: items.slice(offset), hasMore, total: rest.total };
    }
    const page = items.slice(offset, offset + limit);
    return { items: page, hasMore: items.length > offset + limit, total: rest.total };
  };
}

const getInsightCommand = command({
  path: "insights get",
  summary: "Show an insight with the events and answers that it is based on",
  details:
    "Times are minutes and seconds since the first event of the session. The events are those that the insight refers " +
    "to; `playtest sessions events <session> --around <insight>` shows what happened in between.",
  args: [{ name: "<insight>", describe: "insight id, or its beginning" }],
  examples: ["insights get ins_0123", "insights get ins_0123 --json --jq '.events[].name'"],
  async run(context, { args }) {
    const client = await context.client(insightEvidence);
    const data = await withWholeId(context, "ins", args[0] ?? "", (id) => client.getInsight({ id }));
    return {
      data,
      items: [data.insight],
      table: createTable([data.insight], evidenceColumns, ""),
      sections: [
        { title: "Events", table: createTable(data.events, evidenceEventColumns, describeNoEvents(data)) },
      ],
      view: async (options) => (await import("./view.ts")).insightView(data, options),
    };
  },
});

export const commands = [listInsightsCommand, getInsightCommand];
