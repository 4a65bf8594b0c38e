/** Rows with their names in words, and their order: those that matter most come first. */
import { formatTagTitle } from "../shared/tags.ts";
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
  return otherTitles[name] ?? metric;
}

const otherTitles: Readonly<Record<string, string>> = {
  crash: "Had a crash",
  "return:day-1": "Back on day 1",
  "active-time": "Active time per tester",
};

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

/** How large a change is, from 0 to 1. Five points are the whole scale of most ratings. */
const measureSize = ({ difference, b, unit }: TitledRow): number =>
  Math.abs(difference ?? (unit === "share" ? (b.value ?? 0) : 0)) /
  (unit === "points" ? 5 : unit === "sec" ? 1e6 : 1);
