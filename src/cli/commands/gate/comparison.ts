/** Requests the input of the gate: two builds, and the scorecard of what their testers did. */

import { compareBuilds, type ScorecardView } from "../../../charts/scorecard.ts";
import { readComparedFacts, readOptionalFacts } from "../../../client/build-facts.ts";
import type { Client } from "../../../client/client.ts";
import type * as facts from "../../../contract/build-facts.ts";
import type * as builds from "../../../contract/builds.ts";
import type * as insights from "../../../contract/insights.ts";
import type * as sessions from "../../../contract/sessions.ts";
import type { GateRules } from "../../../gate/config.ts";
import type { GateBuild, GateInput } from "../../../gate/gate-input.ts";
import { toScorecardOptions } from "../../../gate/judge.ts";
import type { ComparedFacts, ReadFacts } from "../../../scorecard/facts.ts";
import { fail } from "../../errors.ts";
import { explainMissingBuild } from "../builds/resolve.ts";
import type { Baseline } from "./baseline.ts";

export type GateClient = Client<{
  getBuild: typeof builds.getBuild;
  compareBuilds: typeof builds.compareBuilds;
  getBuildFacts: typeof facts.getBuildFacts;
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

/** What is known of the two builds before their scorecard is computed at the level of a run. */
export interface GateComparison {
  readonly slug: string;
  readonly gameName: string;
  readonly environment: string;
  readonly a: GateBuild;
  readonly b: GateBuild;
  /** The response of the service: with a saved baseline, build b compared with itself. */
  readonly compared: builds.BuildComparison;
  readonly isSaved: boolean;
  /** Sessions of b that still receive events, or have ended and are not analyzed yet. */
  readonly unfinished: number;
  readonly facts: ComparedFacts;
}

/** Requests the comparison. Throws `not_found` with the name of the missing build. */
export async function fetchComparison(
  client: GateClient,
  { game, env, a, b }: GateQuery,
  config: GateRules,
): Promise<GateComparison> {
  const from = typeof a === "string" ? a : b;
  const compared = await client.compareBuilds({ game, a: from, b, env }).catch(async (error: unknown) => {
    throw await explainMissingBuild(error, client, game, [from, b]);
  });
  const { environment, buildA, buildB } = compared;
  const scope = { slug: compared.game.slug, gameName: compared.game.name, environment, compared };
  const read =
    typeof a === "string"
      ? await readComparedFacts(client.getBuildFacts, { game, a, b, env })
      : await readWithBaseline(client, { game, env, a, b }, scope);
  const known = typeof read === "string" ? null : read;
  const toBuild = async (build: builds.ComparedBuild, side: "a" | "b"): Promise<CountedBuild> => {
    const { version } = build;
    const own = known?.[side] ?? null;
    const counts = own?.sessions ?? (await countSessions(client, { game, env, version }));
    const ended = counts.analyzed + counts.unanalyzed + counts.failed;
    return {
      version,
      testers: own?.group.testers.length ?? build.testersInBatch,
      ...{ ended, analyzed: counts.analyzed, unfinished: counts.open + counts.unanalyzed },
      facts: own?.group ?? null,
      stats:
        own === null && needsStats(config) ? (await client.getBuild({ game, version })).rollup.stats : null,
    };
  };
  const before =
    typeof a === "string" ? buildA : { ...buildA, version: a.version, testersInBatch: a.testers };
  const isSaved = typeof a !== "string";
  const { unfinished: _, ...first } = await toBuild(before, "a");
  const { unfinished, ...second } = await toBuild(buildB, "b");
  return { ...scope, isSaved, unfinished, a: first, b: second, facts: read };
}

type CountedBuild = GateBuild & Pick<GateComparison, "unfinished">;

/** The sessions of a build by the state of their analysis, where the service does not report what each tester did. */
async function countSessions(
  client: Pick<GateClient, "listSessions">,
  {
    game,
    env,
    version: build,
  }: { readonly game: string; readonly env: string | undefined; readonly version: string },
): Promise<ReadFacts["sessions"]> {
  const environment = env === "all" ? undefined : (env ?? "production");
  const count = async (status?: "analyzed" | "failed") =>
    (await client.listSessions({ game, build, env: environment, status, limit: 1 })).total;
  const [total, analyzed, failed] = [await count(), await count("analyzed"), await count("failed")];
  return { open: 0, analyzed, unanalyzed: Math.max(0, total - analyzed - failed), failed };
}

/** The facts of a saved baseline and of build b. Throws `config` if they cannot be compared. */
async function readWithBaseline(
  client: GateClient,
  { game, env, a, b }: GateQuery & { readonly a: Baseline },
  { slug, environment }: Pick<GateComparison, "slug" | "environment">,
): Promise<ComparedFacts> {
  if (a.game !== slug || a.environment !== environment) {
    throw fail("config", {
      message: `The baseline was saved from ${a.game} in ${a.environment}, but the gate compares ${slug} in ${environment}`,
      hint: "Save a baseline for this game and environment, or select those of the baseline with --game and --env.",
    });
  }
  const after = await readOptionalFacts(client.getBuildFacts, { game, version: b, env });
  if (typeof after !== "string") return { a: a.facts, b: after };
  throw fail("config", {
    message: "This service does not report what each tester did, so a saved baseline cannot be compared",
    hint: "Use a build as the baseline.",
  });
}

function needsStats({ limits }: GateRules): boolean {
  return limits?.engagementRate !== undefined || limits?.medianActiveSec !== undefined;
}

/** What the gate judges. `level` is the significance level of this run among repeated ones. */
export function toGateInput(
  { slug: game, environment, a, b, compared, isSaved, facts }: GateComparison,
  config: GateRules,
  now: number,
  level?: number,
): GateInput & { readonly view: ScorecardView } {
  const known = typeof facts === "string" ? null : facts;
  const { buildA, buildB, diff } = compared;
  const view = compareBuilds(
    {
      ...{ game, environment, changes: diff.changes },
      // The first line says how many testers there are, and the rules count those that are compared.
      a: {
        version: a.version,
        testers: a.version === buildA.version ? buildA.testersInBatch : a.testers,
        facts: known?.a ?? null,
      },
      b: { version: b.version, testers: buildB.testersInBatch, facts: known?.b ?? null },
      unknown: typeof facts === "string" ? facts : null,
    },
    toScorecardOptions(config, level),
  );
  const { scorecard, notes } = view;
  // The service did not compare b with the baseline.
  const rows = isSaved ? view.rows.map((row) => ({ ...row, kind: null })) : view.rows;
  const input = { game, environment, a, b, rows, scorecard, notes, config, now };
  return level === undefined ? { ...input, view } : { ...input, level, view };
}
