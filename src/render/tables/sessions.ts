/** Table columns of sessions. */

import type { FeedbackSubmission, FullSession, Session } from "../../contract/sessions.ts";
import { ownValue } from "../../shared/own-value.ts";
import type { TableColumn } from "../columns.ts";
import type { Style } from "../style.ts";
import { durationColumn, groupColumn, idColumn, textColumn, timeColumn, wideColumn } from "./columns.ts";

const statusStyles: Readonly<Record<string, Style>> = { analyzed: "good", failed: "bad" };

export function statusStyle(status: string): Style {
  return ownValue(statusStyles, status) ?? "muted";
}

export const sessionColumns: readonly TableColumn<Session>[] = [
  idColumn("id", "ID", (session) => session.id),
  { ...textColumn<Session>("title", "TITLE", (session) => session.title, 4), last: true },
  groupColumn(textColumn("metadata.gameVersion", "BUILD", (session) => session.metadata.gameVersion, 2)),
  groupColumn({
    ...textColumn<Session>("environment", "ENV", (session) => session.environment ?? null, 3),
    minWidth: 5,
  }),
  wideColumn(textColumn("metadata.platform", "PLATFORM", (session) => session.metadata.platform, 2)),
  groupColumn({
    ...textColumn<Session>("status", "STATUS", (session) => session.status, 2),
    minWidth: 10,
    style: (session) => statusStyle(session.status),
  }),
  durationColumn("duration", "LENGTH", (session) => session.duration),
  timeColumn("recordedAt", "RECORDED", (session) => session.recordedAt),
  groupColumn(textColumn("testerHandle", "TESTER", (session) => session.testerHandle ?? null, 1)),
  wideColumn(textColumn("source", "SOURCE", (session) => session.source)),
  wideColumn(textColumn("gameId", "GAME", (session) => session.gameId)),
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
