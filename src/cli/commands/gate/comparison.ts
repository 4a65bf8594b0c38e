/** Asks the service for what a gate judges: the two sides, the changes, and what is not analysed yet. */
import type { Client } from "../../../client/client.ts";
import type * as builds from "../../../contract/builds.ts";
import type * as insights from "../../../contract/insights.ts";
import type * as sessions from "../../../contract/sessions.ts";
import {
  diffTags,
  type GateBuild,
  type TagChange,
  toGateBuild,
  toTagChanges,
} from "../../../gate/build-comparison.ts";
import type { GateConfig } from "../../../gate/config.ts";
import { fail } from "../../errors.ts";
import { explainMissingBuild } from "../builds/resolve.ts";
import type { Baseline } from "./baseline.ts";

export type GateClient = Client<{
  getBuild: typeof builds.getBuild;
  compareBuilds: typeof builds.compareBuilds;
  listSessions: typeof sessions.listSessions;
  listInsights: typeof insights.listInsights;
}>;

/** What is gated: build b of a game against a build or a saved baseline. */
export interface GateQuery {
  readonly game: string;
  readonly env: string | undefined;
  readonly a: string | Baseline;
  readonly b: string;
}

/** What the service tells of it. */
export interface GateComparison {
  readonly slug: string;
  readonly gameName: string;
  readonly environment: string;
  readonly a: GateBuild;
  readonly b: GateBuild;
  readonly changes: readonly TagChange[];
}

/** Looks both sides up. Throws `not_found` naming the side that is missing. */
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
  const statsOf = async (version: string) =>
    needsStats(config) ? (await client.getBuild({ game, version })).rollup.stats : null;
  const sideB = toGateBuild(compared.buildB, await statsOf(b));
  const common = { slug: compared.game.slug, gameName: compared.game.name, environment, b: sideB };
  if (typeof a === "string") {
    return { ...common, a: toGateBuild(compared.buildA, await statsOf(a)), changes: toTagChanges(compared) };
  }
  if (a.game !== compared.game.slug || a.environment !== environment) {
    throw fail("config", {
      message: `The baseline is of ${a.game} in ${a.environment}, not of ${compared.game.slug} in ${environment}`,
      hint: "Save one of this game and environment, or name them with --game and --env.",
    });
  }
  if (sideB.byTag === null) {
    throw fail("config", {
      message: "The service tells no testers by tag, so a saved baseline cannot be compared",
      hint: "Name a build as the baseline instead.",
    });
  }
  return { ...common, a: a.side, changes: diffTags(a.side, sideB) };
}

function needsStats({ limits }: GateConfig): boolean {
  return limits?.engagementRate !== undefined || limits?.medianActiveSec !== undefined;
}

/** Statuses of sessions whose findings are still to come. */
const UNFINISHED_STATUSES = ["pending", "transcribing", "processing"] as const;

/** How many sessions of a build are not analysed yet. */
export async function countUnfinished(client: GateClient, { game, env, b }: GateQuery): Promise<number> {
  let count = 0;
  for (const status of UNFINISHED_STATUSES) {
    const environment = env === "all" ? undefined : (env ?? "production");
    const page = await client.listSessions({ game, build: b, env: environment, status, limit: 1 });
    count += page.total;
  }
  return count;
}
