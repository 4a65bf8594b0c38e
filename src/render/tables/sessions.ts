/** The answers of a session, and why it has no insights. */
import {
  type FeedbackSubmission,
  type FullSession,
  type Session,
  type SessionItem,
  sessions,
} from "../../contract/sessions.ts";
import type { TableColumn } from "../columns.ts";
import { defineColumns, toColumns } from "./columns.ts";
import { formatMoment } from "./event-text.ts";

const sessionColumns = toColumns(sessions);

const pick = (...keys: string[]) => sessionColumns.filter(({ key }) => keys.includes(key));

/** The caption of sessions with the columns of `watchedColumns`. */
export const WATCHED = "Sessions, those with the most problems first";

/** Columns of sessions to watch: how much went wrong, where the session ended, and where to start. */
export const watchedColumns: readonly TableColumn<SessionItem>[] = [
  ...pick("id"),
  ...defineColumns<SessionItem>({
    "watch.problems": { header: "PROBLEMS" },
    "watch.lastRoom": { header: "LAST ROOM", shrink: 2 },
    "watch.rating": {
      header: "RATING",
      format: ({ watch }) => String(Math.round(Number(watch?.rating) * 10) / 10),
    },
    "watch.worst.activeSec": {
      header: "WORST AT",
      align: "right",
      format: ({ watch }) => formatMoment(Number(watch?.worst?.activeSec)),
    },
  }),
  ...pick("metadata.gameVersion", "recordedAt", "testerHandle").map((column) => ({
    ...{ ...column, yields: true as const },
  })),
  ...pick("environment", "duration", "status").map((column) => ({ ...column, wide: true as const })),
  ...pick("title").map((column) => ({ ...column, minWidth: 24 })),
];

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

export const answerColumns = defineColumns<FeedbackAnswerRow>({
  form: { header: "FORM", shrink: 3 },
  label: { header: "QUESTION", shrink: 2 },
  value: { header: "ANSWER", shrink: 1 },
});
