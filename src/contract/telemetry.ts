/** Telemetry: how game clients send sessions and events. */
import * as z from "zod";
import { COUNTRY_CODE, COUNTRY_SYNTAX } from "../shared/countries.ts";
import { SOURCES } from "../shared/session-sources.ts";
import { DAY_MS } from "../shared/time-units.ts";
import { defineRead, defineWrite } from "./define.ts";
import { ERASED, GAME_REQUIRED } from "./errors.ts";
import { count, text, UNKNOWN_BUILD, unicodeText } from "./fields.ts";
import { gameFilter } from "./filters.ts";
import {
  isJsonObject,
  type JsonObject,
  type RepairedBody,
  RepairWarnings,
  removeInvalid,
  withoutUnset,
} from "./repair.ts";
import { sessionSources } from "./sessions.ts";

export const TELEMETRY_LIMITS = {
  /** Bytes after decompression. */
  bodyBytes: 1024 * 1024,
  events: 2000,
  eventId: 64,
  eventName: 120,
  /** Characters of the name of a player in the data of an event. Longer ones are ignored. */
  player: 64,
  /** Levels of nested objects and lists in event data and in metadata, because JSON.stringify recurses. */
  nesting: 100,
} as const;

/** The name of a player of a device, in `data.player` of events. */
export const playerName = text(1, TELEMETRY_LIMITS.player);

/** The sources that telemetry may have: an SDK or OBS. */
export const telemetrySources = sessionSources.filter(
  (source) => source.endsWith("-telemetry") || source === SOURCES.obs,
) as [string, ...string[]];

/** Text that can be a path segment. URL parsers remove the segments `.` and `..`. */
const pathSegment = (max: number) =>
  unicodeText(1, max).refine((value) => value !== "." && value !== "..", "must not be . or ..");

/** A build version, as games send it. */
export const gameVersion = pathSegment(120);

/** A build version that is not the one of sessions without a version. */
export const knownGameVersion = gameVersion.refine(
  (version) => version !== UNKNOWN_BUILD,
  `must not be ${UNKNOWN_BUILD}`,
);

/** The source that an SDK names itself with, such as `unity/1.2`; undefined if it is unknown. */
export function findSource(value: string): string | undefined {
  const name = /^[a-z]+/.exec(value.toLowerCase())?.[0] ?? "";
  return telemetrySources.find((source) => source === name || source === `${name}-telemetry`);
}

/** The largest correction of a client's clock, ms: 10 years. */
const MAX_CLOCK_OFFSET_MS = 3652 * DAY_MS;

const shortText = unicodeText(1, 120);
/** The latest time that a JavaScript Date can represent, unix ms. */
const MAX_DATE_MS = 8_640_000_000_000_000;

/** Whether a JSON value has at most `levels` levels of nested objects and lists. */
export function nestsWithin(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) return value.every((item) => nestsWithin(item, levels - 1));
  for (const key in value) {
    if (!nestsWithin((value as Record<string, unknown>)[key], levels - 1)) return false;
  }
  return true;
}

/** The earliest plausible time of telemetry, unix ms. An earlier time means a wrong clock or unit. */
export const MIN_TIME = Date.UTC(2000, 0, 1);

/** Times that were probably sent in seconds: 2000 to 2286 as unix seconds. As unix ms, they would be in 1970. */
const UNIX_SECONDS_RANGE = { min: MIN_TIME / 1000, max: 9_999_999_999 } as const;

/** Returns the error of a time before 2000, or null. `time` is in unix ms. */
export function describeEarlyTime(time: number): string | null {
  if (time >= MIN_TIME) return null;
  const looksLikeSeconds = time >= UNIX_SECONDS_RANGE.min && time <= UNIX_SECONDS_RANGE.max;
  return looksLikeSeconds
    ? `${time} looks like seconds. Send Unix milliseconds`
    : `${time} is before the year 2000. Send Unix milliseconds`;
}

const isWithinNesting = (value: unknown) => nestsWithin(value, TELEMETRY_LIMITS.nesting);
const NESTING_MESSAGE = `must be nested at most ${TELEMETRY_LIMITS.nesting} levels deep`;

export const telemetryEvent = z.object({
  id: unicodeText(1, TELEMETRY_LIMITS.eventId).describe(
    "Unique id within the session. An event that is sent again is not stored again. Other content with a known id is rejected",
  ),
  name: unicodeText(1, TELEMETRY_LIMITS.eventName).describe("Name of the event, such as player_pos"),
  timestamp: z
    .int()
    .min(0)
    .refine((time) => time >= MIN_TIME, "must not be before 2000")
    .describe("When the event happened, unix ms, in 2000 or later"),
  data: z
    .looseObject({})
    .refine(isWithinNesting, NESTING_MESSAGE)
    .nullish()
    .describe(
      "Further data of the event, such as its room, and its player if several play on one device (text of 1 to 64 characters)",
    ),
});

export const environmentSlug = z
  .string()
  .regex(/^[a-z0-9_-]{1,64}$/, "must be an environment slug (a-z, 0-9, _ and -)")
  .refine((slug) => slug !== "all", "must not be all, which is reserved for all environments combined");

/** The body of a telemetry request. Its events are not validated here, but one by one. */
export const telemetryEnvelope = z.object({
  gameId: text(1, 120).optional().describe("Game ID or slug. Required unless the key is limited to one game"),
  sessionId: text(1, 120)
    .optional()
    .describe("Session to add the events to, from an earlier response. Omit it to create a session"),
  clientSessionId: unicodeText(1, 120)
    .optional()
    .describe("ID chosen by the client. Requests of a device with the same id create only one session"),
  deviceId: pathSegment(128).optional().describe("Persistent anonymous id of the installation"),
  testerHandle: pathSegment(120)
    .optional()
    .describe("Handle of the tester. One that is linked to another device is ignored"),
  title: shortText.optional().describe("Title of the session"),
  source: z
    .enum(telemetrySources)
    .optional()
    .describe("SDK that sends the telemetry (default: the X-*-SDK header, else typescript-telemetry)"),
  environment: environmentSlug
    .optional()
    .describe("Environment slug (default: the X-*-Environment header, else production)"),
  startedAt: z
    .int()
    .min(0)
    .max(MAX_DATE_MS)
    .optional()
    .describe("When the session started, unix ms. A time before 2000 is ignored with a warning"),
  clockOffsetMs: z
    .number()
    .min(-MAX_CLOCK_OFFSET_MS)
    .max(MAX_CLOCK_OFFSET_MS)
    .optional()
    .describe(
      "What to add to the times of the client to get the time of the service, ms, at most 10 years. Send the times of events as they are",
    ),
  country: z
    .string()
    .regex(COUNTRY_CODE, `must be ${COUNTRY_SYNTAX}`)
    .optional()
    .describe("ISO 3166 alpha-2 code, such as DE"),
  region: shortText.optional().describe("Region of the player"),
  city: shortText.optional().describe("City of the player"),
  sessionMetadata: z
    .looseObject({ gameVersion: gameVersion.optional(), platform: shortText.optional() })
    .refine(isWithinNesting, NESTING_MESSAGE)
    .optional()
    .describe("Build, platform and further metadata. Used only when the session is created"),
  experimentTags: z.record(text(1, 120), text(1, 120)).optional().describe("Variant keys by experiment id"),
  consentLevel: text(1, 120)
    .optional()
    .describe("Consent of the player. With opt-out, nothing of the request is stored"),
  sessionEnded: z.boolean().optional().describe("Whether to end the session and start its analysis"),
  events: z
    .custom<unknown[]>(Array.isArray, "must be an array of events")
    .refine(
      (events) => events.length <= TELEMETRY_LIMITS.events,
      `must have at most ${TELEMETRY_LIMITS.events} events`,
    ),
});
export type TelemetryEnvelope = z.output<typeof telemetryEnvelope>;

/** Fields that are removed if they are invalid. The others identify the game, session or device, so they are required to be valid. */
const { title, testerHandle, source, country, region, city, startedAt, clockOffsetMs } =
  telemetryEnvelope.shape;
const { experimentTags, consentLevel, sessionEnded } = telemetryEnvelope.shape;
const removable = {
  title,
  testerHandle,
  source,
  country,
  region,
  city,
  startedAt,
  clockOffsetMs,
  consentLevel,
  sessionEnded,
};
/** The metadata that has a meaning for the service. */
export const metadataFields = telemetryEnvelope.shape.sessionMetadata.unwrap().shape;

/** Removes unset fields and invalid metadata. */
function repairTelemetry(raw: unknown): RepairedBody {
  if (!isJsonObject(raw)) return { body: raw, warnings: [] };
  const warnings = new RepairWarnings();
  const body = withoutUnset(raw);
  if (typeof body.source === "string") body.source = findSource(body.source) ?? body.source;
  removeInvalid(body, removable, warnings);
  if (body.sessionMetadata !== undefined) repairMetadata(body, warnings);
  if (isJsonObject(body.experimentTags)) {
    const tags = withoutUnset(body.experimentTags);
    const schema = experimentTags.unwrap();
    for (const id of Object.keys(tags)) {
      if (schema.keyType.safeParse(id).success)
        removeInvalid(tags, { [id]: schema.valueType }, warnings, "experimentTags.");
      else delete tags[id];
    }
    body.experimentTags = tags;
  } else removeInvalid(body, { experimentTags }, warnings);
  return { body, warnings: warnings.all };
}

const telemetryReceipt = z.object({
  sessionId: z
    .string()
    .nullable()
    .describe(
      "ID of the session (`sess_...`); null if the player opted out, or if a new session would have no event, because all were rejected",
    ),
  accepted: count.describe("Number of newly stored events"),
  duplicates: count.describe("Number of events that were already stored"),
  rejected: z
    .array(z.object({ index: count, error: z.string() }))
    .describe("Invalid events, by their index in the request"),
  warnings: z
    .array(z.string())
    .optional()
    .describe("Ignored fields and the reasons. Absent if no field was ignored"),
});
export type TelemetryReceipt = z.output<typeof telemetryReceipt>;

/** The response to a body of a player who does not agree to telemetry; null for other bodies. */
function discardOptOut(raw: unknown): TelemetryReceipt | null {
  const level = isJsonObject(raw) ? raw.consentLevel : undefined;
  const isOptOut = typeof level === "string" && level.trim().toLowerCase() === "opt-out";
  return isOptOut ? { sessionId: null, accepted: 0, duplicates: 0, rejected: [] } : null;
}

/** Removes invalid parts of the session metadata. Engines also send versions as numbers. */
function repairMetadata(body: JsonObject, warnings: RepairWarnings): void {
  if (!isJsonObject(body.sessionMetadata)) {
    warnings.add("sessionMetadata", "must be a JSON object");
    delete body.sessionMetadata;
    return;
  }
  const metadata = { ...body.sessionMetadata };
  for (const name of Object.keys(metadataFields)) {
    const value = metadata[name];
    if (typeof value === "number") metadata[name] = String(value);
    if (value === null || value === "") delete metadata[name];
  }
  removeInvalid(metadata, metadataFields, warnings, "sessionMetadata.");
  for (const [name, value] of Object.entries(metadata)) {
    if (nestsWithin(value, TELEMETRY_LIMITS.nesting - 1)) continue;
    warnings.add(`sessionMetadata.${name.slice(0, 120)}`, NESTING_MESSAGE);
    delete metadata[name];
  }
  body.sessionMetadata = metadata;
}

export const sendTelemetry = defineWrite({
  name: "sendTelemetry",
  path: "/api/telemetry",
  summary: "Create a session or add events to it. Sending an event again does not store it again",
  tag: "telemetry",
  names: { gameId: "game", sessionId: "session" },
  sample: { events: [] },
  keys: ["ingest"],
  maxBody: TELEMETRY_LIMITS.bodyBytes,
  status: 202,
  idempotent: true,
  body: telemetryEnvelope,
  repair: repairTelemetry,
  discard: discardOptOut,
  response: telemetryReceipt,
  errors: ["not_found", "conflict", "payload_too_large", "unsupported_media_type", "storage_full"],
  reasons: {
    bad_request: [GAME_REQUIRED],
    not_found: ["unknown_game", "unknown_session"],
    conflict: [ERASED],
  },
});
export const resolveGame = defineRead({
  name: "resolveGame",
  tool: null,
  path: "/api/telemetry/resolve",
  summary: "Get the game that the ingest key is limited to, or another game by ID or slug",
  tag: "telemetry",
  extension: true,
  names: { gameId: "game" },
  sample: { gameId: "{game}" },
  keys: ["ingest"],
  query: z.object({
    gameId: gameFilter.optional().describe("Game ID or slug. Required unless the key is limited to one game"),
  }),
  response: z.object({
    gameId: z.string().describe("ID of the game (`game_...`)"),
    slug: z.string().describe("Short name for URLs and commands, such as ember"),
    name: z.string(),
  }),
  reasons: { bad_request: [GAME_REQUIRED], not_found: ["unknown_game"] },
});
