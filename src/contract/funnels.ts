/** Funnels: how many testers reach each of several steps in order, by build or by variant. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { completeSince, count, orNull, text } from "./fields.ts";
import { buildFilter, envFilter, rangeQuery, requireOrderedRange } from "./filters.ts";
import { game } from "./games.ts";
import { shareInterval } from "./result-fields.ts";

export const MAX_FUNNEL_STEPS = 20;
/** The maximum number of groups: builds with the newest sessions, or variants. */
export const MAX_FUNNEL_GROUPS = 20;
/** What a step about a room begins with. */
export const ROOM_STEP = "room:";

const funnelStep = z.object({
  step: z.string().describe("Event name, or `room:` and the name of a room"),
  testers: count.describe("Who reached the step after all steps before it"),
  lost: count.describe("Who reached the previous step but not this one"),
  ofPrevious: orNull(z.number().min(0).max(1)).describe(
    "Share of the previous step; for the first one, of all testers",
  ),
  ofPreviousInterval: shareInterval.describe("95%"),
  ofFirst: orNull(z.number().min(0).max(1)).describe("Share of the first step"),
  ofFirstInterval: shareInterval.describe("95%"),
  medianSec: orNull(z.number()).describe("Median time since the previous step, in seconds"),
});
export type FunnelStep = z.output<typeof funnelStep>;

const funnelGroup = z.object({
  key: orNull(z.string()).describe("Build or variant"),
  testers: count.describe("All testers of the group"),
  steps: z.array(funnelStep),
});
export type FunnelGroup = z.output<typeof funnelGroup>;

export const getFunnel = defineRead({
  name: "getFunnel",
  tool: "get_funnel",
  path: "/api/v1/funnels/{game}",
  summary: "Count the testers who reach each step of a funnel in order, by build or by variant",
  tag: "events",
  extension: true,
  names: { build: "build", experiment: "experiment" },
  excludes: { by: ["experiment"], experiment: ["by"] },
  sample: { steps: "room:cellar" },
  query: requireOrderedRange(
    z.object({
      steps: text(1, 2000).describe(
        `Steps in order, separated by commas: event names, or room:NAME for entering a room. At most ${MAX_FUNNEL_STEPS}. A comma in a name is written \\,`,
      ),
      build: buildFilter.optional(),
      env: envFilter.optional().describe("Environment of the sessions, or `all` (default: production)"),
      by: z.enum(["build"]).optional().describe("Count each build separately (default: all together)"),
      experiment: text(1, 120).optional().describe("ID of an experiment: count each variant separately"),
      ...rangeQuery,
    }),
  ),
  response: z.object({
    game,
    environment: z.string(),
    completeSince,
    by: orNull(z.string()).describe("build, variant, or null"),
    sessions: z.object({
      total: count.describe("Sessions that match"),
      withoutEvents: count.describe("Without stored events, such as pruned ones"),
      unreadable: count.describe("With damaged events"),
    }),
    testers: z.object({
      total: count.describe(
        "A tester of several groups counts once. Without a device id, each session counts as one",
      ),
      skipped: count.describe("Left out of any group because of too many events"),
    }),
    groups: z.array(funnelGroup).describe(`At most ${MAX_FUNNEL_GROUPS}`),
    groupsOmitted: count.describe("Number of further groups"),
  }),
  reasons: { not_found: ["unknown_environment", "unknown_event", "unknown_room"] },
});
export type Funnel = z.output<typeof getFunnel.response>;
