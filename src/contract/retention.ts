/** Retention: how many testers of each build came back on a later day. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, orNull } from "./fields.ts";
import { envFilter, lastBuilds } from "./filters.ts";
import { game } from "./games.ts";
import { shareInterval } from "./result-fields.ts";

/** The default and the maximum number of builds. */
export const DEFAULT_RETENTION_BUILDS = 10;
export const MAX_RETENTION_BUILDS = 50;

const retentionDay = z.object({
  day: z.int().describe("Number of days after the first session"),
  eligible: count.describe("Testers for whom this day is over"),
  retained: count.describe("Of these, testers with a session on this day"),
  rate: orNull(z.number().min(0).max(1)).describe(
    "retained divided by eligible. Null if nobody is eligible yet",
  ),
  interval: shareInterval.describe("95% Wilson interval of rate"),
});

const retentionCohort = z.object({
  build: z.string().describe("Build of the first session of the testers"),
  testers: count.describe("Testers with a device id whose first session is of this build"),
  days: z.array(retentionDay),
});
export type RetentionCohort = z.output<typeof retentionCohort>;

export const getRetention = defineRead({
  name: "getRetention",
  tool: null,
  path: "/api/v1/retention/{game}",
  summary: "Show how many testers came back after 1, 2 and 7 days, by the build of their first session",
  tag: "testers",
  extension: true,
  query: z.object({
    env: envFilter.optional().describe("Environment of the sessions, or `all` (default: production)"),
    last: lastBuilds(DEFAULT_RETENTION_BUILDS, MAX_RETENTION_BUILDS),
  }),
  response: z.object({
    game,
    environment: z.string(),
    cohorts: z
      .array(retentionCohort)
      .describe("From the oldest build to the newest, without builds that nobody played first"),
    sessionsSkipped: count.describe("Sessions that were not read, because the game has too many"),
    withoutDevice: count.describe(
      "Sessions of these builds without a device id, whose testers are not known",
    ),
  }),
  reasons: { not_found: ["unknown_environment"] },
});
export type Retention = z.output<typeof getRetention.response>;
