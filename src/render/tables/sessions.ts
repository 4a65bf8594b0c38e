/** The answers of a session, and why it has no insights. */

import type { FeedbackSubmission, FullSession, Session } from "../../contract/sessions.ts";
import type { TableColumn } from "../columns.ts";
import { textColumn } from "./columns.ts";

/** When a form was shown and sent, in seconds since the start of the session. */
export type AnswerTimes = Pick<FeedbackSubmission, "askedAtSec" | "answeredAtSec">;

/** The answer to one field of a feedback form. */
export interface FeedbackAnswerRow extends AnswerTimes {
  readonly form: string;
  readonly label: string;
  readonly value: string;
}

/** Why a session has no insights. */
export function describeNoInsights({ status }: Session): string {
  if (status === "failed") return "The analysis failed, so there are no insights.";
  return status === "analyzed" ? "No insights." : "Not analyzed yet.";
}

/** The tester's answers, in the order in which they were submitted. */
export function listAnswers({ feedback }: FullSession): FeedbackAnswerRow[] {
  return (feedback ?? []).flatMap(({ formName, responses, askedAtSec, answeredAtSec }: FeedbackSubmission) =>
    responses.map(({ label, value }) => ({ form: formName, label, value, askedAtSec, answeredAtSec })),
  );
}

export const answerColumns: readonly TableColumn<FeedbackAnswerRow>[] = [
  textColumn("form", "FORM", ({ form }) => form, 3),
  textColumn("label", "QUESTION", ({ label }) => label, 2),
  textColumn("value", "ANSWER", ({ value }) => value, 1),
];
