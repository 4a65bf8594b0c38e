/** The terminal view of event counts over time: a chart of all events, and a sparkline for each frequent event name. */
import { countByName, type EventsOverTime, eventChart, eventsChart } from "../../../charts/events.ts";
import { countPointsPerCharacter, renderSeries, sparkline } from "../../../render/charts/series.ts";
import type { TableColumn } from "../../../render/columns.ts";
import { formatCount } from "../../../render/numbers.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { painter } from "../../../render/style.ts";
import { renderTable } from "../../../render/table.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import { sum } from "../../../statistics/averages.ts";

type EventNameSum = readonly [name: string, count: number];

/** The width of a sparkline in columns: the space that names and counts leave, within limits. */
const sparklineWidth = ({ tty, width }: RenderOptions) =>
  tty ? Math.max(20, Math.min(120, width - 38)) : 60;

export function overTimeView(events: EventsOverTime, nameLimit: number, options: RenderOptions): string {
  const names = countByName(events.buckets).slice(0, nameLimit);
  const columns = defineColumns<EventNameSum>({
    name: { header: "EVENT", value: ([name]) => name, shrink: 1 },
    count: { header: "COUNT", value: ([, count]) => count },
  });
  const all = eventsChart(events);
  const width = sparklineWidth(options);
  const each = countPointsPerCharacter(all, width);
  const period = each === 1 ? events.by : `${each} ${events.by}s`;
  const sparklineColumn: TableColumn<EventNameSum> = {
    key: "line",
    header: `BY ${period.toUpperCase()} (EACH ROW HAS ITS OWN SCALE)`,
    value: ([name]) => sparkline(eventChart(events, name), width, options),
  };
  const chart = renderSeries({ ...all, title: answerOverTime(events) ?? all.title }, options);
  if (names.length === 0) return chart;
  const table = renderTable(names, options.plain ? columns : [...columns, sparklineColumn], options);
  const hasGaps = events.buckets.some(
    ({ sessionCount, byName }) => sessionCount > 0 && names.some(([name]) => !Object.hasOwn(byName, name)),
  );
  const legend =
    hasGaps && !options.plain ? `${painter(options)("_ no events of this name", "muted")}\n` : "";
  return `${chart}\n${table}${legend}`;
}

/** With how many periods the last one is compared. */
const COMPARED_PERIODS = 7;

/** The last whole period beside the average of those before it; null without two whole periods. */
function answerOverTime({ game, about, by, buckets }: EventsOverTime): string | null {
  const whole = buckets.filter(({ open }) => !open).slice(-COMPARED_PERIODS - 1);
  const [last, before] = [whole.at(-1), whole.slice(0, -1)];
  if (last === undefined || before.length === 0) return null;
  const average = Math.round(sum(before.map(({ total }) => total)) / before.length);
  const where = about === "" ? "" : ` · ${about}`;
  const counts = `${formatCount(last.total, "event")} in ${formatCount(last.sessionCount, "session")}, ${last.label}`;
  return `${game}: ${counts}; on average ${formatCount(average, "event")} a ${by} in the ${before.length} before${where}`;
}
