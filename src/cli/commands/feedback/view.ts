/** The terminal views of feedback: the ratings by build, and the answers of each submission. */
import { type FeedbackItem, nameTester, type RatingDistribution } from "../../../contract/feedback.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { painter } from "../../../render/style.ts";
import { renderTable } from "../../../render/table.ts";
import { isRating, ratingColumns, yesNoColumns } from "../../../render/tables/feedback.ts";
import { cleanLine } from "../../../render/text.ts";
import { formatTime } from "../../../render/time.ts";

interface FeedbackView {
  readonly items: readonly FeedbackItem[];
  /** Null if the list does not begin with the first page. */
  readonly ratings: readonly RatingDistribution[] | null;
  /** What the list and the ratings cover. */
  readonly scope: string;
}

/** Renders the ratings and the submissions; it ends in a line feed. Empty if there are no submissions. */
export function feedbackView({ items, ratings, scope }: FeedbackView, options: RenderOptions): string {
  if (items.length === 0) return "";
  const all = ratings ?? [];
  const [rated, answered] = [all.filter(isRating), all.filter((row) => !isRating(row))];
  return [
    `${renderParagraph(scope, "", options).join("\n")}\n`,
    ...(rated.length > 0 ? [renderTable(rated, ratingColumns, options)] : []),
    ...(answered.length > 0 ? [renderTable(answered, yesNoColumns, options)] : []),
    ...items.map((item) => renderSubmission(item, options)),
  ].join("\n");
}

/** Renders the answers of one submission. */
export function renderSubmission(item: FeedbackItem, options: RenderOptions): string {
  const paint = painter(options);
  const { submissionId, sessionId, formName, build, submittedAt } = item;
  const heading = `${nameTester(item)}, build ${build}, ${formatTime(submittedAt, options)}`;
  const lines = [
    paint(cleanLine(heading), "strong"),
    ...renderParagraph(`${formName}: ${submissionId} in ${sessionId}`, "  ", options).map((line) =>
      paint(line, "muted"),
    ),
    ...item.responses.flatMap(({ label, value }) => renderParagraph(`${label} ${value}`, "  ", options)),
  ];
  return `${lines.join("\n")}\n`;
}
