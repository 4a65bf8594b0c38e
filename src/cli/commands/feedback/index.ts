/** The commands about feedback: what testers answered, and how the ratings are distributed. */
import { ClientError } from "../../../client/errors.ts";
import {
  type FeedbackItem,
  type FeedbackPage,
  feedback,
  nameTester,
  type RatingDistribution,
} from "../../../contract/feedback.ts";
import * as forms from "../../../contract/forms.ts";
import type { RenderOptions } from "../../../render/options.ts";
import { renderParagraph } from "../../../render/paragraph.ts";
import { shortenIds } from "../../../render/short-ids.ts";
import { painter } from "../../../render/style.ts";
import { renderTable } from "../../../render/table.ts";
import {
  describeFeedbackScope,
  isRating,
  ratingColumns,
  yesNoColumns,
} from "../../../render/tables/feedback.ts";
import { cleanLine } from "../../../render/text.ts";
import { formatTime } from "../../../render/time.ts";
import { createTable, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { createGetCommand, createListCommand, type Query } from "../resource-commands.ts";

export const commands = [
  createListCommand(feedback, { complete: addRatings, explain: explainUnknownForm }),
  createGetCommand(feedback, renderSubmission),
];

/** Adds the ratings, which only the first page has, and the view of both. */
function addRatings(result: Result, page: unknown, { game }: Query): Result {
  const first = page as FeedbackPage | undefined;
  const { ratings = null, ratedSubmissions = null } = first ?? {};
  const [rated, answered] = splitRatings(ratings);
  const items = result.table?.rows as readonly FeedbackItem[];
  const scope = first ? describeFeedbackScope(first) : "";
  const table = { ...result.table, empty: `${scope} Omit a filter, or use --env all.` } as Result["table"] &
    object;
  return {
    ...result,
    data: result.pages ? result.data : { ...(result.data as FeedbackPage), ratings, ratedSubmissions },
    ...(items.length === 0 && !result.pages ? { table } : {}),
    sections: [
      { title: "Ratings", table: createTable(rated, ratingColumns, "No ratings.") },
      { title: "Yes or no", table: createTable(answered, yesNoColumns, "No answers.") },
    ],
    view: (options) => feedbackView({ items, ratings, scope: `${game}: ${scope}` }, options),
  };
}

/** The ratings, and the answers that are yes or no. */
const splitRatings = (ratings: readonly RatingDistribution[] | null) =>
  [(ratings ?? []).filter(isRating), (ratings ?? []).filter((row) => !isRating(row))] as const;

/** The maximum number of forms that a hint lists. */
const MAX_LISTED_FORMS = 10;

/** Adds the forms of the game to the error about a form that does not exist. Returns any other error unchanged. */
async function explainUnknownForm(error: unknown, { form, game }: Query, context: Context): Promise<unknown> {
  if (typeof form !== "string" || !(error instanceof ClientError) || error.code !== "not_found") return error;
  const client = await context.client(forms);
  const known = await client.listGameFeedbackForms({ id: String(game) }).catch(() => null);
  if (known === null || known.forms.some(({ id }) => id === form)) return error;
  const listed = known.forms.slice(0, MAX_LISTED_FORMS).map(({ id, name }) => `${id} (${name})`);
  const { status, requestId } = error;
  const ids = known.forms.map(({ id, name }) => ({ name: id, alias: name }));
  const similar = (await import("../../unknown-names.ts")).suggestKnown(form, ids);
  return fail("not_found", {
    message: `No feedback form ${JSON.stringify(form)}`,
    hint:
      similar ??
      (listed.length === 0 ? "The game has no feedback forms." : `The forms are ${listed.join(", ")}.`),
    ...{ status, requestId, cause: error },
  });
}

interface FeedbackView {
  readonly items: readonly FeedbackItem[];
  /** Null if the list does not begin with the first page. */
  readonly ratings: readonly RatingDistribution[] | null;
  /** What the list and the ratings cover. */
  readonly scope: string;
}

/** Renders the ratings and the submissions; it ends in a line feed. Empty if there are no submissions. */
function feedbackView({ items, ratings, scope }: FeedbackView, options: RenderOptions): string {
  if (items.length === 0) return "";
  const [rated, answered] = splitRatings(ratings);
  return [
    `${renderParagraph(scope, "", options).join("\n")}\n`,
    ...(rated.length > 0 ? [renderTable(rated, ratingColumns, options)] : []),
    ...(answered.length > 0 ? [renderTable(answered, yesNoColumns, options)] : []),
    items.map((item) => renderListed(item, options)).join(""),
  ].join("\n");
}

/** A submission in a list: who answered, the short answers in one line, and what they wrote. */
function renderListed(item: FeedbackItem, options: RenderOptions): string {
  const paint = painter(options);
  const { sessionId, build, submittedAt, responses } = item;
  const short = options.wide ? sessionId : (shortenIds([sessionId]).get(sessionId) ?? sessionId);
  const heading = [nameTester(item), build, formatTime(submittedAt, options), short].join(" · ");
  const written = responses.filter(({ kind }) => kind === "long-text");
  const answers = responses.filter((response) => !written.includes(response));
  const lines = [
    paint(cleanLine(heading), "strong"),
    ...renderParagraph(answers.map(({ label, value }) => `${label} ${value}`).join(" · "), "  ", options),
    ...written.flatMap(({ label, value }) =>
      renderParagraph(written.length === 1 ? `“${value}”` : `${label} “${value}”`, "  ", options),
    ),
  ];
  return `${lines.filter((line) => line !== "").join("\n")}\n`;
}

function renderSubmission(item: FeedbackItem, options: RenderOptions): string {
  const paint = painter(options);
  const { submissionId, sessionId, formName, build, submittedAt } = item;
  const heading = `${nameTester(item)}, build ${build}, ${formatTime(submittedAt, options)}`;
  const lines = [
    paint(cleanLine(heading), "strong"),
    ...renderParagraph(`${formName}: ${submissionId} in ${sessionId}`, "  ", options, "muted"),
    ...item.responses.flatMap(({ label, value }) => renderParagraph(`${label} ${value}`, "  ", options)),
  ];
  return `${lines.join("\n")}\n`;
}
