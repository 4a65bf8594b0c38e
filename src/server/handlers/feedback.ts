/** Feedback: a game's forms, and what players answer to them. */
import type { submitFeedback } from "../../contract/feedback.ts";
import type { listGameFeedbackForms } from "../../contract/forms.ts";
import { submit } from "../feedback.ts";
import { formsOf } from "../queries/feedback.ts";
import { gameOf, requireGame } from "../queries/games.ts";
import type { Handler } from "./handler.ts";

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
