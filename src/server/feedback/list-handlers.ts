/** Lists what testers answered, with the distribution of their ratings. */
import { HttpError } from "../../contract/errors.ts";
import type { getFeedback, listFeedback } from "../../contract/feedback-list.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import { type Handler, pageEnd, toPage } from "../accounts/handler.ts";
import { requireKnownScope } from "../games/known-scope.ts";
import { requireGame } from "../games/queries.ts";
import {
  countFeedback,
  type FeedbackFilter,
  findFeedback,
  findFeedbackById,
  streamRatedSubmissions,
} from "./list-queries.ts";
import { findForm } from "./queries.ts";
import { countRatings } from "./ratings.ts";

/** Maximum number of submissions that a distribution is counted from. */
const MAX_RATED = 10_000;

export const handleListFeedback: Handler<typeof listFeedback> = async (input, { db, accountId }) => {
  const { id: gameId } = await requireGame(db, accountId, input.game);
  await requireKnownScope(db, gameId, input);
  const { form, build, env: environment = DEFAULT_ENV, from, to } = input;
  if (form !== undefined && !(await findForm(db, gameId, form))) throw new HttpError("not_found");
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

export const handleGetFeedback: Handler<typeof getFeedback> = async (input, { db, accountId }) => {
  const game = await requireGame(db, accountId, input.game);
  const submission = await findFeedbackById(db, game.id, input.id);
  if (!submission) throw new HttpError("not_found");
  return { submission };
};
