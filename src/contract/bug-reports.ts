/** Bug reports: what players send from a form inside the game. */
import * as z from "zod";
import { describeData } from "../shared/event-data.ts";
import { ownValue } from "../shared/own-value.ts";
import { defineRead, defineWrite } from "./define.ts";
import { ERASED, GAME_REQUIRED } from "./errors.ts";
import {
  extensionField,
  gameParam,
  openEnum,
  orNull,
  page,
  pathText,
  text,
  unicodeText,
  unixMs,
} from "./fields.ts";
import { isJsonObject, type RepairedBody, RepairWarnings, removeInvalid, withoutUnset } from "./repair.ts";
import { buildFilter, defineResource, envFilter, listQuery, rangeFilters, type Tone } from "./resource.ts";
import { environmentSlug, nestsWithin, TELEMETRY_LIMITS, telemetryEnvelope } from "./telemetry.ts";

export const bugReportSeverities = ["low", "medium", "high", "critical"] as const;
export type BugReportSeverity = (typeof bugReportSeverities)[number];

const metadata = telemetryEnvelope.shape.sessionMetadata.unwrap().shape;

const contextFields = {
  buildVersion: metadata.gameVersion.describe("Build (default: that of the session)"),
  environment: environmentSlug
    .optional()
    .describe("Environment slug (default: the X-*-Environment header, else that of the session)"),
  platform: metadata.platform.describe("Platform (default: that of the session)"),
  device: z
    .looseObject({})
    .refine((value) => nestsWithin(value, TELEMETRY_LIMITS.nesting), "must not be nested too deep")
    .optional()
    .describe("Further fields about the device"),
};

/** The severity of a report that has none. */
export const DEFAULT_SEVERITY: BugReportSeverity = "medium";

export const bugReportBody = z.object({
  gameId: text(1, 120).optional().describe("Game ID or slug. Required unless the key is limited to one game"),
  title: unicodeText(1, 200),
  description: unicodeText(1, 8000),
  severity: z.enum(bugReportSeverities).optional().describe("Severity (default: medium)"),
  idempotencyKey: unicodeText(1, 128).describe(
    "Chosen by the client. Sending a report again does not store it again",
  ),
  sessionId: text(1, 120).optional().describe("ID of the session in which the player found the bug"),
  playerId: unicodeText(1, 200).optional().describe("The game's own id of the player"),
  context: z.object(contextFields).optional().describe("Where the bug was found"),
});
export type BugReportBody = z.output<typeof bugReportBody>;

/** Removes unset fields and an invalid context, because the words of the player matter more. */
function repairBugReport(raw: unknown): RepairedBody {
  if (!isJsonObject(raw)) return { body: raw, warnings: [] };
  const warnings = new RepairWarnings();
  const body = withoutUnset(raw);
  if (isJsonObject(body.context)) {
    const context = withoutUnset(body.context);
    removeInvalid(context, contextFields, warnings, "context.");
    body.context = context;
  } else if (body.context !== undefined) {
    warnings.add("context", "must be a JSON object");
    delete body.context;
  }
  return { body, warnings: warnings.all };
}

export const submitBugReport = defineWrite({
  name: "submitBugReport",
  path: "/api/telemetry/bug-report",
  summary: "Store a player's bug report. Repeating a request does not store it again",
  tag: "telemetry",
  extension: true,
  names: { gameId: "game", sessionId: "session" },
  sample: { title: "The door does not open", description: "I have both keys.", idempotencyKey: "sample" },
  keys: ["ingest"],
  maxBody: 100 * 1024,
  status: 200,
  idempotent: true,
  body: bugReportBody,
  repair: repairBugReport,
  response: z.object({
    ok: z.boolean(),
    bugReportId: z.string().describe("ID of the report (`bug_...`)"),
    routingStatus: z.string().describe("stored_only: the service does not send reports to an issue tracker"),
    idempotent: z.boolean().describe("Whether the report was already stored"),
    warnings: z
      .array(z.string())
      .optional()
      .describe("Ignored fields and the reasons. Absent if no field was ignored"),
  }),
  errors: ["not_found", "conflict", "payload_too_large", "unsupported_media_type", "storage_full"],
  reasons: {
    bad_request: [GAME_REQUIRED],
    not_found: ["unknown_game", "unknown_session"],
    conflict: ["idempotency_conflict", ERASED],
  },
});
export type BugReportReceipt = z.output<typeof submitBugReport.response>;

export const bugReport = z.object({
  id: z.string().describe("ID of the report (`bug_...`)"),
  sessionId: orNull(z.string()).describe("Null if the player was in no session"),
  title: z.string(),
  description: z.string(),
  severity: openEnum(bugReportSeverities),
  playerId: orNull(z.string()).describe("The game's own id of the player"),
  build: z.string(),
  environment: z.string(),
  platform: z.string(),
  device: extensionField(z.looseObject({}).describe("Further fields about the device")),
  createdAt: unixMs.describe("Time of receipt, unix ms"),
});
export type BugReport = z.output<typeof bugReport>;

const bugReportFilters = {
  build: buildFilter,
  env: envFilter,
  severity: {
    schema: z.enum(bugReportSeverities).optional().describe("Severity"),
    flag: ["--severity <severity>", "severity"],
    label: "Severity",
  },
  ...rangeFilters("reports sent"),
} as const;

export const listBugReports = defineRead({
  name: "listBugReports",
  tool: "list_bug_reports",
  path: "/api/v1/bug-reports/{game}",
  summary: "List the bug reports that players sent, newest first",
  tag: "bug-reports",
  extension: true,
  paged: true,
  query: listQuery(bugReportFilters),
  response: page(bugReport),
});

export const getBugReport = defineRead({
  name: "getBugReport",
  tool: null,
  path: "/api/v1/bug-reports/{game}/{id}",
  summary: "Get a bug report that a player sent",
  tag: "bug-reports",
  extension: true,
  names: { id: "bug report" },
  params: z.object({ game: gameParam, id: pathText.describe("ID of the bug report (`bug_...`)") }),
  response: z.object({ report: bugReport }),
});

const severityTones: Readonly<Record<string, Tone>> = { critical: "bad", high: "bad", low: "muted" };

export const bugReports = defineResource({
  name: "bug-reports",
  item: bugReport,
  list: listBugReports,
  filters: bugReportFilters,
  columns: {
    severity: {
      header: "SEVERITY",
      groups: true,
      tone: ({ severity }) => ownValue(severityTones, severity) ?? null,
    },
    title: { header: "TITLE", shrink: 2, minWidth: 16, last: true },
    build: { header: "BUILD", kind: "build", shrink: 1, groups: true, link: "build" },
    description: { header: "DESCRIPTION", shrink: 3, wide: true },
    environment: { header: "ENVIRONMENT", shrink: 3, groups: true },
    platform: { header: "PLATFORM", shrink: 1, groups: true },
    id: { header: "ID", kind: "id" },
    createdAt: { header: "SENT", kind: "time" },
    sessionId: { header: "SESSION", wide: true, link: "session" },
    playerId: { header: "PLAYER", wide: true },
    device: { header: "DEVICE", value: ({ device }) => describeData(device), wide: "details" },
  },
  command: {
    path: "bug-reports list",
    summary: "List the bug reports that players sent from the game, newest first",
    examples: ["bug-reports list --game ember", "bug-reports list --severity critical --build 0.9.0 --json"],
    empty:
      "No bug reports match. Errors that the game reported are insights: `playtest insights list --type bug-report`.",
  },
  page: {
    title: "Bug reports",
    columns: ["title", "severity", "build", "environment", "platform", "createdAt"],
    caption: "Bug reports, newest first",
    empty: "No bug reports yet. They appear when players send them from a form inside the game.",
    emptyFiltered: "No bug reports match. Omit a filter.",
  },
  get: {
    endpoint: getBugReport,
    field: "report",
    command: {
      path: "bug-reports get",
      summary: "Show a bug report that a player sent",
      argument: { name: "<bug-report>", help: "bug report id, or its beginning", param: "id", idKind: "bug" },
      examples: ["bug-reports get bug_0123 --game ember"],
    },
    details: [
      ...["title", "id", "severity", "description", "build", "environment", "platform", "device"],
      ...["playerId", "sessionId", "createdAt"],
    ],
  },
});
