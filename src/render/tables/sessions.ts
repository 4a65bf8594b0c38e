/** The answers of a session, and why it has no insights. */

import {
  type FeedbackSubmission,
  type FullSession,
  type Session,
  type SessionItem,
  sessions,
} from "../../contract/sessions.ts";
import type { TableColumn } from "../columns.ts";
import { textColumn } from "./columns.ts";
import { formatMoment } from "./event-text.ts";
import { toColumns } from "./resource-columns.ts";

const sessionColumns = toColumns(sessions);

const pick = (...keys: string[]) => sessionColumns.filter(({ key }) => keys.includes(key));

/** The caption of sessions with the columns of `watchedColumns`. */
export const WATCHED = "Sessions, those with the most problems first";

/** Columns of sessions to watch: how much went wrong, where the session ended, and where to start. */
export const watchedColumns: readonly TableColumn<SessionItem>[] = [
  ...pick("id"),
  { key: "watch.problems", header: "PROBLEMS", value: ({ watch }) => watch?.problems ?? null },
  textColumn("watch.lastRoom", "LAST ROOM", ({ watch }) => watch?.lastRoom ?? null, 2),
  {
    ...{ key: "watch.rating", header: "RATING", value: ({ watch }) => watch?.rating ?? null },
    format: (rating) => String(Math.round(Number(rating) * 10) / 10),
  },
  {
    ...{ key: "watch.worst.activeSec", header: "WORST AT", align: "right" },
    value: ({ watch }) => watch?.worst?.activeSec ?? null,
    format: (seconds) => formatMoment(Number(seconds)),
  },
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

export const answerColumns: readonly TableColumn<FeedbackAnswerRow>[] = [
  textColumn("form", "FORM", ({ form }) => form, 3),
  textColumn("label", "QUESTION", ({ label }) => label, 2),
  textColumn("value", "ANSWER", ({ value }) => value, 1),
];
