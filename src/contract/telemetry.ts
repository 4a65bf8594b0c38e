/** Telemetry: the write surface a game client sends its sessions to. */
import * as z from "zod";
import { SOURCES } from "../shared/session-sources.ts";
import { defineWrite } from "./define.ts";
import { count, text, unicodeText } from "./fields.ts";
import { sessionSources } from "./sessions.ts";

/** What a telemetry body may hold at most. */
export const TELEMETRY_LIMITS = {
  /** Bytes after decompression. */
  bodyBytes: 1024 * 1024,
  events: 2000,
  eventId: 64,
  eventName: 120,
  /** Levels of objects and lists in an event's data and in the metadata: writing JSON has an end to its depth. */
  nesting: 100,
} as const;

/** The sources a telemetry client may name: its engine, or obs. */
export const telemetrySources = sessionSources.filter(
  (source) => source.endsWith("-telemetry") || source === SOURCES.obs,
) as [string, ...string[]];

/** Text that can be a path segment: URL parsers erase `.` and `..`. */
const pathSegment = (max: number) =>
  unicodeText(1, max).refine((value) => value !== "." && value !== "..", "must not be . or ..");

const shortText = unicodeText(1, 120);
/** The latest time that a date can hold, unix ms. */
const MAX_DATE_MS = 8_640_000_000_000_000;

/** Whether a JSON value has at most so many levels of objects and lists. */
export function nestsWithin(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) return value.every((item) => nestsWithin(item, levels - 1));
  for (const key in value) {
    if (!nestsWithin((value as Record<string, unknown>)[key], levels - 1)) return false;
  }
  return true;
}

/** The earliest time that telemetry is believed at, unix ms: no clock of a game played today shows an earlier one. */
export const MIN_TIME = Date.UTC(2000, 0, 1);

/** Times sent as unix seconds, from 2000 to 2286: digits that no unix ms of this century has. */
const UNIX_SECONDS_RANGE = { min: MIN_TIME / 1000, max: 9_999_999_999 } as const;

/** What is wrong with a time before 2000, or null for a later one. `time` is in unix ms. */
export function describeEarlyTime(time: number): string | null {
  if (time >= MIN_TIME) return null;
  const looksLikeSeconds = time >= UNIX_SECONDS_RANGE.min && time <= UNIX_SECONDS_RANGE.max;
  return looksLikeSeconds
    ? `${time} looks like seconds; send milliseconds`
    : `${time} is before 2000; send unix milliseconds`;
}

const isWithinNesting = (value: unknown) => nestsWithin(value, TELEMETRY_LIMITS.nesting);
const NESTING_MESSAGE = `must be nested at most ${TELEMETRY_LIMITS.nesting} levels deep`;

export const telemetryEvent = z.object({
  id: unicodeText(1, TELEMETRY_LIMITS.eventId).describe(
    "Unique within the session: sent again, it is stored once",
  ),
  name: unicodeText(1, TELEMETRY_LIMITS.eventName),
  timestamp: z
    .int()
    .min(0)
    .refine((time) => time >= MIN_TIME, "must not be before 2000")
    .describe("Unix ms, 2000 or later"),
  data: z.looseObject({}).refine(isWithinNesting, NESTING_MESSAGE).optional(),
});

/** The envelope of a telemetry body, its events left unchecked: they are checked one by one. */
export const telemetryEnvelope = z.object({
  gameId: text(1, 120).optional().describe("Game id or slug; required unless the key is bound to a game"),
  sessionId: text(1, 120).optional().describe("As answered before; absent to create a session"),
  clientSessionId: unicodeText(1, 120)
    .optional()
    .describe("The client's own id: creating twice with it gives one session"),
  deviceId: pathSegment(128).optional(),
  testerHandle: pathSegment(120).optional(),
  title: shortText.optional(),
  source: z.enum(telemetrySources).optional().describe("Default typescript-telemetry"),
  environment: z
    .string()
    .regex(/^[a-z0-9_-]{1,64}$/, "must be an environment slug: a-z, 0-9, _ and -")
    .refine((slug) => slug !== "all", "all is reserved: it stands for every environment")
    .optional()
    .describe("Default production"),
  startedAt: z
    .int()
    .min(0)
    .max(MAX_DATE_MS)
    .optional()
    .describe("Unix ms; a time before 2000 is ignored, with a warning in the answer"),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, "must be an ISO 3166 alpha-2 code, such as DE")
    .optional(),
  region: shortText.optional(),
  city: shortText.optional(),
  sessionMetadata: z
    .looseObject({ gameVersion: pathSegment(120).optional(), platform: shortText.optional() })
    .refine(isWithinNesting, NESTING_MESSAGE)
    .optional()
    .describe("Read when the session is created"),
  experimentTags: z.record(text(1, 120), text(1, 120)).optional().describe("Variant by experiment id"),
  sessionEnded: z.boolean().optional(),
  events: z
    .custom<unknown[]>(Array.isArray, "must be an array of events")
    .refine(
      (events) => events.length <= TELEMETRY_LIMITS.events,
      `must be at most ${TELEMETRY_LIMITS.events} events`,
    ),
});
export type TelemetryEnvelope = z.output<typeof telemetryEnvelope>;

export const sendTelemetry = defineWrite({
  name: "sendTelemetry",
  path: "/api/telemetry",
  summary: "Stores a session's events; each is stored once, however often it is sent",
  tag: "telemetry",
  names: { gameId: "game", sessionId: "session" },
  sample: { events: [] },
  keys: ["ingest"],
  maxBody: TELEMETRY_LIMITS.bodyBytes,
  status: 202,
  idempotent: true,
  body: telemetryEnvelope,
  response: z.object({
    sessionId: z.string(),
    accepted: count,
    duplicates: count,
    rejected: z.array(z.object({ index: count, error: z.string() })),
    warnings: z
      .array(z.string())
      .optional()
      .describe("Fields that were ignored, and why; absent when there are none"),
  }),
  errors: ["not_found", "payload_too_large", "unsupported_media_type"],
});
export type TelemetryReceipt = z.output<typeof sendTelemetry.response>;
