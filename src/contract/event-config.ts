/** Event config: settings per event name for one game, and the settings of the game that SDKs read with them. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { extensionField, gameParam } from "./fields.ts";

export const eventFlags = z.object({
  sdkIgnore: z.boolean().describe("True if SDKs do not send the event"),
  linkToSummary: z.boolean().describe("True if the session summary links to the event"),
  hideFromAi: z.boolean().describe("True if AI models do not see the event"),
  sampleRate: extensionField(
    z.number().min(0).max(1).describe("Share of sessions in which SDKs record the event. Absent if all do"),
  ),
});
export type EventFlags = z.output<typeof eventFlags>;

const namedEventFlags = z.object({ eventName: z.string(), ...eventFlags.shape });

export const MAX_CRASH_EVENTS = 50;

export const sdkSettings = z.object({
  snapshotEventName: z
    .string()
    .optional()
    .describe("Event whose data is the state snapshot. Absent if the game has none"),
  crashesEnabled: z.boolean().describe("Whether SDKs report crashes"),
  crashRecentEventsCount: z
    .int()
    .min(0)
    .max(MAX_CRASH_EVENTS)
    .describe("Number of recent events that a crash report contains"),
  crashSampleRate: z.number().min(0).max(1).describe("Share of crashes that SDKs report, from 0 to 1"),
  showBranding: z.boolean().describe("Whether forms in the game show the name of the service"),
});
export type SdkSettings = z.output<typeof sdkSettings>;

export const defaultSdkSettings: SdkSettings = {
  crashesEnabled: true,
  crashRecentEventsCount: 20,
  crashSampleRate: 1,
  showBranding: false,
};

export const getEventConfig = defineRead({
  name: "getEventConfig",
  tool: null,
  path: "/api/v1/games/{slug}/event-config",
  summary: "Get the flags of all configured events of a game. SDKs request them at startup",
  tag: "games",
  names: { slug: "game" },
  keys: ["management", "ingest"],
  params: z.object({ slug: gameParam }),
  response: z.object({
    events: z
      .union([z.record(z.string(), eventFlags), z.array(namedEventFlags)])
      .describe("Flags by event name; a list of them for requests with an X-*-SDK header"),
    game: sdkSettings.optional().describe("Only for requests with an X-*-SDK header"),
  }),
});
