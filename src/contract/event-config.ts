/** Event config: settings per event name for one game. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { gameParam } from "./fields.ts";

export const eventFlags = z.object({
  sdkIgnore: z.boolean().describe("True if SDKs do not send the event"),
  linkToSummary: z.boolean().describe("True if the session summary links to the event"),
  hideFromAi: z.boolean().describe("True if AI models do not see the event"),
});
export type EventFlags = z.output<typeof eventFlags>;

export const getEventConfig = defineRead({
  name: "getEventConfig",
  tool: null,
  path: "/api/v1/games/{slug}/event-config",
  summary: "Get the flags of all configured events of a game. SDKs request them at startup",
  tag: "games",
  names: { slug: "game" },
  keys: ["management", "ingest"],
  params: z.object({ slug: gameParam }),
  response: z.object({ events: z.record(z.string(), eventFlags).describe("Flags by event name") }),
  errors: ["not_found"],
});
