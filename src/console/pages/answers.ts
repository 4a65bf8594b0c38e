/** What a tester answered to feedback forms. */
import type { FeedbackSubmission } from "../../contract/sessions.ts";
import { withLineBreaks } from "../../render/html/blocks.ts";
import { el, type Markup } from "../../render/svg/element.ts";
import { formatAnswerTime } from "../../render/tables/session-details.ts";
import { section } from "../elements.ts";
import { gameLink } from "../links.ts";

/** The answers of one submission: each question with its answer. */
export function answers({
  responses,
  ...times
}: Pick<FeedbackSubmission, "responses" | "askedAtSec" | "answeredAtSec">) {
  return el(
    "dl",
    { class: "answers" },
    responses.map(({ label, value }) =>
      el("div", el("dt", `${label}${formatAnswerTime(times)}`), el("dd", withLineBreaks(value))),
    ),
  );
}

/** A section with all submissions of a session; null if there are none. */
export function answerList(game: string, submissions: readonly FeedbackSubmission[]): Markup | null {
  if (submissions.length === 0) return null;
  return section(
    "feedback",
    "Feedback",
    submissions.map((submission) => [
      el("h3", el("a", { href: gameLink(game, ["feedback", submission.submissionId]) }, submission.formName)),
      answers(submission),
    ]),
  );
}
