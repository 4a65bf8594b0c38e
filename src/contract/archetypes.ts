/** Archetypes: groups of testers with similar summaries. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, openEnum } from "./fields.ts";
import { envFilter } from "./filters.ts";
import { tagTitles } from "./result-fields.ts";

export const archetypeReasons = ["requires_byo_key", "insufficient_data", "api_error"] as const;

/** The minimum number of testers with summaries. */
export const MIN_ARCHETYPE_TESTERS = 5;

export const archetype = z.object({
  id: z.string(),
  label: z.string().describe("Short description of the group"),
  testerCount: count,
  commonFrictionTags: z
    .array(z.string())
    .describe("Friction tags of at least half of the testers in the group"),
  commonFrictionTitles: tagTitles,
  avgSessionCount: z.number().describe("Mean number of sessions per tester"),
  avgActivePlayMinutes: z.number().describe("Mean active time per tester, in minutes"),
  representativeTesters: z.array(z.object({ handle: z.string(), summary: z.string() })),
});
export type Archetype = z.output<typeof archetype>;

export const getTesterArchetypes = defineRead({
  name: "getTesterArchetypes",
  tool: "get_tester_archetypes",
  path: "/api/v1/testers/{game}/archetypes",
  summary: "Group the testers of a game by the similarity of their summaries",
  tag: "testers",
  query: z.object({
    env: envFilter.optional().describe("Environment of the summaries, or `all` (default: production)"),
  }),
  response: z.object({
    archetypes: z.array(archetype),
    testerCount: count.describe("Number of testers with summaries"),
    modelId: z.string().describe("Embedding model. Empty if the account has no AI key"),
    reason: openEnum(archetypeReasons).optional().describe("Why there are no archetypes"),
  }),
});
export type TesterArchetypes = z.output<typeof getTesterArchetypes.response>;
