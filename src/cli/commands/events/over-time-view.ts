/** What people see of event counts over time: all events as columns, and each of the most frequent in a line. */
import { countByName, type EventsOverTime, eventChart, eventsChart } from "../../../charts/events.ts";
import { renderSeries, sparkline } from "../../../render/charts/series.ts";
import type { TableColumn } from "../../../render/columns.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderTable } from "../../../render/table.ts";

type EventNameSum = readonly [name: string, count: number];

/** Columns of an event's own line: what a window leaves beside names and counts, within bounds. */
const sparklineWidth = ({ tty, width }: RenderOptions) =>
  tty ? Math.max(20, Math.min(120, width - 38)) : 60;

/** The whole view, ending in a line feed. */
export function overTimeView(events: EventsOverTime, most: number, options: RenderOptions): string {
  const names = countByName(events.buckets).slice(0, most);
  const columns: readonly TableColumn<EventNameSum>[] = [
    { key: "name", header: "EVENT", value: ([name]) => name, shrink: 1 },
    { key: "count", header: "COUNT", value: ([, count]) => count },
  ];
  const line: TableColumn<EventNameSum> = {
    key: "line",
    header: `BY ${events.by.toUpperCase()}, EACH ON ITS OWN SCALE`,
    value: ([name]) => sparkline(eventChart(events, name), sparklineWidth(options), options),
  };
  const table =
    names.length === 0
      ? ""
      : `\n${renderTable(names, options.plain ? columns : [...columns, line], options)}`;
  return renderSeries(eventsChart(events), options) + table;
}
