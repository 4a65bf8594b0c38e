/** Event counts over time as series: all events together, and the most frequent each by itself. */
import type { Series } from "./charts.ts";

/** How often each event happened in one hour, day or week. */
export interface EventBucket {
  readonly label: string;
  /** Where the hour, day or week begins, unix ms. */
  readonly start: number;
  /** Whether it has not ended yet. */
  readonly open: boolean;
  readonly sessionCount: number;
  readonly total: number;
  readonly byName: Readonly<Record<string, number>>;
}

/** What the buckets are about. */
export interface EventsOverTime {
  readonly game: string;
  /** Build and environment where they are narrowed to one, in words; empty for all. */
  readonly about: string;
  readonly by: string;
  readonly buckets: readonly EventBucket[];
}

/** The names of all buckets with their sums, the most frequent first, then by name. */
export function countByName(buckets: readonly EventBucket[]): [name: string, count: number][] {
  const sums = new Map<string, number>();
  for (const { byName } of buckets) {
    for (const [name, count] of Object.entries(byName)) sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return [...sums].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
}

/** All events over time. */
export function eventsChart({ game, about, by, buckets }: EventsOverTime): Series {
  const open = buckets.some((bucket) => bucket.open) ? ` The last ${by} has not ended yet.` : "";
  return {
    kind: "series",
    title: `${game}: events by ${by}${about === "" ? "" : `, ${about}`}`,
    note: `By the start of their sessions; each ${by} begins and ends in UTC.${open}`,
    ...seriesDefaults(by),
    points: toPoints(buckets, ({ total }) => total),
  };
}

/** One event over time. */
export function eventChart({ by, buckets }: EventsOverTime, name: string): Series {
  return {
    kind: "series",
    title: name,
    note: "",
    ...seriesDefaults(by),
    points: toPoints(buckets, ({ byName }) => (Object.hasOwn(byName, name) ? (byName[name] ?? 0) : 0)),
  };
}

const seriesDefaults = (by: string) => ({ unit: "count", each: by, missing: "nobody played" }) as const;

function toPoints(
  buckets: readonly EventBucket[],
  countOf: (bucket: EventBucket) => number,
): Series["points"] {
  return buckets.map((bucket) => ({
    label: bucket.label,
    value: bucket.sessionCount === 0 ? null : countOf(bucket),
    ...(bucket.open ? { open: true } : {}),
  }));
}
