/** Handlers of the feedback endpoints. */

import { HttpError } from "../../contract/errors.ts";
import type {
  getFeedback,
  listFeedback,
  RatingDistribution,
  submitFeedback,
} from "../../contract/feedback.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import type { listGameFeedbackForms } from "../../contract/forms.ts";
import type { Handler } from "../accounts/handler.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import { toIngestScope } from "../games/key-game.ts";
import { createListHandler } from "../games/list-handler.ts";
import { findForm, findForms } from "./form-queries.ts";
import {
  findSubmissionOfAnswer,
  storedFeedback,
  streamSubmissions,
  type TesterAnswers,
} from "./submission-queries.ts";
import { submitAnswers } from "./submissions.ts";

export const handleListGameFeedbackForms: Handler<typeof listGameFeedbackForms> = async (
  { id },
  { db, accountId },
) => {
  const game = await requireGame(db, accountId, id);
  return { game: toGame(game), forms: await findForms(db, game.id) };
};

export const handleSubmitFeedback: Handler<typeof submitFeedback> = async (
  { body },
  { service, key, network, bodyBytes },
) => submitAnswers(service, toIngestScope(key), body, { keyHash: key.hash, network, bodyBytes });

/** Maximum number of submissions that a distribution is counted from. */
const MAX_RATED = 10_000;

export const handleListFeedback: Handler<typeof listFeedback> = createListHandler<typeof listFeedback>(
  storedFeedback,
  {
    defaultEnv: DEFAULT_ENV,
    requiresKnownScope: true,
    async extend({ gameId, filter, offset }, { form, env: environment = DEFAULT_ENV }, { db }) {
      if (form !== undefined && !(await findForm(db, gameId, form))) throw new HttpError("not_found");
      const submissions = () => streamSubmissions(db, gameId, filter, MAX_RATED);
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

/** The values that are counted, by the kind of the field. */
const countedValues: ReadonlyMap<string, readonly string[]> = new Map([
  ["rating-1-5", ["1", "2", "3", "4", "5"]],
  ["yes-no", ["yes", "no"]],
]);

interface CountedRating {
  readonly rating: RatingDistribution;
  readonly testers: Set<string>;
}

/**
 * Counts answers from submissions, newest first, so that names and questions are those of the newest answer. Returns the
 * distributions by form, question and build, in the order in which they first occur, and the number of submissions.
 */
async function countRatings(
  submissions: AsyncIterable<TesterAnswers>,
): Promise<{ ratings: RatingDistribution[]; submissions: number }> {
  const byQuestion = new Map<string, Map<string, CountedRating>>();
  let read = 0;
  for await (const { formId, formName, build, tester, responses } of submissions) {
    read += 1;
    for (const { fieldId, label, kind, value } of responses) {
      const values = countedValues.get(kind);
      if (!values?.includes(value)) continue;
      const key = JSON.stringify([formId, fieldId, kind]);
      const byBuild = byQuestion.get(key) ?? new Map<string, CountedRating>();
      byQuestion.set(key, byBuild);
      const byValue = Object.fromEntries(values.map((counted) => [counted, 0]));
      const question = { formId, formName, fieldId, label, kind, build };
      const { rating, testers } = byBuild.get(build) ?? {
        rating: { ...question, answers: 0, testers: 0, byValue, mean: null },
        testers: new Set<string>(),
      };
      byBuild.set(build, { rating, testers });
      rating.answers += 1;
      // Of the answers of a tester, the latest counts, as in a scorecard.
      if (testers.has(tester)) continue;
      rating.testers = testers.add(tester).size;
      rating.byValue[value] = (rating.byValue[value] ?? 0) + 1;
      if (kind === "rating-1-5") rating.mean = computeMean(rating);
    }
  }
  const ratings = [...byQuestion.values()].flatMap((byBuild) => [...byBuild.values()]);
  return { ratings: ratings.map(({ rating }) => rating), submissions: read };
}

const computeMean = ({ byValue, testers }: RatingDistribution): number =>
  Object.entries(byValue).reduce((sum, [value, count]) => sum + Number(value) * count, 0) / testers;
