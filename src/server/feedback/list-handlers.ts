/** Lists what testers answered, with the distribution of their ratings. */
import { HttpError } from "../../contract/errors.ts";
import type { getFeedback, listFeedback } from "../../contract/feedback.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import type { Handler } from "../accounts/handler.ts";
import { requireGame } from "../games/game-queries.ts";
import { createListHandler } from "../games/list-handler.ts";
import { findForm } from "./form-queries.ts";
import { findSubmissionOfAnswer, storedFeedback, streamRatedSubmissions } from "./list-queries.ts";
import { countRatings } from "./ratings.ts";

/** Maximum number of submissions that a distribution is counted from. */
const MAX_RATED = 10_000;

export const handleListFeedback: Handler<typeof listFeedback> = createListHandler<typeof listFeedback>(
  storedFeedback,
  {
    defaultEnv: DEFAULT_ENV,
    requiresKnownScope: true,
    async extend({ gameId, filter, offset }, { form, env: environment = DEFAULT_ENV }, { db }) {
      if (form !== undefined && !(await findForm(db, gameId, form))) throw new HttpError("not_found");
      const submissions = () => streamRatedSubmissions(db, gameId, filter, MAX_RATED);
      const rated = offset === 0 ? await countRatings(submissions()) : null;
      return {
        environment,
        ratings: rated?.ratings ?? null,
        ratedSubmissions: rated?.submissions ?? null,
      };
    },
  },
);

export const handleGetFeedback: Handler<typeof getFeedback> = async (input, { db, accountId }) => {
  const { id: gameId } = await requireGame(db, accountId, input.game);
  const isAnswer = input.id.startsWith("resp_");
  const id = isAnswer ? await findSubmissionOfAnswer(db, gameId, input.id) : input.id;
  const submission = id === undefined ? undefined : await storedFeedback.findById(db, gameId, id);
  if (!submission) throw new HttpError("not_found");
  return { submission };
};
