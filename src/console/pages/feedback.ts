/** What testers answered: the ratings by build, and every submission. */
import { type FeedbackItem, type FeedbackPage, feedback, nameTester } from "../../contract/feedback.ts";
import { el, fragment, type Markup } from "../../render/svg/element.ts";
import {
  describeFeedbackScope,
  isRating,
  ratingColumns,
  yesNoColumns,
} from "../../render/tables/feedback.ts";
import { section } from "../elements.ts";
import { gameLink } from "../links.ts";
import { dataTable } from "../table.ts";
import { answers } from "./answers.ts";
import { createItemPage, createListPage } from "./resource-pages.ts";

export const feedbackPage = createListPage<FeedbackItem, FeedbackPage>(feedback, {
  before: ({ data }) =>
    fragment(data.total === 0 ? null : el("p", describeFeedbackScope(data)), ratings(data)),
  heading: "Submissions",
  empty: ({ data }) => `${describeFeedbackScope(data)} Omit a filter, or enter “all” as the environment.`,
});

/** The ratings, which only the first page has; null without any. */
function ratings({ ratings }: FeedbackPage): Markup | null {
  if (!ratings || ratings.length === 0) return null;
  const rated = ratings.filter(isRating);
  const answered = ratings.filter((row) => !isRating(row));
  return section(
    "ratings",
    "Ratings",
    rated.length > 0 && dataTable(rated, ratingColumns, { caption: "Ratings by build" }),
    answered.length > 0 && dataTable(answered, yesNoColumns, { caption: "Yes or no answers by build" }),
  );
}

export const submissionPage = createItemPage(feedback, {
  title: (item) => `Feedback of ${nameTester(item)}`,
  before: answers,
  links: ({ formId, environment }, game) => ({
    Form: gameLink(game, "feedback", { form: formId, env: environment }),
  }),
});
