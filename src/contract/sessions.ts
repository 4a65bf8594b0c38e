/** Sessions: one sitting of one player, from telemetry, a chat thread or a recording. */
import * as z from "zod";
import { SOURCES } from "../shared/session-sources.ts";
import { defineRead } from "./define.ts";
import { extensionField, openEnum, orNull, page, pathText, text, unixMs } from "./fields.ts";
import { buildFilter, envFilter, gameFilter, pageQuery, rangeQuery, requireOrderedRange } from "./filters.ts";
import { insight } from "./insights.ts";

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
  id: z.string().describe("sess_..."),
  gameId: z.string(),
  title: z.string(),
  source: openEnum(sessionSources),
  status: openEnum(sessionStatuses),
  recordedAt: unixMs.describe("When the session was played, unix ms"),
  duration: z.int().describe("Wall time in seconds"),
  testerHandle: orNull(z.string()),
  metadata: z
    .looseObject({ gameVersion: z.string(), platform: z.string() })
    .describe("What the client sent of its build and machine"),
  receivedAt: extensionField(orNull(unixMs)).describe("Unix ms"),
  clockCorrected: extensionField(z.boolean()).describe("Whether recordedAt was corrected"),
};

export const session = z.object(sessionFields);
export type Session = z.output<typeof session>;

/** One form filled in by the player; its answers carry what was asked at the time. */
export const feedbackSubmission = z.looseObject({
  submissionId: z.string(),
  formId: z.string(),
  formName: z.string(),
  submittedAt: unixMs.describe("Unix ms"),
  responses: z.array(
    z.object({ id: z.string(), fieldId: z.string(), label: z.string(), kind: z.string(), value: z.string() }),
  ),
});
export type FeedbackSubmission = z.output<typeof feedbackSubmission>;

/** The full row: what a list item leaves out. */
export const fullSession = z.object({
  ...sessionFields,
  environment: extensionField(z.string()),
  deviceId: extensionField(orNull(z.string())),
  transcript: extensionField(orNull(z.string())),
  event_counts: extensionField(z.record(z.string(), z.number()).describe("Events by name")),
  summaryState: extensionField(orNull(z.looseObject({})).describe("The last state snapshot the client sent")),
  feedback: extensionField(
    z.array(feedbackSubmission).describe("Submitted feedback forms, in the order they came"),
  ),
});
export type FullSession = z.output<typeof fullSession>;

export const listSessions = defineRead({
  name: "listSessions",
  tool: "list_sessions",
  path: "/api/v1/sessions",
  summary: "Sessions, newest first",
  tag: "sessions",
  names: { game: "game" },
  paged: true,
  query: requireOrderedRange(
    z.object({
      game: gameFilter.optional(),
      build: buildFilter.optional(),
      env: envFilter.optional(),
      status: z.enum(sessionStatuses).optional(),
      source: z.enum(sessionSources).optional(),
      q: text(1, 200).optional().describe("Text in title, tester handle or transcript, in any case"),
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
  summary: "One session in full, with its insights and their evidence",
  tag: "sessions",
  names: { id: "session" },
  params: z.object({ id: pathText.describe("Session id") }),
  response: z.object({ session: fullSession, insights: z.array(insight) }),
  errors: ["not_found"],
});
