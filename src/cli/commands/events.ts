/** events: how often each event happened. */
import * as events from "../../contract/events.ts";
import { TOP_EVENTS } from "../../contract/events.ts";
import { bar } from "../../render/bars.ts";
import type { Column } from "../../render/columns.ts";
import { formatNumber, formatTenths } from "../../render/numbers.ts";
import type { RenderOptions } from "../../render/options.ts";
import { renderParagraph } from "../../render/paragraph.ts";
import { painter } from "../../render/style.ts";
import { renderTable } from "../../render/table.ts";
import { cleanLine } from "../../render/text.ts";
import { command, tableOf } from "../command.ts";
import { integer, text, time } from "../flags.ts";

type Count = readonly [name: string, count: number];

const columns: readonly Column<Count>[] = [
  { key: "name", header: "EVENT", value: ([name]) => name, shrink: 1 },
  { key: "count", header: "COUNT", value: ([, count]) => count },
];

const BAR_WIDTH = 30;

export const eventsCommand = command({
  path: "events",
  summary: "Count events by name, the most frequent first",
  args: [],
  flags: {
    build: text("--build <version>", "build version, exactly"),
    env: text("--env <slug>", "environment"),
    from: time("--from <time>", "sessions recorded no earlier"),
    to: time("--to <time>", "sessions recorded no later"),
    top: integer("--top <n>", `show so many names, default 20, up to ${TOP_EVENTS}`, 1, TOP_EVENTS),
  },
  examples: ["events --game ember --top 10", "events --game ember --build 0.9.0 --from 7d --format csv"],
  async run(context, { flags }) {
    const { top: wanted = 20, ...filter } = flags;
    const client = await context.client(events);
    const data = await client.getEvents({ game: await context.game(), ...filter });
    const top = data.top.slice(0, wanted);
    return {
      data,
      table: tableOf<Count>(top, columns, "No events match."),
      items: top.map(([name, count]) => ({ name, count })),
      view: (options) => (top.length === 0 ? "" : viewOf(data, top, options)),
    };
  },
});

function viewOf(data: events.EventAggregates, top: readonly Count[], options: RenderOptions): string {
  const most = top[0]?.[1] ?? 1;
  const drawn: Column<Count>[] = [
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

export const commands = [eventsCommand];
