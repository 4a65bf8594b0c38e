/** Feedback: a player's answers to a form, sent by the game. */
import * as z from "zod";
import { defineWrite, type ErrorReasons } from "./define.ts";
import { text, unicodeText } from "./fields.ts";
import { isJsonObject, type RepairedBody } from "./repair.ts";
import { ERASED } from "./unknown-names.ts";

/** The maximum sizes of a submission. */
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
          .describe("Rating 1 to 5, yes or no, or text, depending on the kind of the field"),
      }),
    )
    .max(FEEDBACK_LIMITS.responses),
  askedAtSec: sessionSeconds.describe("When the form was shown, in seconds since the start of the session"),
  answeredAtSec: sessionSeconds.describe("When the form was sent, in seconds since the start of the session"),
});
export type FeedbackBody = z.output<typeof feedbackBody>;

/** Replaces null by empty text, because SDKs send questions without an answer like this. */
function repairFeedback(raw: unknown): RepairedBody {
  if (!isJsonObject(raw) || !Array.isArray(raw.responses)) return { body: raw, warnings: [] };
  const responses = raw.responses.map((response: unknown) =>
    isJsonObject(response) && response.value === null ? { ...response, value: "" } : response,
  );
  return { body: { ...raw, responses }, warnings: [] };
}

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
  errors: ["not_found", "conflict", "payload_too_large", "unsupported_media_type"],
  reasons: feedbackReasons,
});
export type FeedbackReceipt = z.output<typeof submitFeedback.response>;
