/** The builds of a game, in the order in which they were played. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, gameParam, page, unixMs } from "./fields.ts";
import { game } from "./games.ts";
import { defineResource, envFilter, listQuery, rangeFilters } from "./resource.ts";

/** The maximum number of environments listed for one build. */
export const MAX_BUILD_ENVIRONMENTS = 20;

const listedBuild = z.object({
  version: z.string(),
  sessionCount: count,
  testerCount: count.describe("Number of testers. A session without a device id counts as its own tester"),
  analyzedCount: count.describe("Number of analyzed sessions"),
  failedCount: count.describe("Number of sessions whose analysis failed"),
  firstSeen: unixMs.describe("recordedAt of the first session, unix ms"),
  lastSeen: unixMs.describe("recordedAt of the last session, unix ms"),
  totalWallSec: count.describe("Wall time of all sessions, in seconds"),
  environments: z
    .array(z.string())
    .describe(
      `Environments of the counted sessions, the one with the most first. At most ${MAX_BUILD_ENVIRONMENTS}`,
    ),
});
export type ListedBuild = z.output<typeof listedBuild>;

export const buildListFilters = { env: envFilter, ...rangeFilters("sessions recorded") } as const;

export const listBuilds = defineRead({
  name: "listBuilds",
  tool: "list_builds",
  path: "/api/v1/builds/{game}",
  summary: "List the builds of a game with their sessions and testers, the one played last first",
  tag: "builds",
  extension: true,
  names: { game: "game" },
  params: z.object({ game: gameParam }),
  query: listQuery(buildListFilters),
  paged: true,
  response: page(listedBuild)
    .safeExtend({ game, environment: z.string().describe("Environment of the counted sessions, or `all`") })
    .describe("Sorted by the median time of the sessions. Sessions without a version are left out"),
  errors: ["not_found"],
  reasons: { not_found: ["unknown_environment"] },
});
export type BuildList = z.output<typeof listBuilds.response>;

/** A build in tables. Without a list of builds, the service does not report its testers and environments. */
const buildRow = listedBuild.partial({ testerCount: true, environments: true });
export type BuildRow = z.output<typeof buildRow>;

export const builds = defineResource({
  name: "builds",
  item: buildRow,
  id: "version",
  list: listBuilds,
  filters: buildListFilters,
  columns: {
    version: { header: "BUILD", shrink: 1, tone: "strong" },
    sessionCount: { header: "SESSIONS" },
    testerCount: { header: "TESTERS" },
    analyzedCount: { header: "ANALYZED" },
    failedCount: { header: "FAILED", tone: ({ failedCount }) => (failedCount > 0 ? "bad" : null) },
    totalWallSec: { header: "WALL TIME", kind: "duration" },
    firstSeen: { header: "FIRST SEEN", kind: "time", wide: true },
    lastSeen: { header: "LAST SEEN", kind: "time" },
    environments: {
      ...{ header: "ENVIRONMENTS", shrink: 2, groups: true },
      value: ({ environments }) => environments?.join(", "),
    },
  },
});
