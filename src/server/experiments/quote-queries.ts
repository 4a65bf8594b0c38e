/** Reads quotes from the feedback that players wrote in sessions of an experiment. */
import type { Db } from "../db/schema.ts";
import type { ExperimentKey } from "./exposure-queries.ts";

/** A text that a player wrote, and its session. */
interface PlayerQuote {
  readonly session_id: string;
  readonly text: string;
}

/** The kinds of form fields with text answers. */
const TEXT_FIELD_KINDS = ["short-text", "long-text"];
/** Maximum length of a quote in characters. Longer texts are truncated. */
const MAX_QUOTE_LENGTH = 280;

/** The texts that players wrote in sessions of an experiment, newest first, without duplicates per session. */
export async function readQuotes(db: Db, experiment: ExperimentKey): Promise<PlayerQuote[]> {
  const rows = await db
    .selectFrom("exposures")
    .innerJoin("feedback_submissions", (join) =>
      join
        .onRef("feedback_submissions.game_id", "=", "exposures.game_id")
        .onRef("feedback_submissions.session_id", "=", "exposures.session_id"),
    )
    .select(["feedback_submissions.session_id", "feedback_submissions.responses"])
    .where("exposures.game_id", "=", experiment.game_id)
    .where("exposures.experiment_id", "=", experiment.id)
    .orderBy("feedback_submissions.submitted_at", "desc")
    .orderBy("feedback_submissions.id")
    .execute();
  const seen = new Set<string>();
  return rows.flatMap(({ session_id, responses }) =>
    extractTexts(responses).flatMap((text) =>
      seen.size < seen.add(`${session_id} ${text}`).size ? [{ session_id, text }] : [],
    ),
  );
}

function extractTexts(responses: string): string[] {
  const answers = JSON.parse(responses) as { readonly kind?: unknown; readonly value?: unknown }[];
  return answers.flatMap(({ kind, value }) => {
    if (!TEXT_FIELD_KINDS.includes(String(kind)) || typeof value !== "string" || value.trim() === "")
      return [];
    const text = value.trim();
    return [text.length > MAX_QUOTE_LENGTH ? `${text.slice(0, MAX_QUOTE_LENGTH - 1).toWellFormed()}…` : text];
  });
}
