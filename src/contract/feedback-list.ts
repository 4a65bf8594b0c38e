/** What testers answered to feedback forms: every submission, and how the ratings are distributed. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, gameParam, openEnum, orNull, page, pathText, text } from "./fields.ts";
import { buildFilter, envFilter, pageQuery, rangeQuery, requireOrderedRange } from "./filters.ts";
import { formFieldKinds } from "./forms.ts";
import { testerRef } from "./insight-evidence.ts";
import { feedbackSubmission } from "./sessions.ts";

export const feedbackItem = z.object({
  ...feedbackSubmission.shape,
  sessionId: z.string(),
  build: z.string(),
  environment: z.string(),
  tester: testerRef,
});
export type FeedbackItem = z.output<typeof feedbackItem>;

export const ratingDistribution = z.object({
  formId: z.string(),
  formName: z.string(),
  fieldId: z.string(),
  label: z.string().describe("The question, as in the newest answer"),
  kind: openEnum(formFieldKinds),
  build: z.string(),
  answers: count.describe("Number of answers"),
  testers: count.describe("Number of testers who answered"),
  byValue: z
    .record(z.string(), count)
    .describe("Number of answers by value: `1` to `5` for ratings, `yes` and `no`"),
  mean: orNull(z.number()).describe("Mean of the ratings; null for yes and no"),
});
export type RatingDistribution = z.output<typeof ratingDistribution>;

export const listFeedback = defineRead({
  name: "listFeedback",
  tool: "list_feedback",
  path: "/api/v1/feedback/{game}",
  summary: "List what testers answered, newest first, with the distribution of ratings by build",
  tag: "games",
  extension: true,
  names: { game: "game", form: "form", build: "build" },
  paged: true,
  params: z.object({ game: gameParam }),
  query: requireOrderedRange(
    z.object({
      form: text(1, 200).optional().describe("ID of a feedback form (default: all)"),
      build: buildFilter.optional(),
      env: envFilter.optional().describe("Environment, or `all` (default: production)"),
      from: rangeQuery.from.describe("Only submissions received at or after this time, unix ms"),
      to: rangeQuery.to.describe("Only submissions received at or before this time, unix ms"),
      ...pageQuery,
    }),
  ),
  response: page(feedbackItem).extend({
    environment: z.string(),
    ratings: orNull(z.array(ratingDistribution)).describe(
      "By question and build, over all pages. Only with the first page",
    ),
    ratedSubmissions: orNull(count).describe(
      "Number of submissions in `ratings`, which can be limited to the newest",
    ),
  }),
  errors: ["not_found"],
  reasons: { not_found: ["unknown_environment"] },
});
export type FeedbackPage = z.output<typeof listFeedback.response>;

export const getFeedback = defineRead({
  name: "getFeedback",
  tool: null,
  path: "/api/v1/feedback/{game}/{id}",
  summary: "Get a feedback submission, by its id or by the id of one of its answers",
  tag: "games",
  extension: true,
  names: { game: "game", id: "submission" },
  params: z.object({
    game: gameParam,
    id: pathText.describe("ID of the submission (`sub_...`) or of an answer (`resp_...`)"),
  }),
  response: z.object({ submission: feedbackItem }),
  errors: ["not_found"],
});
