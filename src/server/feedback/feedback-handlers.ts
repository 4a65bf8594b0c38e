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
  type RatedSubmission,
  storedFeedback,
  streamRatedSubmissions,
} from "./submission-queries.ts";
import { submitAnswers } from "./submissions.ts";

export const handleListGameFeedbackForms: Handler<typeof listGameFeedbackForms> = async (
  { id },
  { db, accountId },
) => {
  const game = await requireGame(db, accountId, id);
  return { game: toGame(game), forms: await findForms(db, game.id) };
};

export const handleSubmitFeedback: Handler<typeof submitFeedback> = async ({ body }, { service, key }) =>
  submitAnswers(service, toIngestScope(key), body);

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

/** The values that are counted, by the kind of the field. */
const countedValues: Readonly<Record<string, readonly string[]>> = {
  "rating-1-5": ["1", "2", "3", "4", "5"],
  "yes-no": ["yes", "no"],
};

interface Distribution extends Omit<RatingDistribution, "testers" | "mean" | "byValue"> {
  readonly testers: Set<string>;
  readonly counts: Map<string, number>;
  answers: number;
}

/**
 * Counts answers from submissions, newest first, so that names and questions are those of the newest answer. Returns the
 * distributions by form, question and build, in the order in which they first occur, and the number of submissions.
 */
async function countRatings(
  submissions: AsyncIterable<RatedSubmission>,
): Promise<{ ratings: RatingDistribution[]; submissions: number }> {
  const byQuestion = new Map<string, Map<string, Distribution>>();
  let read = 0;
  for await (const { formId, formName, build, tester, responses } of submissions) {
    read += 1;
    for (const { fieldId, label, kind, value } of responses) {
      const values = Object.hasOwn(countedValues, kind) ? countedValues[kind] : undefined;
      if (!values?.includes(value)) continue;
      const key = JSON.stringify([formId, fieldId, kind]);
      const byBuild = byQuestion.get(key) ?? new Map<string, Distribution>();
      byQuestion.set(key, byBuild);
      const counts = new Map(values.map((counted) => [counted, 0]));
      const distribution = byBuild.get(build) ?? {
        ...{ formId, formName, fieldId, label, kind, build, answers: 0 },
        ...{ testers: new Set<string>(), counts },
      };
      byBuild.set(build, distribution);
      distribution.answers += 1;
      distribution.testers.add(tester);
      distribution.counts.set(value, (distribution.counts.get(value) ?? 0) + 1);
    }
  }
  const all = [...byQuestion.values()].flatMap((byBuild) => [...byBuild.values()]);
  return { ratings: all.map(toRatingDistribution), submissions: read };
}

function toRatingDistribution({ testers, counts, ...rest }: Distribution): RatingDistribution {
  const sum = [...counts].reduce((total, [value, count]) => total + Number(value) * count, 0);
  return {
    ...rest,
    testers: testers.size,
    byValue: Object.fromEntries(counts),
    mean: rest.kind === "rating-1-5" ? sum / rest.answers : null,
  };
}
