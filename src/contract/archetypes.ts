/** Archetypes: testers grouped by how alike their summaries are. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, gameParam, openEnum } from "./fields.ts";
import { envFilter } from "./filters.ts";

/** Why there are no archetypes. */
export const archetypeReasons = ["requires_byo_key", "insufficient_data", "api_error"] as const;

/** Fewer testers with summaries are not grouped. */
export const MIN_ARCHETYPE_TESTERS = 5;

export const archetype = z.object({
  id: z.string(),
  label: z.string(),
  testerCount: count,
  commonFrictionTags: z.array(z.string()).describe("Met by at least half of its testers"),
  avgSessionCount: z.number().describe("Mean sessions a tester"),
  avgActivePlayMinutes: z.number().describe("Mean minutes of active play a tester"),
  representativeTesters: z.array(z.object({ handle: z.string(), summary: z.string() })),
});
export type Archetype = z.output<typeof archetype>;

export const getTesterArchetypes = defineRead({
  name: "getTesterArchetypes",
  tool: "get_tester_archetypes",
  path: "/api/v1/testers/{game}/archetypes",
  summary: "The kinds of testers a game has, by their summaries",
  tag: "testers",
  names: { game: "game" },
  params: z.object({ game: gameParam }),
  query: z.object({
    env: envFilter.optional().describe("Environment of the summaries, default production"),
  }),
  response: z.object({
    archetypes: z.array(archetype),
    testerCount: count.describe("Testers with summaries"),
    modelId: z.string().describe("The embedding model; empty without a key"),
    reason: openEnum(archetypeReasons).optional(),
  }),
  errors: ["not_found"],
});
export type TesterArchetypes = z.output<typeof getTesterArchetypes.response>;
