/** Event config: what SDKs do with each event, and what events mean in a game. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { gameParam } from "./fields.ts";

/** What a game may say that an event tells of the player. */
export const eventMeanings = ["failure", "success", "giving-up"] as const;
export type EventMeaning = (typeof eventMeanings)[number];

export const eventFlags = z.object({
  sdkIgnore: z.boolean().describe("The SDK does not send it"),
  linkToSummary: z.boolean().describe("The session summary links to it"),
  hideFromAi: z.boolean().describe("The analysis by a model does not see it"),
});
export type EventFlags = z.output<typeof eventFlags>;

export const getEventConfig = defineRead({
  name: "getEventConfig",
  tool: null,
  path: "/api/v1/games/{slug}/event-config",
  summary: "The flags of each event that a game has set, which SDKs read when they start",
  tag: "games",
  names: { slug: "game" },
  keys: ["management", "ingest"],
  params: z.object({ slug: gameParam }),
  response: z.object({ events: z.record(z.string(), eventFlags) }),
  errors: ["not_found"],
});
