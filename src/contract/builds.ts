/** Builds: the totals of one version, and the friction diff between two. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, extensionField, gameParam, openEnum, orNull, pathText, text, unixMs } from "./fields.ts";
import { envFilter } from "./filters.ts";
import { game } from "./games.ts";
import { stats, tagTitle } from "./result-fields.ts";

export const buildRollup = z.object({
  version: z.string(),
  sessionCount: count,
  uniqueDevices: count,
  firstSeen: unixMs.describe("recordedAt of the first session, unix ms"),
  lastSeen: unixMs.describe("recordedAt of the last session, unix ms"),
  stats,
  testerCount: extensionField(
    count.describe("Number of testers. A session without a device id counts as its own tester"),
  ),
  environments: extensionField(
    z.array(z.string()).describe("Environments of the sessions, the one with the most first. At most 20"),
  ),
  sampleCountry: orNull(z.string()).describe("Most frequent country, as an ISO 3166 alpha-2 code"),
});
export type BuildRollup = z.output<typeof buildRollup>;

const narrative = z.object({
  narrative: z.string(),
  generatedAt: unixMs.describe("Time of creation, unix ms"),
});

/** The reason of a 404 for a build that is registered and has no sessions yet. */
export const NOT_PLAYED = "not_played";

export const getBuild = defineRead({
  name: "getBuild",
  tool: "get_build_summary",
  path: "/api/v1/builds/{game}/{version}",
  summary: "Get the totals of a build (sessions, devices, play time) and its stored summary",
  tag: "builds",
  names: { version: "build" },
  params: z.object({ game: gameParam, version: pathText.describe("Build version") }),
  query: z.object({
    env: envFilter.optional().describe("Environment of the summary, or `all` (default: production)"),
  }),
  response: z.object({
    game,
    rollup: buildRollup,
    summary: orNull(narrative).describe("Null if no summary is stored"),
  }),
  reasons: { not_found: [NOT_PLAYED] },
});

export const changeKinds = ["resolved", "got_smaller", "carried_over", "got_larger", "introduced"] as const;

const tagCount = z.object({
  tag: z.string(),
  testersWithTag: count,
  testersInBatch: count,
  pct: z.number().describe("Share of testers with the tag, in percent"),
  insightCount: count,
});

const comparedBuild = z.object({
  version: z.string(),
  testersInBatch: count.describe("Number of testers of the build in the environment"),
  sessionCount: extensionField(count),
  analysisVersions: extensionField(z.array(count).describe("Versions of the analysis, ascending")),
  testersWithoutDevice: extensionField(
    count.describe("Number of sessions without a device id, each of which counts as a tester"),
  ),
  byTag: extensionField(z.array(tagCount)),
});
export type ComparedBuild = z.output<typeof comparedBuild>;

export const change = z.object({
  kind: openEnum(changeKinds),
  tag: z.string(),
  title: tagTitle,
  deltaPct: z.number().describe("Share in b minus share in a, in percentage points"),
  testersA: extensionField(count.describe("Testers with the tag in a")),
  testersB: extensionField(count.describe("Testers with the tag in b")),
});
export type BuildChange = z.output<typeof change>;

export const buildParam = text(1, 200);

export const compareBuilds = defineRead({
  name: "compareBuilds",
  tool: "compare_builds",
  path: "/api/v1/builds/compare",
  summary: "Compare the friction of two builds, by the share of testers per tag",
  tag: "builds",
  names: { game: "game", a: "build", b: "build" },
  query: z.object({
    game: text(1, 200).describe("Game ID or slug"),
    a: buildParam.describe("Baseline build"),
    b: buildParam.describe("Build to compare with the baseline"),
    env: envFilter.optional().describe("Environment of both builds, or `all` (default: production)"),
  }),
  response: z.object({
    game,
    environment: z.string(),
    buildA: comparedBuild,
    buildB: comparedBuild,
    diff: z.object({
      changes: z.array(change),
      totals: z.object({
        resolved: count,
        gotSmaller: count,
        carriedOver: count,
        gotLarger: count,
        introduced: count,
      }),
    }),
  }),
});
export type BuildComparison = z.output<typeof compareBuilds.response>;
/** The two builds of a comparison and the changes between them. */
export type ComparedPair = Pick<BuildComparison, "buildA" | "buildB" | "diff">;
