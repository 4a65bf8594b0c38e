/** The builds of a game, in the order in which they were played. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, extensionField, orNull, page, unixMs } from "./fields.ts";
import { game } from "./games.ts";
import { defineResource, envFilter, listQuery, rangeFilters } from "./resource.ts";

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
  registeredAt: extensionField(orNull(unixMs)).describe(
    "Time of registration, which orders registered builds, unix ms; null if not registered",
  ),
});
export type ListedBuild = z.output<typeof listedBuild>;

export const registrations = ["registered", "unregistered"] as const;

export const buildListFilters = {
  env: envFilter,
  registration: {
    schema: z
      .enum(registrations)
      .optional()
      .describe("Only builds that are registered, or not (default: registered, if the game has such builds)"),
    flag: [
      "--registration <kind>",
      "registered or unregistered (default: registered, if the game has registered builds)",
    ],
  },
  ...rangeFilters("sessions recorded"),
} as const;

export const listBuilds = defineRead({
  name: "listBuilds",
  tool: "list_builds",
  path: "/api/v1/builds/{game}",
  summary: "List the builds of a game with their sessions and testers, the latest first",
  tag: "builds",
  extension: true,
  query: listQuery(buildListFilters),
  paged: true,
  response: page(listedBuild)
    .safeExtend({
      game,
      environment: z.string().describe("Environment of the counted sessions, or `all`"),
      unregistered: extensionField(
        count.describe("Builds with such sessions that are left out, because the game has registered builds"),
      ),
    })
    .describe(
      "Sorted by the time of registration, and unregistered builds by the median time of their sessions. Hidden builds and sessions without a version are left out",
    ),
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
    registeredAt: { header: "REGISTERED", kind: "time", wide: true },
    environments: {
      ...{ header: "ENVIRONMENTS", shrink: 2, groups: true },
      value: ({ environments }) => environments?.join(", "),
    },
  },
});
