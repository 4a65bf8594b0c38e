/** Feedback: a game's forms, and what players answer to them. */
import type { submitFeedback } from "../../contract/feedback.ts";
import type { listGameFeedbackForms } from "../../contract/forms.ts";
import type { Handler } from "../accounts/handler.ts";
import { gameOf, requireGame } from "../games/queries.ts";
import { formsOf } from "./queries.ts";
import { submit } from "./submissions.ts";

export const handleListGameFeedbackForms: Handler<typeof listGameFeedbackForms> = async (
  { id },
  { db, accountId },
) => {
  const game = await requireGame(db, accountId, id);
  return { game: gameOf(game), forms: await formsOf(db, game.id) };
};

export const handleSubmitFeedback: Handler<typeof submitFeedback> = async (
  { body },
  { service, accountId, key },
) => submit(service, { accountId, boundGameId: key.game_id }, body);
