/** What testers answered: the ratings by build, and every submission. */
import { type FeedbackPage, getFeedback, listFeedback } from "../../contract/feedback-list.ts";
import { el, fragment, type Markup } from "../../render/svg/element.ts";
import {
  describeFeedbackScope,
  feedbackColumns,
  isRating,
  nameTester,
  ratingColumns,
  yesNoColumns,
} from "../../render/tables/feedback.ts";
import { isoTime } from "../../render/time.ts";
import { toFlags, toTimeFlags } from "../command-line.ts";
import { detailList } from "../details.ts";
import { pager, section } from "../elements.ts";
import { filterForm, timeField } from "../filter-form.ts";
import { buildLink, sessionLink, testerLink, trailTo } from "../game-links.ts";
import { linkTo } from "../links.ts";
import { definePage, readTime, textParam, timeParam } from "../page.ts";
import { dataTable } from "../table.ts";
import { answers } from "./answers.ts";
import { PAGE_SIZE, pagedParams, toPageFlags } from "./list.ts";

export const feedbackPage = definePage({
  path: "/games/{game}/feedback",
  query: {
    form: textParam,
    build: textParam,
    env: textParam,
    from: timeParam,
    to: timeParam,
    ...pagedParams,
  },
  async show({ params: { game }, query, ...input }, { call, now }) {
    const { form, build, env, from, to, offset = 0 } = query;
    const range = { from: readTime(from, now), to: readTime(to, now) };
    const data = await call(listFeedback, { game, form, build, env, ...range, limit: PAGE_SIZE, offset });
    return {
      title: "Feedback",
      trail: trailTo(game),
      game,
      body: fragment(
        filterForm(input, [
          {
            ...{ name: "form", label: "Form (id)", placeholder: "all" },
            suggestions: data.items.map(({ formId }) => formId),
          },
          {
            ...{ name: "build", label: "Build", placeholder: "all" },
            suggestions: data.items.map((submission) => submission.build),
          },
          { name: "env", label: "Environment", placeholder: "production" },
          timeField("from", "From"),
          timeField("to", "To"),
        ]),
        data.total === 0 ? null : el("p", {}, describeFeedbackScope(data)),
        ratings(data),
        section(
          "submissions",
          "Submissions",
          dataTable(data.items, feedbackColumns, {
            caption: "Submissions, newest first",
            link: ({ submissionId }) => linkTo(["games", game, "feedback", submissionId]),
            links: {
              tester: ({ tester, sessionId }) =>
                testerLink(game, tester.deviceId ?? tester.handle ?? sessionId),
              build: ({ build }) => buildLink(game, build),
            },
            stacks: true,
            empty: el(
              "p",
              {},
              `${describeFeedbackScope(data)} Omit a filter, or enter “all” as the environment.`,
            ),
          }),
          pager(input, { offset, count: data.items.length, total: data.total, limit: PAGE_SIZE }),
        ),
      ),
      command: [
        ...["feedback", "list", "--game", game],
        ...toFlags({ "--form": form, "--build": build, "--env": env }),
        ...toTimeFlags({ "--from": from, "--to": to }),
        ...toPageFlags(offset),
      ],
      data,
    };
  },
});

/** The ratings, which only the first page has; null without any. */
function ratings({ ratings }: FeedbackPage): Markup | null {
  if (!ratings || ratings.length === 0) return null;
  const rated = ratings.filter(isRating);
  const answered = ratings.filter((row) => !isRating(row));
  return section(
    "ratings",
    "Ratings",
    rated.length > 0 && dataTable(rated, ratingColumns, { caption: "Ratings by build", empty: null }),
    answered.length > 0 &&
      dataTable(answered, yesNoColumns, { caption: "Yes or no answers by build", empty: null }),
  );
}

export const submissionPage = definePage({
  path: "/games/{game}/feedback/{id}",
  query: {},
  async show({ params: { game, id } }, { call }) {
    const data = await call(getFeedback, { game, id });
    const { submission } = data;
    const { submissionId, sessionId, formName, build, environment, submittedAt, tester } = submission;
    return {
      title: `Feedback of ${nameTester(submission)}`,
      trail: trailTo(game, ["feedback", "Feedback"]),
      game,
      body: fragment(
        answers(submission),
        detailList(
          [
            ["Form", formName],
            ["ID", submissionId],
            ["Tester", nameTester(submission)],
            ["Session", sessionId],
            ["Build", build],
            ["Environment", environment],
            ["Sent", isoTime(submittedAt)],
          ],
          {
            Tester: testerLink(game, tester.deviceId ?? tester.handle ?? sessionId),
            Session: sessionLink(game, sessionId),
            Build: buildLink(game, build),
            Form: linkTo(["games", game, "feedback"], { form: submission.formId, env: environment }),
          },
        ),
      ),
      command: ["feedback", "get", id, "--game", game],
      data,
    };
  },
});
