/** Rows with their names in words, and their order: those that matter most come first. */
import { formatTagTitle } from "../shared/tags.ts";
import { parsePerformanceSubject } from "./performance.ts";
import type { ScorecardRow } from "./rows.ts";

/** A row, and what the document says about it. */
export interface TitledRow extends ScorecardRow {
  /** The tag for friction, otherwise the metric. */
  readonly id: string;
  /** The row in words, with texts of the service. */
  readonly title: string;
  /** The kind of the change as the service reports it, such as `got_larger`; null if it reports none. */
  readonly kind: string | null;
  /** Whether only testers who had not played a count, in a new room. */
  readonly newOnly?: boolean;
}

/** Who counts in a new room, after their number. */
export const describeEntrants = ({ newOnly }: Pick<TitledRow, "newOnly">): string =>
  newOnly ? "new testers" : "who entered";

/** The words of a service for tags and fields, and the kinds of its changes. */
export interface RowWords {
  readonly titles: ReadonlyMap<string, string>;
  readonly kinds: ReadonlyMap<string, string>;
  /** Whether new rooms are judged only by testers who had not played a (default: false). */
  readonly newOnly?: boolean;
}

/** By what a row is named in rules and commands: the tag for friction, otherwise the metric. */
export const getRowId = ({ name, subject, metric }: ScorecardRow): string =>
  name === "friction" ? (subject ?? metric) : metric;

/** Names a row. */
export function titleRow(row: ScorecardRow, { titles, kinds, newOnly = false }: RowWords): TitledRow {
  const id = getRowId(row);
  const own = { id, title: describeRow(row, titles), kind: kinds.get(id) ?? null };
  return { ...row, ...own, ...(newOnly && row.isNewRoom && { newOnly }) };
}

/** A row in words. `titles` has the words of the service for tags and form fields. */
export function describeRow(
  { name, metric, subject }: Pick<ScorecardRow, "name" | "metric" | "subject">,
  titles: ReadonlyMap<string, string>,
): string {
  const about = subject ?? "";
  if (name === "friction") return titles.get(about) ?? formatTagTitle(about);
  if (name === "rating") return `Rating of “${titles.get(about) ?? about}”`;
  if (name === "yes") return `Yes to “${titles.get(about) ?? about}”`;
  if (name === "quit") return `Quit in ${about}`;
  if (name === "completion") return `Completed ${about}`;
  const title = otherTitles[name];
  if (title === undefined) return metric;
  const { room, platform } = parsePerformanceSubject(subject);
  return `${title}${room === null ? "" : ` in ${room}`}${platform === null ? "" : ` on ${platform}`}`;
}

const otherTitles: Readonly<Record<string, string>> = {
  crash: "Had a crash",
  "return:day-1": "Back on day 1",
  "active-time": "Active time per tester",
  "frame-time-p95": "Frame time p95",
  stutter: "Stutter",
  "load-time": "Load time",
  memory: "Memory",
};

/** A mean with its unit, such as `2.6`, `12m`, `18 ms`, `1.4 s`, `612 MB` or `3.1/min`. */
export function formatMean(value: number, unit: ScorecardRow["unit"]): string {
  const size = Math.abs(value);
  if (unit === "sec") return size < 60 ? `${Math.round(value)}s` : `${Math.round(value / 60)}m`;
  if (unit === "ms") return size < 1000 ? `${roundMean(value)} ms` : `${(value / 1000).toFixed(1)} s`;
  if (unit === "mb") return `${Math.round(value)} MB`;
  return unit === "per-min" ? `${value.toFixed(1)}/min` : value.toFixed(1);
}

/** With one decimal if it matters. */
const roundMean = (value: number): string =>
  Math.abs(value) < 100 ? String(Number(value.toFixed(1))) : String(Math.round(value));

/** Up to this p-value of its own, a change may be more than chance although it is not significant among all rows. */
const WATCHED_P = 0.05;

/** Whether a row may be worse although it is not called so: by chance, or because too few testers entered a new room. */
export const isWatched = (row: ScorecardRow): boolean =>
  row.name !== "completion" && (mayBeWorse(row) || isNewAndMet(row));

/** A change for the worse that would be significant if it were the only row. */
const mayBeWorse = ({ status, worse, pValue, difference }: ScorecardRow): boolean =>
  status === "unclear" &&
  worse !== null &&
  pValue !== null &&
  pValue <= WATCHED_P &&
  (difference ?? 0) > 0 === (worse === "more");

/** An outcome in a new room that is above its limit, or that cannot be judged there. */
const isNewAndMet = ({ status, reason, isNewRoom, b, limit }: ScorecardRow): boolean =>
  status === "unclear"
    ? isNewRoom && (b.value ?? 0) > (limit ?? 1)
    : reason?.startsWith("room is new") === true && (b.count ?? 0) > 0;

const ranks: ReadonlyArray<(row: TitledRow) => boolean> = [
  ({ status }) => status === "worse",
  ({ status }) => status === "better",
  isWatched,
  ({ status }) => status === "unclear",
  ({ status }) => status === "ruled out",
];

/** Sorts rows: worse, better, watched, unclear, ruled out and not comparable ones, the largest changes first. */
export function rankRows(rows: readonly TitledRow[]): TitledRow[] {
  const rankOf = (row: TitledRow) => {
    const rank = ranks.findIndex((has) => has(row));
    return rank < 0 ? ranks.length : rank;
  };
  return rows.toSorted((x, y) => rankOf(x) - rankOf(y) || measureSize(y) - measureSize(x));
}

/** What counts as a whole in each unit. Five points are the whole scale of most ratings. */
const scales: Readonly<Record<ScorecardRow["unit"], number>> = {
  ...{ share: 1, points: 5, sec: 1e6 },
  ...{ ms: 1000, mb: 1e4, "per-min": 100 },
};

/** How large a change is, from 0 to 1. */
const measureSize = ({ difference, b, unit }: TitledRow): number =>
  Math.abs(difference ?? (unit === "share" ? (b.value ?? 0) : 0)) / scales[unit];
