/** Table columns of the distribution of ratings, and what a list of feedback covers. */

import type { FeedbackPage, RatingDistribution } from "../../contract/feedback.ts";
import { ownValue } from "../../shared/own-value.ts";
import { formatCount } from "../../shared/words.ts";
import type { TableColumn } from "../columns.ts";
import { defineColumns } from "./columns.ts";

const countColumn = (value: string): TableColumn<RatingDistribution> => ({
  key: `byValue.${value}`,
  header: value.toUpperCase(),
  value: ({ byValue }) => ownValue(byValue, value) ?? null,
  align: "right",
});

const scopeColumns = defineColumns<RatingDistribution>({
  label: { header: "QUESTION", shrink: 1 },
  build: { header: "BUILD", kind: "build", shrink: 2 },
  testers: { header: "TESTERS" },
  answers: { header: "ANSWERS" },
});

export const ratingColumns: readonly TableColumn<RatingDistribution>[] = [
  ...scopeColumns,
  ...defineColumns<RatingDistribution>({
    mean: { header: "MEAN", format: ({ mean }) => Number(mean).toFixed(1), align: "right" },
  }),
  ...["1", "2", "3", "4", "5"].map(countColumn),
];

export const yesNoColumns: readonly TableColumn<RatingDistribution>[] = [
  ...scopeColumns,
  ...["yes", "no"].map(countColumn),
];

export const isRating = ({ kind }: RatingDistribution) => kind !== "yes-no";

/** What the list and the ratings cover. */
export function describeFeedbackScope({ environment, total, ratedSubmissions }: FeedbackPage): string {
  const where = environment === "all" ? "in all environments" : `in ${environment}`;
  if (total === 0) return `No feedback ${where} matches.`;
  const isPartial = ratedSubmissions != null && ratedSubmissions < total;
  const partial = isPartial ? ` The ratings cover the newest ${ratedSubmissions}.` : "";
  return `${formatCount(total, "submission")} ${where}.${partial}`;
}
