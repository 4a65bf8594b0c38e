/** Handlers of the feedback endpoints. */
import type { submitFeedback } from "../../contract/feedback.ts";
import type { listGameFeedbackForms } from "../../contract/forms.ts";
import type { Handler } from "../accounts/handler.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import { toIngestScope } from "../games/key-game.ts";
import { findForms } from "./form-queries.ts";
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
