/** feedback: one row per answer to a feedback form. */
import { ClientError } from "../../client/errors.ts";
import type { FeedbackItem } from "../../contract/feedback-list.ts";
import { string, timestamp } from "../column.ts";
import { defineDataset, toEnvironmentFilters } from "./dataset.ts";
import { createCounter, createExtentReader, estimateListRequests } from "./list-extent.ts";
import { type ListSource, readListParts } from "./lists.ts";

type Submission = FeedbackItem & { readonly id: string };

interface FeedbackExportRow {
  readonly game: string;
  readonly submission: Submission;
  readonly answer: FeedbackItem["responses"][number];
}

const feedbackList: ListSource<Submission> = {
  name: "feedback",
  async fetch({ client }, { env = "all", ...query }) {
    try {
      const page = await client.listFeedback({ ...query, env });
      return { ...page, items: page.items.map((item) => ({ ...item, id: item.submissionId })) };
    } catch (error) {
      // Not every game has sessions in an environment. The other datasets are empty then.
      const isUnknown = error instanceof ClientError && error.code === "not_found" && env !== "all";
      if (isUnknown) return { items: [], hasMore: false, total: 0 };
      throw error;
    }
  },
  getTime: ({ submittedAt }) => submittedAt,
};

export const feedback = defineDataset<FeedbackExportRow>({
  name: "feedback",
  summary: "One row per answer. Files are partitioned by submittedAt and sorted newest first",
  hasEnvironments: true,
  partitionTime: async () => "submittedAt",
  columns: [
    timestamp(
      "submittedAt",
      "When the service received the answer",
      ({ submission }) => submission.submittedAt,
    ),
    string("game", "Slug of the game", ({ game }) => game),
    string(
      "submissionId",
      "Submission that the answer belongs to",
      ({ submission }) => submission.submissionId,
    ),
    string("id", "Answer id", ({ answer }) => answer.id),
    string("sessionId", "Session of the answer", ({ submission }) => submission.sessionId),
    string("build", "Build version", ({ submission }) => submission.build),
    string("environment", "Environment of the session", ({ submission }) => submission.environment),
    string(
      "deviceId",
      "Device of the tester. A session without a device counts as its own tester",
      ({ submission }) => submission.tester.deviceId,
    ),
    string("formId", "Feedback form", ({ submission }) => submission.formId),
    string("formName", "Name of the form when it was answered", ({ submission }) => submission.formName),
    string("fieldId", "Field of the form", ({ answer }) => answer.fieldId),
    string("label", "The question when it was answered", ({ answer }) => answer.label),
    string("kind", "Kind of the field, such as rating-1-5, yes-no or text", ({ answer }) => answer.kind),
    string("value", "The answer; a rating is a digit from 1 to 5", ({ answer }) => answer.value),
  ],
  extent: createExtentReader(feedbackList),
  counter: createCounter(feedbackList, "submission"),
  requests: estimateListRequests,
  parts: (reader, scope) =>
    readListParts(reader, scope, feedbackList, toEnvironmentFilters(scope), (submission) =>
      submission.responses.map((answer) => ({ game: scope.game.slug, submission, answer })),
    ),
});
