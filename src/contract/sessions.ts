/** Sessions: one sitting of one player, from telemetry, a Discord thread or a recording. */
import * as z from "zod";
import { SOURCES } from "../shared/session-sources.ts";
import { defineRead } from "./define.ts";
import { extensionField, openEnum, orNull, page, pathText, text, unixMs } from "./fields.ts";
import { buildFilter, envFilter, gameFilter, pageQuery, rangeQuery, requireOrderedRange } from "./filters.ts";
import { insightWithClaims } from "./insights.ts";

export const sessionSources = [
  SOURCES.manual,
  SOURCES.discord,
  SOURCES.unity,
  SOURCES.unreal,
  SOURCES.godot,
  SOURCES.python,
  SOURCES.typescript,
  SOURCES.obs,
] as const;
export type SessionSource = (typeof sessionSources)[number];

export const sessionStatuses = ["pending", "transcribing", "processing", "analyzed", "failed"] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

const sessionFields = {
  id: z.string().describe("ID of the session (`sess_...`)"),
  gameId: z.string(),
  title: z.string(),
  source: openEnum(sessionSources),
  status: openEnum(sessionStatuses),
  recordedAt: unixMs.describe("When the session started, unix ms"),
  duration: z.int().describe("Wall time in seconds"),
  testerHandle: orNull(z.string()),
  metadata: z.looseObject({ gameVersion: z.string(), platform: z.string() }).describe("Sent by the client"),
  receivedAt: extensionField(orNull(unixMs)).describe("Time of receipt, unix ms"),
  clockCorrected: extensionField(z.boolean()).describe("Whether recordedAt was corrected"),
  environment: extensionField(z.string()),
  deviceId: extensionField(orNull(z.string())),
};

export const session = z.object(sessionFields);
export type Session = z.output<typeof session>;

/** A player's answers to one form. The answers keep the labels that the form had at that time. */
export const feedbackSubmission = z.looseObject({
  submissionId: z.string().describe("ID of the submission (`sub_...`)"),
  formId: z.string().describe("ID of the feedback form"),
  formName: z.string().describe("Name of the form when it was answered"),
  submittedAt: unixMs.describe("When the service received the answer, unix ms"),
  askedAtSec: z
    .number()
    .nullish()
    .describe("When the form was shown, in seconds since the start of the session"),
  answeredAtSec: z
    .number()
    .nullish()
    .describe("When the form was sent, in seconds since the start of the session"),
  responses: z.array(
    z.object({
      id: z.string().describe("ID of the answer (`resp_...`)"),
      fieldId: z.string().describe("Field of the form"),
      label: z.string().describe("The question when it was answered"),
      kind: z.string().describe("Kind of the field, such as rating-1-5, yes-no or text"),
      value: z.string().describe("The answer; a rating is a digit from 1 to 5"),
    }),
  ),
});
export type FeedbackSubmission = z.output<typeof feedbackSubmission>;

/** A session with the fields that lists omit. */
export const fullSession = z.object({
  ...sessionFields,
  transcript: extensionField(orNull(z.string())),
  event_counts: extensionField(z.record(z.string(), z.number()).describe("Number of events by name")),
  summaryState: extensionField(
    orNull(z.looseObject({})).describe("Data of the last heartbeat or session_summary event"),
  ),
  analysisVersion: extensionField(
    orNull(z.int()).describe("Version of the rules behind the insights; null if it was never analyzed"),
  ),
  eventsPrunedAt: extensionField(
    orNull(unixMs).describe(
      "When retention removed the events of the session, unix ms; null if they are stored",
    ),
  ),
  error: extensionField(orNull(z.string()).describe("Why the session failed; null for any other status")),
  feedback: extensionField(z.array(feedbackSubmission).describe("Feedback submissions, oldest first")),
});
export type FullSession = z.output<typeof fullSession>;

export const listSessions = defineRead({
  name: "listSessions",
  tool: "list_sessions",
  path: "/api/v1/sessions",
  summary: "List sessions, newest first",
  tag: "sessions",
  names: { game: "game" },
  paged: true,
  query: requireOrderedRange(
    z.object({
      game: gameFilter.optional().describe("Game ID or slug (default: all games)"),
      build: buildFilter.optional(),
      env: envFilter.optional(),
      status: z.enum(sessionStatuses).optional().describe("Processing status"),
      source: z.enum(sessionSources).optional().describe("Where the session came from"),
      q: text(1, 200)
        .optional()
        .describe("Text to find in title, tester handle or transcript, ignoring case"),
      ...rangeQuery,
      ...pageQuery,
    }),
  ),
  response: page(session),
  errors: ["not_found"],
});

export const getSession = defineRead({
  name: "getSession",
  tool: "get_session",
  path: "/api/v1/sessions/{id}",
  summary: "Get all data of a session, with its insights and their evidence",
  tag: "sessions",
  names: { id: "session" },
  params: z.object({ id: pathText.describe("ID of the session") }),
  response: z.object({ session: fullSession, insights: z.array(insightWithClaims) }),
  errors: ["not_found"],
});
