/** The live tail: what arrived in the last minutes, and what was refused. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, openEnum, orNull, text, unixMs } from "./fields.ts";
import { gameFilter } from "./filters.ts";
import { refusalReasons, warningReasons } from "./refusals.ts";
import { cursorText, eventFilter } from "./session-events.ts";

/** How long arrivals are kept, ms, and the maximum number of requests per account that are kept. */
export const TAIL_LIMITS = { ms: 10 * 60_000, requests: 10_000 } as const;

/** An event that was stored, the refusal of an event or a request, or a warning about a request. */
export const arrival = z.object({
  kind: openEnum(["event", "refusal", "warning"]),
  cursor: z.string().describe("Continue after this item with `after`"),
  receivedAt: unixMs.describe("Time of receipt, unix ms"),
  gameId: orNull(z.string()),
  sessionId: orNull(z.string()),
  deviceId: orNull(z.string()),
  environment: orNull(z.string()),
  build: orNull(z.string()),
  event: orNull(
    z.object({
      id: z.string(),
      name: z.string(),
      timestamp: unixMs.describe("When the event happened by the clock of the device, unix ms"),
      data: orNull(z.looseObject({})),
    }),
  ).describe("The stored event; null for a refusal"),
  refusal: orNull(
    z.object({
      reason: openEnum([...refusalReasons, ...warningReasons]),
      message: z.string().describe("The error or warning that the client received"),
      status: z.int().describe("HTTP status of the response"),
      index: orNull(count).describe(
        "Index of the event in the request; null if it is about the whole request",
      ),
      name: orNull(z.string()).describe("Name of the event, if it has a valid one"),
    }),
  ).describe("Why it was refused, or what the service warned of; null for an event"),
});
export type Arrival = z.output<typeof arrival>;

export const tailTelemetry = defineRead({
  name: "tailTelemetry",
  tool: "tail_telemetry",
  path: "/api/v1/telemetry/tail",
  summary: "List the telemetry of the last 10 minutes as it arrived, and what was refused and why",
  tag: "telemetry",
  extension: true,
  names: { game: "game" },
  query: z.object({
    game: gameFilter
      .optional()
      .describe("Game ID or slug (default: all). Refusals without a known game are included"),
    device: text(1, 128).optional().describe("Device ID (default: all)"),
    event: eventFilter.optional(),
    kind: z
      .enum(["event", "refusal", "warning"])
      .optional()
      .describe("Only stored events, only refusals or only warnings (default: all)"),
    after: cursorText
      .optional()
      .describe("Cursor after which to continue, or `now` (default: everything of the last 10 minutes)"),
    limit: z.int().min(1).optional().describe("Maximum number of items (default: 100; capped at 500)"),
  }),
  response: z.object({
    items: z.array(arrival),
    next: z.string().describe("Cursor for `after` of the next request"),
    missed: count.describe(
      "Number of events and refusals since `after`, before filters, that are no longer kept or are damaged",
    ),
  }),
});
export type TailPage = z.output<typeof tailTelemetry.response>;

export const countRefusals = defineRead({
  name: "countRefusals",
  tool: null,
  path: "/api/v1/telemetry/refusals",
  summary: "Count the refused telemetry of the last 24 hours by reason",
  tag: "telemetry",
  extension: true,
  response: z.object({
    since: unixMs.describe("Start of the counted time, unix ms"),
    total: count.describe("Number of refused requests and rejected events"),
    reasons: z
      .array(z.object({ reason: openEnum(refusalReasons), count }))
      .describe("Number by reason, highest first"),
  }),
});
