/** Lists what testers answered, with the distribution of their ratings. */
import { HttpError } from "../../contract/errors.ts";
import type { getFeedback, listFeedback } from "../../contract/feedback-list.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import { type Handler, pageEnd, toPage } from "../accounts/handler.ts";
import type { Db } from "../db/schema.ts";
import { requireGame } from "../games/queries.ts";
import { requireScope } from "../sessions/scope.ts";
import {
  countFeedback,
  type FeedbackFilter,
  findFeedback,
  findFeedbackById,
  streamRatedSubmissions,
} from "./list-queries.ts";
import { findForm, findForms } from "./queries.ts";
import { countRatings } from "./ratings.ts";

/** Maximum number of submissions that a distribution is counted from. */
const MAX_RATED = 10_000;
/** Maximum number of forms that a message lists. */
const MAX_LISTED_FORMS = 10;

export const handleListFeedback: Handler<typeof listFeedback> = async (input, { db, accountId }) => {
  const { id: gameId } = await requireGame(db, accountId, input.game);
  await requireScope(db, gameId, input);
  const { form, build, env: environment = DEFAULT_ENV, from, to } = input;
  if (form !== undefined) await requireForm(db, gameId, form);
  const filter: FeedbackFilter = { gameId, environment, form, build, from, to };
  const page = toPage(input);
  const items = await findFeedback(db, filter, page);
  const total = await countFeedback(db, filter);
  const rated = page.offset === 0 ? await countRatings(streamRatedSubmissions(db, filter, MAX_RATED)) : null;
  return {
    items,
    ...pageEnd(page.offset, items.length, total),
    environment,
    ratings: rated?.ratings ?? null,
    ratedSubmissions: rated?.submissions ?? null,
  };
};

/** Throws `not_found` with the ids of the forms of the game unless it has the form. */
async function requireForm(db: Db, gameId: string, id: string): Promise<void> {
  if (await findForm(db, gameId, id)) return;
  const forms = (await findForms(db, gameId)).map((form) => `${form.id} (${form.name})`);
  const listed = forms.slice(0, MAX_LISTED_FORMS).join(", ");
  throw new HttpError("not_found", {
    message: forms.length === 0 ? "The game has no feedback forms" : `No such form. Forms: ${listed}`,
  });
}

export const handleGetFeedback: Handler<typeof getFeedback> = async (input, { db, accountId }) => {
  const game = await requireGame(db, accountId, input.game);
  const submission = await findFeedbackById(db, game.id, input.id);
  if (!submission) throw new HttpError("not_found");
  return { submission };
};
