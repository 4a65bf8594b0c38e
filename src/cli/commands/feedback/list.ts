/** feedback list: what testers answered, and how the ratings are distributed. */

import { ClientError } from "../../../client/errors.ts";
import type { Output } from "../../../contract/define.ts";
import type { FeedbackItem, FeedbackPage } from "../../../contract/feedback-list.ts";
import * as feedbackList from "../../../contract/feedback-list.ts";
import * as forms from "../../../contract/forms.ts";
import {
  describeFeedbackScope,
  feedbackColumns,
  isRating,
  ratingColumns,
  yesNoColumns,
} from "../../../render/tables/feedback.ts";
import { command, createTable } from "../../command.ts";
import { fail } from "../../errors.ts";
import { text, time } from "../../flags.ts";
import { isMultiPage, listFlags, listResult } from "../gather.ts";
import { readSince, sinceFlag } from "../since.ts";

export const listFeedbackCommand = command({
  path: "feedback list",
  summary: "List what testers answered, newest first, with the ratings by build",
  details:
    "The ratings and the yes or no answers cover all submissions that match, not only those that are listed. ANSWERS counts " +
    "submissions: a tester can answer a form in several sessions. TESTERS counts testers as `playtest builds compare` does. MEAN is over all answers; the " +
    "comparison uses only the latest rating of each tester.",
  args: [],
  flags: {
    form: text("--form <id>", "form id, as `playtest games prompts` lists them (default: all forms)"),
    build: text("--build <version>", "exact build version"),
    env: text("--env <slug>", "environment, or all (default: production)"),
    from: time("--from <time>", "feedback sent at or after"),
    to: time("--to <time>", "feedback sent at or before"),
    since: sinceFlag("feedback sent at or after"),
    ...listFlags,
  },
  examples: ["feedback list --game ember", "feedback list --form ff_0123 --build 0.9.0 --since 7d --json"],
  async run(context, { flags }) {
    const { limit: _limit, offset: _offset, all: _all, from, since, ...filter } = flags;
    const game = await context.requireGame();
    const client = await context.client({ ...feedbackList, ...forms }, { keepAlive: isMultiPage(flags) });
    const first: { page?: FeedbackPage } = {};
    const fetchPage = async (range: { limit: number; offset: number }) => {
      const query = { ...filter, from: readSince({ from, since }), game, ...range };
      const page = await client.listFeedback(query).catch(async (error: unknown) => {
        throw await explainUnknownForm(error, query.form, () => client.listGameFeedbackForms({ id: game }));
      });
      first.page ??= page;
      return page;
    };
    const result = await listResult(context, flags, fetchPage, { columns: feedbackColumns, empty: "" });
    // Only the first page has the ratings.
    const { ratings = null, ratedSubmissions = null } = first.page ?? {};
    const data = result.pages ? result.data : { ...(result.data as FeedbackPage), ratings, ratedSubmissions };
    const items = result.table?.rows as readonly FeedbackItem[];
    const scope = first.page ? describeFeedbackScope(first.page) : "";
    const empty = `${scope} Omit a filter, or use --env all.`;
    const rated = (ratings ?? []).filter(isRating);
    const answered = (ratings ?? []).filter((row) => !isRating(row));
    return {
      ...result,
      data,
      ...(items.length === 0 && !result.pages ? { table: createTable(items, feedbackColumns, empty) } : {}),
      sections: [
        { title: "Ratings", table: createTable(rated, ratingColumns, "No ratings.") },
        { title: "Yes or no", table: createTable(answered, yesNoColumns, "No answers.") },
      ],
      view: async (options) => (await import("./view.ts")).feedbackView({ items, ratings, scope }, options),
    };
  },
});

/** The maximum number of forms that a hint lists. */
const MAX_LISTED_FORMS = 10;

/** Adds the forms of the game to the error about a form that does not exist. Returns any other error unchanged. */
async function explainUnknownForm(
  error: unknown,
  form: string | undefined,
  fetchForms: () => Promise<Output<typeof forms.listGameFeedbackForms>>,
): Promise<unknown> {
  if (form === undefined || !(error instanceof ClientError) || error.code !== "not_found") return error;
  const known = await fetchForms().catch(() => null);
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
