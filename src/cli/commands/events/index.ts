/** events: counts events by name, in total or over time. */
import { countByName, eventChart, eventsChart } from "../../../charts/events.ts";
import { checkInput } from "../../../client/client.ts";
import * as events from "../../../contract/events.ts";
import { TOP_EVENTS } from "../../../contract/events.ts";
import { DEFAULT_ENV } from "../../../contract/fields.ts";
import * as sessions from "../../../contract/sessions.ts";
import { bar } from "../../../render/bars.ts";
import type { TableColumn } from "../../../render/columns.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { renderTable } from "../../../render/table.ts";
import {
  createBucketColumns,
  describeEventCounts,
  type EventCount,
  eventColumns,
  eventShareColumns,
} from "../../../render/tables/events.ts";
import { cleanLine } from "../../../render/text.ts";
import { bucketWidths } from "../../../shared/calendar.ts";
import { command, createTable, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { inEnvironment } from "../../default-environment.ts";
import { fail } from "../../errors.ts";
import { choice, integer, text, time } from "../../flags.ts";
import { chartFlags, checkChartFile, writeCharts } from "../chart-file.ts";
import { countOverTime, type EventCountQuery, MAX_BUCKETS } from "./over-time.ts";

const BAR_WIDTH = 30;

const DEFAULT_NAMES = 20;

/** The maximum number of event names that get a chart of their own in a chart file. */
const MAX_NAME_CHARTS = 6;

const eventsCommand = command({
  path: "events",
  summary: "Count events by name, most frequent first, or over time",
  details:
    "With --by, events are counted in the hour, day or week in which their session started. Hours, days and weeks " +
    `are always in UTC, whatever --tz is. One run counts at most ${MAX_BUCKETS} hours, days or weeks, with one ` +
    `request each. Without --from, these are the last ${MAX_BUCKETS}. --from and --to are extended to whole hours, ` +
    "days or weeks. CSV, TSV and Markdown have one row per hour, day or week, and with --top also one column for each of the " +
    "most frequent event names.",
  flags: {
    build: text("--build <version>", "build version, `latest` or `previous`"),
    env: text("--env <slug>", "environment, such as staging, or `all` (default: production)"),
    from: time("--from <time>", "sessions recorded at or after"),
    to: time("--to <time>", "sessions recorded at or before"),
    top: integer(
      "--top <n>",
      `number of event names to show (default: ${DEFAULT_NAMES}; maximum: ${TOP_EVENTS}); JSON always has all`,
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
    const { top, by, out, ...filter } = flags;
    checkChartFile(out);
    if (by !== undefined) return await overTimeResult(context, filter, { by, top, out });
    if (out !== undefined) {
      throw fail("usage", {
        message: `--out ${JSON.stringify(out)} requires --by: only counts over time can be drawn as a chart`,
        hint: "Add --by hour, --by day or --by week.",
      });
    }
    const client = await context.client(events);
    const game = await context.requireGame();
    const data = await inEnvironment(
      context,
      filter.env,
      (env = DEFAULT_ENV) => client.getEvents({ game, ...filter, env }),
      ({ sessionCount }) => sessionCount === 0,
    );
    const counts = data.top.slice(0, top ?? DEFAULT_NAMES);
    return {
      data,
      table: createTable<EventCount>(counts, eventColumns, "No events match."),
      items: counts.map(([name, count]) => ({ name, count })),
      view: (options) => (counts.length === 0 ? "" : renderEventCounts(data, counts, options)),
    };
  },
});

interface OverTimeOptions {
  readonly by: (typeof bucketWidths)[number];
  /** The number of names to show; undefined if --top was not given. */
  readonly top: number | undefined;
  readonly out: string | undefined;
}

async function overTimeResult(
  context: Context,
  filter: Omit<EventCountQuery, "game">,
  { by, top, out }: OverTimeOptions,
): Promise<Result> {
  const nameLimit = top ?? DEFAULT_NAMES;
  const client = await context.client({ ...events, ...sessions }, { keepAlive: true });
  const game = await context.requireGame();
  checkInput(events.getEvents, { game, ...filter });
  const { data, env } = await inEnvironment(
    context,
    filter.env,
    async (env = DEFAULT_ENV) => ({
      data: await countOverTime(context, client, { game, ...filter, env }, by),
      env,
    }),
    ({ data: { buckets } }) => buckets.length === 0,
  );
  const { build } = filter;
  const filterText = [build && `build ${build}`, env !== "all" && `in ${env}`].filter(Boolean).join(", ");
  const counts = { game: data.game.name, about: filterText, by, buckets: data.buckets };
  await writeCharts(context, out, () => {
    const names = countByName(data.buckets).slice(0, Math.min(nameLimit, MAX_NAME_CHARTS));
    return [eventsChart(counts), ...names.map(([name]) => eventChart(counts, name))];
  });
  return {
    data,
    table: createTable(data.buckets, createBucketColumns(data.buckets, top), "No sessions match."),
    items: data.buckets,
    view: async (options) =>
      data.buckets.length === 0
        ? ""
        : (await import("./over-time-view.ts")).overTimeView(counts, nameLimit, options),
  };
}

function renderEventCounts(
  data: events.EventAggregates,
  top: readonly EventCount[],
  options: RenderOptions,
): string {
  const highest = top[0]?.[1] ?? 1;
  const tableColumns: TableColumn<EventCount>[] = [
    ...eventShareColumns(data),
    { key: "bar", header: "", value: ([, count]) => bar(count / highest, BAR_WIDTH, options) },
  ];
  const head = renderParagraph(cleanLine(describeEventCounts(data, options)), "", options, "strong");
  return `${head.join("\n")}\n\n${renderTable(top, tableColumns, options)}`;
}

export const commands = [eventsCommand];
