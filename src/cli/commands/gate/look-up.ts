/** Asks the service for what a gate judges: the two sides, the changes, and what is not analysed yet. */
import type { Client } from "../../../client/client.ts";
import type * as builds from "../../../contract/builds.ts";
import type * as insights from "../../../contract/insights.ts";
import type * as sessions from "../../../contract/sessions.ts";
import type { GateConfig } from "../../../gate/config.ts";
import { changesBetween, changesOf, type Side, sideOf, type TagChange } from "../../../gate/sides.ts";
import { fail } from "../../errors.ts";
import { missingSide } from "../builds/resolve.ts";
import type { Baseline } from "./baseline.ts";

export type GateClient = Client<{
  getBuild: typeof builds.getBuild;
  compareBuilds: typeof builds.compareBuilds;
  listSessions: typeof sessions.listSessions;
  listInsights: typeof insights.listInsights;
}>;

/** What is gated: build b of a game against a build or a saved baseline. */
export interface Asked {
  readonly game: string;
  readonly env: string | undefined;
  readonly a: string | Baseline;
  readonly b: string;
}

/** What the service tells of it. */
export interface Found {
  readonly slug: string;
  readonly gameName: string;
  readonly environment: string;
  readonly a: Side;
  readonly b: Side;
  readonly changes: readonly TagChange[];
}

/** Looks both sides up. Throws `not_found` naming the side that is missing. */
export async function lookUp(
  client: GateClient,
  { game, env, a, b }: Asked,
  config: GateConfig,
): Promise<Found> {
  const from = typeof a === "string" ? a : b;
  const compared = await client.compareBuilds({ game, a: from, b, env }).catch(async (error: unknown) => {
    throw await missingSide(error, client, game, [from, b]);
  });
  const { environment } = compared;
  const statsOf = async (version: string) =>
    needsStats(config) ? (await client.getBuild({ game, version })).rollup.stats : null;
  const sideB = sideOf(compared.buildB, await statsOf(b));
  const common = { slug: compared.game.slug, gameName: compared.game.name, environment, b: sideB };
  if (typeof a === "string") {
    return { ...common, a: sideOf(compared.buildA, await statsOf(a)), changes: changesOf(compared) };
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
  return { ...common, a: a.side, changes: changesBetween(a.side, sideB) };
}

function needsStats({ limits }: GateConfig): boolean {
  return limits?.engagementRate !== undefined || limits?.medianActiveSec !== undefined;
}

/** Statuses of sessions whose findings are still to come. */
const UNFINISHED = ["pending", "transcribing", "processing"] as const;

/** How many sessions of a build are not analysed yet. */
export async function unfinishedOf(client: GateClient, { game, env, b }: Asked): Promise<number> {
  let count = 0;
  for (const status of UNFINISHED) {
    const environment = env === "all" ? undefined : (env ?? "production");
    const page = await client.listSessions({ game, build: b, env: environment, status, limit: 1 });
    count += page.total;
  }
  return count;
}
