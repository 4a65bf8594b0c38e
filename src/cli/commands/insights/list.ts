/** insights list: insights of all sessions that match. */
import * as insights from "../../../contract/insights.ts";
import { insightTypes, sentiments } from "../../../contract/insights.ts";
import { insightColumns, NO_INSIGHTS_MATCH } from "../../../render/tables/insights.ts";
import { command } from "../../command.ts";
import { choice, text, time } from "../../flags.ts";
import { isMultiPage, listFlags, listResult } from "../gather.ts";
import { readSince, sinceFlag } from "../since.ts";

export const listInsightsCommand = command({
  path: "insights list",
  summary: "List insights, newest first",
  details:
    "By default, lists the insights of one game. If no game is set, lists the insights of all games of the " +
    "account. STRENGTH, from 0 to 1, grows with the evidence of an insight. It is not a probability. " +
    "`playtest insights get <id>` shows the evidence.",
  args: [],
  flags: {
    build: text("--build <version>", "exact build version"),
    env: text("--env <slug>", "environment (default: all environments combined)"),
    tag: text("--tag <tag>", "exact tag, such as difficulty-spike:furnace"),
    device: text("--device <tester>", "tester handle or device id"),
    type: choice("--type <type>", `insight type: ${insightTypes.join(", ")}`, insightTypes),
    sentiment: choice("--sentiment <sentiment>", `sentiment: ${sentiments.join(", ")}`, sentiments),
    from: time("--from <time>", "insights found at or after"),
    since: sinceFlag("insights found at or after"),
    to: time("--to <time>", "insights found at or before"),
    ...listFlags,
  },
  examples: [
    "insights list --game ember --type difficulty-spike",
    "insights list --build 0.9.0 --sentiment negative --json",
    "insights list --tag difficulty-spike:furnace --since 7d",
  ],
  async run(context, { flags }) {
    const { limit: _limit, offset: _offset, all: _all, from, since, ...filter } = flags;
    const game = (await context.findGame())?.value;
    const client = await context.client(insights, { keepAlive: isMultiPage(flags) });
    const query = { ...filter, from: readSince({ from, since }), game };
    const fetchPage = (range: { limit: number; offset: number }) =>
      client.listInsights({ ...query, ...range });
    return await listResult(context, flags, fetchPage, {
      columns: insightColumns,
      empty: NO_INSIGHTS_MATCH,
    });
  },
});
