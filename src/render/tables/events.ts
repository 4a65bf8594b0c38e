/** Table columns of event counts, in total and over time. */
import { countByName, type EventBucket } from "../../charts/events.ts";
import type { EventAggregates } from "../../contract/events.ts";
import { ownValue } from "../../shared/own-value.ts";
import type { TableColumn } from "../columns.ts";
import { formatNumber, formatTenths } from "../numbers.ts";
import type { RenderOptions } from "../options.ts";
import { defineColumns } from "./columns.ts";

export type EventCount = readonly [name: string, count: number];

export const eventColumns = defineColumns<EventCount>({
  name: { header: "EVENT", value: ([name]) => name, shrink: 1 },
  count: { header: "COUNT", value: ([, count]) => count },
});

/** The same with the share of each name among all events. */
export const eventShareColumns = ({ total }: Pick<EventAggregates, "total">): TableColumn<EventCount>[] => [
  ...eventColumns,
  ...defineColumns<EventCount>({
    share: {
      header: "SHARE",
      align: "right",
      value: ([, count]) => count / total,
      format: ([, count]) => formatTenths(count / total),
    },
  }),
];

/** The game with its events, event names and sessions, counted. */
export function describeEventCounts(
  { game, total, byName, sessionCount }: EventAggregates,
  options: Pick<RenderOptions, "tty">,
): string {
  const say = (count: number, noun: string) =>
    `${formatNumber(count, options)} ${noun}${count === 1 ? "" : "s"}`;
  const names = say(Object.keys(byName).length, "event name");
  return `${game.name}: ${say(total, "event")}, ${names}, ${say(sessionCount, "session")}`;
}

const bucketColumns = defineColumns<EventBucket>({
  label: { header: "PERIOD" },
  start: { header: "START", kind: "time" },
  sessionCount: { header: "SESSIONS" },
  total: { header: "EVENTS" },
  open: {
    header: "ENDED",
    value: ({ open }) => String(open),
    format: ({ open }) => (open ? "not yet" : "yes"),
  },
});

/** The columns of counts over time. With --top, each of the most frequent event names gets a separate column. */
export function createBucketColumns(
  buckets: readonly EventBucket[],
  top: number | undefined,
): readonly TableColumn<EventBucket>[] {
  if (top === undefined) return bucketColumns;
  const names = countByName(buckets).slice(0, top);
  return [
    ...bucketColumns,
    ...names.map(
      ([name]): TableColumn<EventBucket> => ({
        key: `byName.${name}`,
        header: name,
        value: ({ byName }) => ownValue(byName, name) ?? 0,
      }),
    ),
  ];
}
