/** Sessions: one sitting of one player, from telemetry, a Discord thread or a recording. */
import * as z from "zod";
import { SOURCES } from "../shared/session-sources.ts";
import { defineRead } from "./define.ts";
import { count, extensionField, inUnit, openEnum, orNull, page, pathText, text, unixMs } from "./fields.ts";
import { insightWithClaims } from "./insights.ts";
import {
  buildFilter,
  defineResource,
  envFilter,
  filterShape,
  gameFilter,
  listQuery,
  rangeFilters,
  type Tone,
} from "./resource.ts";

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
  title: z.string().describe("Title"),
  source: openEnum(sessionSources).describe("Where the session came from, such as unity-telemetry"),
  status: openEnum(sessionStatuses).describe(
    "Processing state: pending, transcribing, processing, analyzed or failed",
  ),
  recordedAt: unixMs.describe("When the session started, unix ms"),
  duration: inUnit(z.int(), "s").describe("Wall time in seconds"),
  testerHandle: orNull(z.string()).describe("The tester's handle"),
  metadata: z.looseObject({ gameVersion: z.string(), platform: z.string() }).describe("Sent by the client"),
  receivedAt: extensionField(orNull(unixMs)).describe("Time of receipt, unix ms"),
  clockCorrected: extensionField(z.boolean()).describe("Whether recordedAt was corrected"),
  environment: extensionField(z.string()).describe("Environment of the session"),
  deviceId: extensionField(orNull(z.string())).describe(
    "Device of the tester. A session without a device counts as its own tester",
  ),
};

export const session = z.object(sessionFields);
export type Session = z.output<typeof session>;

/** The order of a list of sessions that begins with those to watch. */
export const WATCH = "watch";

/** What makes a session worth watching. */
const watch = z.object({
  problems: count.describe("Number of problems found"),
  lastRoom: z.string().nullable().describe("The last room of the session; null if it is not known"),
  rating: z.number().nullable().describe("Mean of the tester's ratings from 1 to 5; null without one"),
  worst: z
    .object({
      insightId: z.string(),
      title: z.string(),
      activeSec: z.number().describe("Active seconds of the session until the problem showed"),
    })
    .nullable()
    .describe("The problem with the strongest evidence among those that are about one moment"),
});
export type SessionWatch = z.output<typeof watch>;

export const sessionItem = z.object({
  ...sessionFields,
  watch: watch.optional().describe("Only with `sort=watch`"),
});
export type SessionItem = z.output<typeof sessionItem>;

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
      "When pruning removed the events of the session, unix ms; null if they are stored",
    ),
  ),
  error: extensionField(orNull(z.string()).describe("Why the session failed; null for any other status")),
  clockJumps: extensionField(
    count.describe(
      "Number of steps of more than 30 minutes between neighbouring events: the clock was set, or the device slept. They do not count as play",
    ),
  ),
  clockShiftMs: extensionField(
    orNull(z.int()).describe(
      "Correction of the device's clock, ms: what to add to the times of its events; null if there is none",
    ),
  ),
  feedback: extensionField(z.array(feedbackSubmission).describe("Feedback submissions, oldest first")),
});
export type FullSession = z.output<typeof fullSession>;

const sessionFilters = {
  game: gameFilter,
  build: { ...buildFilter, suggests: "metadata.gameVersion" },
  env: { ...envFilter, suggests: "environment" },
  status: {
    schema: z.enum(sessionStatuses).optional().describe("Processing status"),
    flag: ["--status <status>", "session status"],
    label: "Status",
  },
  source: {
    schema: z.enum(sessionSources).optional().describe("Where the session came from"),
    flag: ["--source <source>", "session source"],
    label: "Source",
  },
  q: {
    schema: text(1, 200)
      .optional()
      .describe("Text to find in title, tester handle or transcript, ignoring case"),
    flag: ["-q, --query <text>", "search title, tester handle and transcript (case-insensitive)"],
    label: "Title contains",
  },
  ...rangeFilters("sessions recorded"),
} as const;

/** An order that the API document does not have. */
const addedFilters = {
  sort: {
    schema: z.enum([WATCH]).optional().describe("`watch`: most problems first (default: newest first)"),
    flag: ["--sort <order>", "sessions with the most and worst problems first"],
    ...{ label: "Order", any: "newest first", words: { [WATCH]: "most problems first" } },
  },
} as const;

export const listSessions = defineRead({
  name: "listSessions",
  tool: "list_sessions",
  path: "/api/v1/sessions",
  summary: "List sessions, newest first",
  tag: "sessions",
  names: { game: "game" },
  paged: true,
  query: listQuery(sessionFilters),
  extensions: filterShape(addedFilters),
  response: page(sessionItem),
});

export const statusTone = (status: string): Tone => (status === "failed" ? "bad" : "muted");

export const sessions = defineResource({
  name: "sessions",
  item: sessionItem,
  list: listSessions,
  filters: { ...sessionFilters, ...addedFilters },
  columns: {
    id: { header: "ID", kind: "id" },
    title: { header: "TITLE", shrink: 4, minWidth: 36, last: true },
    "metadata.gameVersion": { header: "BUILD", kind: "build", shrink: 2, groups: true, link: "build" },
    environment: { header: "ENV", shrink: 3, minWidth: 5, yields: true, groups: true },
    "metadata.platform": { header: "PLATFORM", shrink: 2, wide: true },
    status: {
      ...{ header: "STATUS", shrink: 2, minWidth: 10, groups: true },
      tone: ({ status }) => statusTone(status),
    },
    duration: { header: "LENGTH", kind: "duration", yields: true },
    recordedAt: { header: "RECORDED", kind: "time" },
    testerHandle: {
      ...{ header: "TESTER", shrink: 1, yields: true, groups: true, link: "tester" },
      linked: ({ deviceId, testerHandle }) => deviceId ?? testerHandle,
    },
    source: { header: "SOURCE", wide: true },
    gameId: { header: "GAME", wide: true },
  },
  command: {
    path: "sessions list",
    summary: "List sessions, newest first",
    details:
      "By default, lists the sessions of one game. If no game is set, lists the sessions of all games of the " +
      "account. --sort watch begins with the sessions to watch: WORST AT is how long the session had been played when " +
      "the clearest of its problems showed.",
    examples: [
      "sessions list --game ember",
      "sessions list --game ember --build latest --sort watch",
      "sessions list --build 0.9.0 --from 7d --all --format csv",
    ],
    empty: "No sessions match.",
  },
  dataset: {
    summary: "One row per session",
    help: "one row per session: build, tester, duration, metadata",
    time: "recordedAt",
    itemName: "session",
    columns: [
      ...["recordedAt", "game", "id", "title", "source", "status", "duration", "testerHandle"],
      {
        name: "build",
        type: "string",
        describe: "Build version",
        value: ({ metadata }) => metadata.gameVersion,
      },
      { name: "platform", type: "string", describe: "Platform", value: ({ metadata }) => metadata.platform },
      ...["environment", "metadata", "receivedAt", "clockCorrected", "deviceId"],
    ],
  },
  page: {
    title: "Sessions",
    columns: [
      ...["title", "metadata.gameVersion", "environment", "status", "duration", "recordedAt", "testerHandle"],
    ],
    caption: "Sessions, newest first",
    empty: "No sessions yet. They appear with the first telemetry of the game.",
    emptyFiltered: "No sessions match. Omit a filter to see more.",
    opens: "session",
    live: true,
  },
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
});
