/** Event counts over time as series: all events together, and each of the most frequent events. */
import { ownValue } from "../shared/own-value.ts";
import type { Series } from "./charts.ts";

/** Event counts of one hour, day or week. */
export interface EventBucket {
  readonly label: string;
  /** Start of the period, unix ms. */
  readonly start: number;
  /** Whether the period is not over yet. */
  readonly open: boolean;
  readonly sessionCount: number;
  readonly total: number;
  readonly byName: Readonly<Record<string, number>>;
}

export interface EventsOverTime {
  readonly game: string;
  /** The filters by build and environment in words; empty for none. */
  readonly about: string;
  readonly by: string;
  readonly buckets: readonly EventBucket[];
}

/** The total of each event name, most frequent first, then by name. */
export function countByName(buckets: readonly EventBucket[]): [name: string, count: number][] {
  const totals = new Map<string, number>();
  for (const { byName } of buckets) {
    for (const [name, count] of Object.entries(byName)) totals.set(name, (totals.get(name) ?? 0) + count);
  }
  return [...totals].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
}

export function eventsChart({ game, about, by, buckets }: EventsOverTime): Series {
  const open = buckets.some((bucket) => bucket.open) ? ` The last ${by} is not over yet.` : "";
  return {
    kind: "series",
    title: `${game}: events by ${by}${about === "" ? "" : `, ${about}`}`,
    note: `Events are counted in the ${by} in which their session started (UTC).${open}`,
    ...seriesDefaults(by),
    points: toPoints(buckets, ({ total }) => total),
  };
}

export function eventChart({ by, buckets }: EventsOverTime, name: string): Series {
  return {
    kind: "series",
    title: name,
    note: "",
    ...seriesDefaults(by),
    points: toPoints(buckets, ({ byName }) => ownValue(byName, name) ?? 0),
  };
}

const seriesDefaults = (by: string) => ({ unit: "count", each: by, missing: "no sessions" }) as const;

function toPoints(buckets: readonly EventBucket[], count: (bucket: EventBucket) => number): Series["points"] {
  return buckets.map((bucket) => ({
    label: bucket.label,
    value: bucket.sessionCount === 0 ? null : count(bucket),
    ...(bucket.open ? { open: true } : {}),
  }));
}
