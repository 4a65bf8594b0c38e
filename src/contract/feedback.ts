/** Feedback: what testers answered to forms, as the game sends it and as it is listed with the distribution of ratings. */
import * as z from "zod";
import { defineRead, defineWrite, type ErrorReasons } from "./define.ts";
import { ERASED } from "./errors.ts";
import { count, gameParam, openEnum, orNull, page, pathText, text, unicodeText } from "./fields.ts";
import { formFieldKinds } from "./forms.ts";
import { testerRef } from "./insight-evidence.ts";
import { isJsonObject, type RepairedBody } from "./repair.ts";
import { buildFilter, defineResource, listQuery, productionEnvFilter, rangeFilters } from "./resource.ts";
import { feedbackSubmission } from "./sessions.ts";

export const FEEDBACK_LIMITS = {
  bodyBytes: 100 * 1024,
  /** Characters of an answer, by the kind of its field. */
  shortText: 500,
  longText: 10_000,
  responses: 100,
} as const;

/** About 30 years. */
const MAX_SESSION_SEC = 1e9;

/** The values of `reason` in the body of an error, by code. */
const feedbackReasons = {
  bad_request: ["unknown_field", "repeated_field", "invalid_value", "missing_field", "no_responses"],
  not_found: ["unknown_form", "unknown_session"],
  conflict: ["idempotency_conflict", ERASED],
} as const satisfies ErrorReasons;

/** Why the responses of a submission are invalid. */
export type InvalidResponseReason = (typeof feedbackReasons.bad_request)[number];

/** A time within a session. An invalid time is ignored, because the answers matter more. */
const sessionSeconds = z.number().min(0).max(MAX_SESSION_SEC).nullish().catch(null).optional();

export const feedbackBody = z.object({
  requestId: unicodeText(1, 128).describe(
    "Idempotency key chosen by the client. Sending a request again returns the same response",
  ),
  formId: text(1, 120).describe("ID of the form (`ff_...`)"),
  sessionId: text(1, 120).describe("ID of the session (`sess_...`)"),
  responses: z
    .array(
      z.object({
        fieldId: text(1, 120).describe("ID of a field of the form"),
        value: z
          .string()
          .max(FEEDBACK_LIMITS.longText)
          .refine(
            (value) => !value.includes("\0") && value.isWellFormed(),
            "must be well-formed Unicode without NUL characters",
          )
          .describe(
            "Rating 1 to 5 (a number is accepted too), yes or no, or text, depending on the kind of the field",
          ),
      }),
    )
    .max(FEEDBACK_LIMITS.responses),
  askedAtSec: sessionSeconds.describe("When the form was shown, in seconds since the start of the session"),
  answeredAtSec: sessionSeconds.describe("When the form was sent, in seconds since the start of the session"),
});
export type FeedbackBody = z.output<typeof feedbackBody>;

/** Replaces null by empty text, because SDKs send questions without an answer like this, and numbers by their text. */
function repairFeedback(raw: unknown): RepairedBody {
  if (!isJsonObject(raw) || !Array.isArray(raw.responses)) return { body: raw, warnings: [] };
  const responses = raw.responses.map((response: unknown) =>
    isJsonObject(response) ? { ...response, value: toText(response.value) } : response,
  );
  return { body: { ...raw, responses }, warnings: [] };
}

const toText = (value: unknown): unknown =>
  value === null ? "" : typeof value === "number" && Number.isFinite(value) ? String(value) : value;

export const submitFeedback = defineWrite({
  name: "submitFeedback",
  path: "/api/telemetry/feedback",
  summary: "Store a player's answers to a feedback form. Repeating a request does not store them again",
  tag: "telemetry",
  names: { sessionId: "session" },
  sample: { requestId: "sample", formId: "{form}", responses: [{ fieldId: "fun", value: "4" }] },
  keys: ["ingest"],
  maxBody: FEEDBACK_LIMITS.bodyBytes,
  status: 200,
  idempotent: true,
  body: feedbackBody,
  repair: repairFeedback,
  response: z.object({
    ok: z.boolean(),
    submissionId: z.string(),
    formId: z.string(),
    sessionId: z.string(),
    responseIds: z.array(z.string()).describe("IDs of the non-empty answers, in order"),
  }),
  errors: ["not_found", "conflict", "payload_too_large", "unsupported_media_type", "storage_full"],
  reasons: feedbackReasons,
});
export type FeedbackReceipt = z.output<typeof submitFeedback.response>;

export const feedbackItem = z.object({
  ...feedbackSubmission.shape,
  sessionId: z.string().describe("Session of the answer"),
  build: z.string().describe("Build version"),
  environment: z.string().describe("Environment of the session"),
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
    .describe("Number of testers by their latest answer: `1` to `5` for ratings, `yes` and `no`"),
  mean: orNull(z.number()).describe("Mean of the latest ratings of the testers; null for yes and no"),
});
export type RatingDistribution = z.output<typeof ratingDistribution>;

const feedbackFilters = {
  form: {
    schema: text(1, 200).optional().describe("ID of a feedback form (default: all)"),
    flag: ["--form <id>", "form id, as `playtest games prompts` lists them (default: all forms)"],
    ...{ label: "Form (id)", placeholder: "all", suggests: "formId" },
  },
  build: buildFilter,
  env: productionEnvFilter,
  ...rangeFilters("feedback sent", { describe: "submissions received", since: true }),
} as const;

export const listFeedback = defineRead({
  name: "listFeedback",
  tool: "list_feedback",
  path: "/api/v1/feedback/{game}",
  summary: "List what testers answered, newest first, with the distribution of ratings by build",
  tag: "games",
  extension: true,
  names: { form: "form", build: "build" },
  paged: true,
  query: listQuery(feedbackFilters),
  response: page(feedbackItem).extend({
    environment: z.string(),
    ratings: orNull(z.array(ratingDistribution)).describe(
      "By question and build, over all pages. Only with the first page",
    ),
    ratedSubmissions: orNull(count).describe(
      "Number of submissions in `ratings`, which can be limited to the newest",
    ),
  }),
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
  names: { id: "submission" },
  params: z.object({
    game: gameParam,
    id: pathText.describe("ID of the submission (`sub_...`) or of an answer (`resp_...`)"),
  }),
  response: z.object({ submission: feedbackItem }),
});

/** The name of the tester, or the session of one without a device. */
export const nameTester = ({ tester, sessionId }: FeedbackItem) =>
  tester.handle ?? tester.deviceId ?? sessionId;

export const feedback = defineResource({
  name: "feedback",
  item: feedbackItem,
  id: "submissionId",
  list: listFeedback,
  filters: feedbackFilters,
  columns: {
    submittedAt: { header: "SENT", kind: "time" },
    tester: {
      header: "TESTER",
      value: nameTester,
      shrink: 3,
      link: "tester",
      linked: ({ tester, sessionId }) => tester.deviceId ?? tester.handle ?? sessionId,
    },
    build: { header: "BUILD", kind: "build", shrink: 2, link: "build" },
    responses: {
      header: "ANSWERS",
      value: ({ responses }) => responses.map(({ label, value }) => `${label} ${value}`).join("; "),
      shrink: 1,
    },
    formName: { header: "FORM", wide: true },
    environment: { header: "ENVIRONMENT", wide: true },
    sessionId: { header: "SESSION", wide: true, link: "session" },
    submissionId: { header: "ID", wide: true },
  },
  command: {
    path: "feedback list",
    summary: "List what testers answered, newest first, with the ratings by build",
    details:
      "The ratings and the yes or no answers cover all submissions that match, not only those that are listed. ANSWERS counts " +
      "submissions: a tester can answer a form in several sessions. MEAN and the columns of answers count the latest answer of each " +
      "tester, as `playtest builds compare` does.",
    examples: ["feedback list --game ember", "feedback list --form ff_0123 --build 0.9.0 --since 7d --json"],
    empty: "",
  },
  get: {
    endpoint: getFeedback,
    field: "submission",
    command: {
      path: "feedback get",
      summary: "Show what a tester answered to a feedback form",
      details: "Accepts the id of a submission, or the id of one answer, as insights refer to it.",
      argument: {
        name: "<submission>",
        help: "submission id (sub_...) or answer id (resp_...)",
        ...{ param: "id", idKind: "sub" },
      },
      examples: ["feedback get sub_0123 --game ember", "feedback get resp_0456 --game ember"],
    },
    details: ["formName", "submissionId", "tester", "sessionId", "build", "environment", "submittedAt"],
  },
  dataset: {
    summary: "One row per answer",
    help: "one row per answer to a feedback form",
    time: "submittedAt",
    itemName: "submission",
    rows: "responses",
    allEnvironments: "all",
    columns: [
      ...["submittedAt", "game", "submissionId", "id", "sessionId", "build", "environment"],
      {
        name: "deviceId",
        type: "string",
        describe: "Device of the tester. A session without a device counts as its own tester",
        value: ({ tester }) => tester.deviceId,
      },
      ...["formId", "formName", "fieldId", "label", "kind", "value"],
    ],
  },
  page: {
    title: "Feedback",
    caption: "Submissions, newest first",
    empty: "",
  },
});
