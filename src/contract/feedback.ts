/** Feedback: what a player answers to a form, sent by the game. */
import * as z from "zod";
import { defineWrite, type ErrorReasons } from "./define.ts";
import { text, unicodeText } from "./fields.ts";

/** What a submission may hold at most. */
export const FEEDBACK_LIMITS = {
  bodyBytes: 100 * 1024,
  /** Characters of an answer by its field's kind. */
  shortText: 500,
  longText: 10_000,
  responses: 100,
} as const;

/** Why a submission is refused, as `reason` in the error's body. */
const feedbackReasons = {
  bad_request: ["unknown_field", "repeated_field", "invalid_value", "missing_field", "no_responses"],
  not_found: ["unknown_form"],
  conflict: ["idempotency_conflict"],
} as const satisfies ErrorReasons;

/** Why the responses of a submission are invalid. */
export type ResponseFault = (typeof feedbackReasons.bad_request)[number];

export const feedbackBody = z.object({
  requestId: unicodeText(1, 128).describe(
    "The client's own id of this request: sent again, it gives the same answer",
  ),
  formId: text(1, 120).describe("ff_..."),
  sessionId: text(1, 120).describe("sess_..."),
  responses: z
    .array(
      z.object({
        fieldId: text(1, 120),
        value: z
          .string()
          .max(FEEDBACK_LIMITS.longText)
          .refine((value) => !value.includes("\0") && value.isWellFormed(), "must be well-formed text"),
      }),
    )
    .max(FEEDBACK_LIMITS.responses),
});
export type FeedbackBody = z.output<typeof feedbackBody>;

export const submitFeedback = defineWrite({
  name: "submitFeedback",
  path: "/api/telemetry/feedback",
  summary: "Stores a player's answers to a form; once, however often the request is sent",
  tag: "telemetry",
  names: { sessionId: "session" },
  sample: { requestId: "sample", formId: "{form}", responses: [{ fieldId: "fun", value: "4" }] },
  keys: ["ingest"],
  maxBody: FEEDBACK_LIMITS.bodyBytes,
  status: 200,
  idempotent: true,
  body: feedbackBody,
  response: z.object({
    ok: z.boolean(),
    submissionId: z.string(),
    formId: z.string(),
    sessionId: z.string(),
    responseIds: z.array(z.string()).describe("One for each answer that holds something, in order"),
  }),
  errors: ["not_found", "conflict", "payload_too_large", "unsupported_media_type"],
  reasons: feedbackReasons,
});
export type FeedbackReceipt = z.output<typeof submitFeedback.response>;
