/** Requests the input of the gate: two builds, the changes between them, and the number of unanalyzed sessions. */
import type { Client } from "../../../client/client.ts";
import type * as builds from "../../../contract/builds.ts";
import type * as insights from "../../../contract/insights.ts";
import type * as history from "../../../contract/play-history.ts";
import type * as sessions from "../../../contract/sessions.ts";
import {
  addTitles,
  diffTags,
  type GateBuild,
  type TagChange,
  toGateBuild,
  toTagChanges,
} from "../../../gate/build-comparison.ts";
import { dropIncompleteHistory } from "../../../gate/complete-history.ts";
import type { GateConfig } from "../../../gate/config.ts";
import type { GateVerdict } from "../../../gate/verdict.ts";
import { fail } from "../../errors.ts";
import { explainMissingBuild } from "../builds/resolve.ts";
import type { Baseline } from "./baseline.ts";
import { fetchHistory } from "./fetch-history.ts";

export type GateClient = Client<{
  getBuild: typeof builds.getBuild;
  compareBuilds: typeof builds.compareBuilds;
  getBuildExposure: typeof history.getBuildExposure;
  listSessions: typeof sessions.listSessions;
  listInsights: typeof insights.listInsights;
}>;

/** Build b of a game, and the build or saved baseline to compare it with. */
export interface GateQuery {
  readonly game: string;
  readonly env: string | undefined;
  readonly a: string | Baseline;
  readonly b: string;
}

/** The builds and the changes between them. */
export interface GateComparison {
  readonly slug: string;
  readonly gameName: string;
  readonly environment: string;
  readonly a: GateBuild;
  readonly b: GateBuild;
  readonly changes: readonly TagChange[];
  readonly outcomes: GateVerdict["outcomes"];
  /** The response of the service: with a saved baseline, build b compared with itself. */
  readonly compared: builds.BuildComparison;
}

/** Requests the comparison. Throws `not_found` with the name of the missing build. */
export async function fetchComparison(
  client: GateClient,
  { game, env, a, b }: GateQuery,
  config: GateConfig,
): Promise<GateComparison> {
  const from = typeof a === "string" ? a : b;
  const compared = await client.compareBuilds({ game, a: from, b, env }).catch(async (error: unknown) => {
    throw await explainMissingBuild(error, client, game, [from, b]);
  });
  const { environment } = compared;
  const fetchExtras = async (version: string) => {
    const stats = needsStats(config) ? (await client.getBuild({ game, version })).rollup.stats : null;
    return { stats, ...(await fetchHistory(client, { game, version, env })) };
  };
  const buildB = toGateBuild(compared.buildB, await fetchExtras(b));
  const common = { slug: compared.game.slug, gameName: compared.game.name, environment, compared };
  if (typeof a === "string") {
    const buildA = toGateBuild(compared.buildA, await fetchExtras(a));
    const outcomes = selectOutcomes(compared);
    return { ...common, ...checkHistories(buildA, buildB, toTagChanges(compared)), outcomes };
  }
  if (a.game !== compared.game.slug || a.environment !== environment) {
    throw fail("config", {
      message: `The baseline was saved from ${a.game} in ${a.environment}, but the gate compares ${compared.game.slug} in ${environment}`,
      hint: "Save a baseline for this game and environment, or select those of the baseline with --game and --env.",
    });
  }
  if (buildB.byTag === null) {
    throw fail("config", {
      message: "This service does not report testers by tag, so a saved baseline cannot be compared",
      hint: "Use a build as the baseline.",
    });
  }
  const changes = addTitles(diffTags(a.build, buildB), compared);
  return { ...common, ...checkHistories(a.build, buildB, changes), outcomes: null };
}

const checkHistories = (a: GateBuild, b: GateBuild, changes: readonly TagChange[]) => ({
  a: dropIncompleteHistory(a, changes, "a"),
  b: dropIncompleteHistory(b, changes, "b"),
  changes,
});

function selectOutcomes({ buildA, buildB }: builds.BuildComparison): GateComparison["outcomes"] {
  return buildA.outcomes && buildB.outcomes ? { a: buildA.outcomes, b: buildB.outcomes } : null;
}

function needsStats({ limits }: GateConfig): boolean {
  return limits?.engagementRate !== undefined || limits?.medianActiveSec !== undefined;
}

/** Statuses of sessions that are not analyzed yet. */
const UNFINISHED_STATUSES = ["pending", "transcribing", "processing"] as const;

/** Whether a session with this status is not analyzed yet. */
export function isUnfinished(status: string): boolean {
  return UNFINISHED_STATUSES.some((unfinished) => unfinished === status);
}

/** The number of sessions of build b that are not analyzed yet. */
export async function countUnfinished(client: GateClient, { game, env, b }: GateQuery): Promise<number> {
  let count = 0;
  for (const status of UNFINISHED_STATUSES) {
    const environment = env === "all" ? undefined : (env ?? "production");
    const page = await client.listSessions({ game, build: b, env: environment, status, limit: 1 });
    count += page.total;
  }
  return count;
}
