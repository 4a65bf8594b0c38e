/** Crashes that games reported, grouped by their stack signature. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { completeSince, count, orNull, page, unixMs } from "./fields.ts";
import { buildFilter, defineResource, listQuery, productionEnvFilter, rangeFilters } from "./resource.ts";

/** The maximum number of builds that a list shows for each group. */
export const MAX_CRASH_BUILDS = 10;

export const crashGroup = z.object({
  signature: z
    .string()
    .describe("The kind of crash and the top frames of the stack, or else the message without numbers"),
  message: orNull(z.string()).describe("Of the last crash"),
  crashCount: count,
  sessionCount: count.describe("Number of sessions that crashed"),
  testerCount: count.describe("Number of testers"),
  builds: z
    .array(z.object({ build: z.string(), crashCount: count, testerCount: count }))
    .describe(`The last one first; at most ${MAX_CRASH_BUILDS}`),
  buildCount: count.describe("Number of builds"),
  firstSeen: unixMs.describe("When the first session that crashed started, unix ms"),
  lastSeen: unixMs.describe("When the last session that crashed started, unix ms"),
  firstBuild: z.string(),
  lastBuild: z.string(),
  sessionId: z.string().describe("The session with the event of the last crash"),
  eventId: z.string().describe("ID of the event of the last crash"),
});
export type CrashGroup = z.output<typeof crashGroup>;

const crashFilters = {
  build: buildFilter,
  env: productionEnvFilter,
  ...rangeFilters("sessions recorded", { describe: "sessions recorded", since: true }),
} as const;

export const listCrashes = defineRead({
  name: "listCrashes",
  tool: "list_crashes",
  path: "/api/v1/crashes/{game}",
  summary: "List crashes grouped by stack signature, with their testers and builds",
  tag: "sessions",
  extension: true,
  names: { build: "build" },
  paged: true,
  query: listQuery(crashFilters),
  response: page(crashGroup).extend({
    environment: z.string(),
    crashCount: count.describe("Number of crashes in all groups"),
    testerCount: count.describe("Number of testers with a crash in any group"),
    testersInScope: count.describe("Number of testers who played, with or without a crash"),
    completeSince,
    notGrouped: z
      .object({
        pruned: count.describe("Number of sessions whose events pruning removed"),
        damaged: count.describe("Number of sessions whose events cannot be read"),
        unread: count.describe("Older sessions. Filter by build or time to read them"),
      })
      .describe("Sessions with crashes that are in no group"),
  }),
  reasons: { not_found: ["unknown_environment"] },
});
export type CrashPage = z.output<typeof listCrashes.response>;

function describeBuilds({ builds, buildCount }: CrashGroup): string {
  const listed = builds.map(({ build, crashCount }) => `${build} (${crashCount})`).join(", ");
  return buildCount > builds.length ? `${listed}, +${buildCount - builds.length}` : listed;
}

export const crashes = defineResource({
  name: "crashes",
  item: crashGroup,
  list: listCrashes,
  filters: crashFilters,
  columns: {
    testerCount: { header: "TESTERS" },
    crashCount: { header: "CRASHES" },
    signature: { header: "SIGNATURE", shrink: 2, minWidth: 16, last: true, tone: "strong" },
    builds: { header: "BUILDS (CRASHES)", value: describeBuilds, shrink: 1 },
    sessionId: { header: "SESSION", kind: "id" },
    lastSeen: { header: "LAST SEEN", kind: "time", wide: true },
    message: { header: "MESSAGE", shrink: 4, wide: true },
    sessionCount: { header: "SESSIONS", wide: true },
    firstSeen: { header: "FIRST SEEN", kind: "time", wide: true },
    firstBuild: { header: "FIRST BUILD", wide: true, link: "build" },
    eventId: { header: "EVENT", wide: true },
  },
  command: {
    path: "crashes list",
    summary: "List crashes grouped by stack signature, those of most testers first",
    details:
      "Groups the `crash_reported` events by the kind of crash and the top 3 frames of the stack that do not belong to the engine " +
      "or the system. Addresses, line numbers and parameters do not matter. Crashes without a stack are grouped by the " +
      "words of the message without numbers. A crash that the game reported at its next start counts for the session that " +
      "crashed.\n\nSESSION contains the event of the last crash: `playtest sessions events <session> --event crash_reported` shows it. " +
      "Errors after which the game continued (`application_error`) are not listed.",
    examples: ["crashes list --game ember", "crashes list --build 0.9.0 --env all --since 7d --json"],
    empty: "",
  },
  page: {
    title: "Crashes",
    columns: ["signature", "testerCount", "crashCount", "builds", "lastSeen", "firstBuild"],
    caption: "Crashes by stack signature. Each row leads to the session with the last crash",
    empty: "",
  },
});
