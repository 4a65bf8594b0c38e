/** events: how often each event happened, in all or over time. */

import { countByName, type EventBucket, eventChart, eventsChart } from "../../../charts/events.ts";
import { checkInput } from "../../../client/client.ts";
import * as events from "../../../contract/events.ts";
import { TOP_EVENTS } from "../../../contract/events.ts";
import * as sessions from "../../../contract/sessions.ts";
import { bar } from "../../../render/bars.ts";
import type { TableColumn } from "../../../render/columns.ts";
import { formatNumber, formatTenths } from "../../../render/numbers.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter } from "../../../render/style.ts";
import { renderTable } from "../../../render/table.ts";
import { cleanLine } from "../../../render/text.ts";
import { bucketWidths } from "../../../shared/calendar.ts";
import { command, createTable, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { choice, integer, text, time } from "../../flags.ts";
import { chartFlags, checkChartFile, writeCharts } from "../chart-file.ts";
import { timeColumn } from "../columns.ts";
import { countOverTime, type EventCountQuery, MAX_BUCKETS } from "./over-time.ts";

type EventCount = readonly [name: string, count: number];

const columns: readonly TableColumn<EventCount>[] = [
  { key: "name", header: "EVENT", value: ([name]) => name, shrink: 1 },
  { key: "count", header: "COUNT", value: ([, count]) => count },
];

const BAR_WIDTH = 30;

const bucketColumns: readonly TableColumn<EventBucket>[] = [
  { key: "label", header: "WHEN", value: ({ label }) => label },
  timeColumn("start", "STARTS", ({ start }) => start),
  { key: "sessionCount", header: "SESSIONS", value: ({ sessionCount }) => sessionCount },
  { key: "total", header: "EVENTS", value: ({ total }) => total },
  { key: "open", header: "ENDED", value: ({ open }) => (open ? "not yet" : "yes") },
];

/** Of so many names a chart file draws each by itself. */
const MAX_NAME_CHARTS = 6;

export const eventsCommand = command({
  path: "events",
  summary: "Count events by name, most frequent first, or over time",
  details:
    "With --by, events are counted per whole hour, day or week in UTC, based on the start time of the " +
    "sessions; --tz has no effect. By default, the range is from the first session to the last. Each hour, " +
    `day or week takes one request; the maximum is ${MAX_BUCKETS}.`,
  args: [],
  flags: {
    build: text("--build <version>", "exact build version"),
    env: text("--env <slug>", "environment (default: all environments combined)"),
    from: time("--from <time>", "sessions recorded at or after"),
    to: time("--to <time>", "sessions recorded at or before"),
    top: integer(
      "--top <n>",
      `number of event names to show (default: 20; maximum: ${TOP_EVENTS})`,
      1,
      TOP_EVENTS,
    ),
    by: choice("--by <width>", "count over time by hour, day or week", bucketWidths),
    ...chartFlags,
  },
  examples: [
    "events --game ember --top 10",
    "events --game ember --by day --from 14d --out events.svg",
    "events --game ember --build 0.9.0 --from 7d --format csv",
  ],
  async run(context, { flags }) {
    const { top: wanted = 20, by, out, ...filter } = flags;
    checkChartFile(out);
    if (by !== undefined) return await overTimeResult(context, filter, { by, nameLimit: wanted, out });
    if (out !== undefined) {
      throw fail("usage", {
        message: `--out ${JSON.stringify(out)}: only counts over time are drawn as a chart`,
        hint: "Add --by day, hour or week.",
      });
    }
    const client = await context.client(events);
    const data = await client.getEvents({ game: await context.requireGame(), ...filter });
    const top = data.top.slice(0, wanted);
    return {
      data,
      table: createTable<EventCount>(top, columns, "No events match."),
      items: top.map(([name, count]) => ({ name, count })),
      view: (options) => (top.length === 0 ? "" : renderEventCounts(data, top, options)),
    };
  },
});

interface OverTimeOptions {
  readonly by: (typeof bucketWidths)[number];
  /** Names shown. */
  readonly nameLimit: number;
  readonly out: string | undefined;
}

async function overTimeResult(
  context: Context,
  filter: Omit<EventCountQuery, "game">,
  { by, nameLimit: wanted, out }: OverTimeOptions,
): Promise<Result> {
  const client = await context.client({ ...events, ...sessions }, { keepAlive: true });
  const game = await context.requireGame();
  checkInput(events.getEvents, { game, ...filter });
  const data = await countOverTime(context, client, { game, ...filter }, by);
  const { build, env } = filter;
  const about = [build && `build ${build}`, env && env !== "all" && `in ${env}`].filter(Boolean).join(", ");
  const counted = { game: data.game.name, about, by, buckets: data.buckets };
  await writeCharts(context, out, () => {
    const names = countByName(data.buckets).slice(0, Math.min(wanted, MAX_NAME_CHARTS));
    return [eventsChart(counted), ...names.map(([name]) => eventChart(counted, name))];
  });
  return {
    data,
    table: createTable(data.buckets, bucketColumns, "No sessions match."),
    items: data.buckets,
    view: async (options) =>
      data.buckets.length === 0
        ? ""
        : (await import("./over-time-view.ts")).overTimeView(counted, wanted, options),
  };
}

function renderEventCounts(
  data: events.EventAggregates,
  top: readonly EventCount[],
  options: RenderOptions,
): string {
  const most = top[0]?.[1] ?? 1;
  const drawn: TableColumn<EventCount>[] = [
    ...columns,
    {
      key: "share",
      header: "SHARE",
      align: "right",
      value: ([, count]) => count / data.total,
      format: (share) => formatTenths(Number(share)),
    },
    { key: "bar", header: "", value: ([, count]) => bar(count / most, BAR_WIDTH, options) },
  ];
  const names = Object.keys(data.byName).length;
  const sums = `${formatNumber(data.total, options)} events of ${names} kinds in ${formatNumber(data.sessionCount, options)} sessions`;
  const head = renderParagraph(`${cleanLine(data.game.name)}: ${sums}`, "", options);
  const painted = head.map((line) => painter(options)(line, "strong"));
  return `${painted.join("\n")}\n\n${renderTable(top, drawn, options)}`;
}
