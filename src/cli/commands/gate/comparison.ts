/** Requests the input of the gate: two builds, and the scorecard of what their testers did. */
import { type ScorecardView, viewComparison } from "../../../charts/scorecard.ts";
import type { AnnouncingClient } from "../../../client/client.ts";
import { readComparison, readDiff, readOptionalFacts, readPairFacts } from "../../../client/scorecard.ts";
import type { PairComparison, RowEvidence } from "../../../contract/scorecard.ts";
import type { GateRules } from "../../../gate/config.ts";
import type { GateBuild, GateInput } from "../../../gate/gate-input.ts";
import { toScorecardOptions } from "../../../gate/judge.ts";
import { hasMaximum } from "../../../gate/metric-rules.ts";
import { compareBuildFacts, type GroupScope } from "../../../scorecard/build-scorecard.ts";
import { fail } from "../../errors.ts";
import type { comparisonEndpoints } from "../builds/endpoints.ts";
import { explainMissing } from "../builds/resolve.ts";
import type { Baseline } from "./baseline.ts";

export type GateClient = AnnouncingClient<typeof comparisonEndpoints>;

/** Build b of a game, and the build or saved baseline to compare it with. */
export interface GateQuery {
  readonly game: string;
  readonly env: string | undefined;
  readonly a: string | Baseline;
  readonly b: string;
  /** What the words for its builds were resolved to, one sentence each. */
  readonly notes?: readonly string[];
}

export interface GateComparison {
  readonly slug: string;
  readonly gameName: string;
  readonly environment: string;
  readonly a: GateBuild;
  readonly b: GateBuild;
  readonly isSaved: boolean;
  /** What the words for the builds were resolved to. */
  readonly notes: readonly string[];
  /** Sessions of b that still receive events, or have ended and are not analyzed yet. */
  readonly unfinished: number;
  /** Whether the service selects the sessions behind what is worse. */
  readonly selectsEvidence: boolean;
  /** Compares the builds at the level of a run; by default at that of the rules. */
  compareAt(level?: number): Promise<PairComparison>;
}

/** Requests the comparison. Throws `not_found` with the name of the missing build. */
export async function fetchComparison(
  client: GateClient,
  query: GateQuery,
  config: GateRules,
): Promise<GateComparison> {
  const { game, env, a, b, notes = [] } = query;
  const isSaved = typeof a !== "string";
  const needsFacts = isSaved || config.limits !== undefined || hasMaximum(config);
  const known = needsFacts ? await readFacts(client, query) : null;
  const compareAt = async (level?: number) => {
    const options = toScorecardOptions(config, level);
    const pair = { game, env, a: isSaved ? b : a, b };
    const compared =
      known === null
        ? await readComparison(client, pair, options)
        : await readDiff(client, pair, async () =>
            typeof known === "string" ? known : compareBuildFacts(known.a, known.b, options),
          );
    return isSaved ? { ...compared, a: { version: a.version, testers: a.testers } } : compared;
  };
  const first = await compareAt().catch(explainMissing(client, game, isSaved ? [b] : [a, b]));
  if (isSaved) checkBaselineScope(a, first);
  const { scorecard } = first;
  const toBuild = async (side: "a" | "b"): Promise<CountedBuild> => {
    const { version, testers } = first[side];
    // Texts of the service name no build in a request.
    const requested = { game, env, version: side === "b" ? b : isSaved ? a.version : a };
    const own = typeof scorecard === "string" ? null : scorecard[side];
    const counts = own?.sessions ?? (await countSessions(client, query, requested.version));
    return {
      version,
      testers: own?.testers ?? testers,
      ended: counts.analyzed + counts.unanalyzed + counts.failed,
      ...{ analyzed: counts.analyzed, unfinished: counts.open + counts.unanalyzed },
      facts: known === null || typeof known === "string" ? null : known[side].group,
      stats: own === null && needsStats(config) ? (await client.getBuild(requested)).rollup.stats : null,
    };
  };
  const { unfinished: _, ...before } = await toBuild("a");
  const { unfinished, ...after } = await toBuild("b");
  const { environment } = first;
  return {
    ...{ slug: first.game.slug, gameName: first.game.name, environment, isSaved, unfinished, notes },
    ...{ a: before, b: after, selectsEvidence: first.evidence !== null },
    compareAt: async (level) => (level === undefined ? first : await compareAt(level)),
  };
}

type CountedBuild = GateBuild & Pick<GateComparison, "unfinished">;

/** What each tester did, which limits and saved baselines need; or why it is not known. */
async function readFacts(client: GateClient, { game, env, a, b }: GateQuery) {
  if (typeof a === "string") return await readPairFacts(client, { game, a, b, env });
  const after = await readOptionalFacts(client, { game, version: b, env });
  if (typeof after !== "string") return { a: a.facts, b: after };
  throw fail("config", {
    message: "This service does not report what each tester did, so a saved baseline cannot be compared",
    hint: "Use a build as the baseline.",
  });
}

/** The sessions of a build by the state of their analysis, where the service does not report what each tester did. */
async function countSessions(
  client: Pick<GateClient, "listSessions">,
  { game, env }: Pick<GateQuery, "game" | "env">,
  build: string,
): Promise<GroupScope["sessions"]> {
  const environment = env === "all" ? undefined : (env ?? "production");
  const count = async (status?: "analyzed" | "failed") =>
    (await client.listSessions({ game, build, env: environment, status, limit: 1 })).total;
  const [total, analyzed, failed] = [await count(), await count("analyzed"), await count("failed")];
  return { open: 0, analyzed, unanalyzed: Math.max(0, total - analyzed - failed), failed };
}

/** Throws `config` if a baseline was saved from another game or environment. */
export function checkBaselineScope(
  saved: Baseline,
  { game: { slug }, environment }: Pick<PairComparison, "game" | "environment">,
): void {
  if (saved.game === slug && saved.environment === environment) return;
  throw fail("config", {
    message: `The baseline was saved from ${saved.game} in ${saved.environment}, but the gate compares ${slug} in ${environment}`,
    hint: "Save a baseline for this game and environment, or select those of the baseline with --game and --env.",
  });
}

function needsStats({ limits }: GateRules): boolean {
  return limits?.engagementRate !== undefined || limits?.medianActiveSec !== undefined;
}

/** What the gate judges, and what the service selected as evidence. */
export interface ShownGateInput extends GateInput {
  readonly view: ScorecardView;
  readonly evidence: readonly RowEvidence[] | null;
}

/** What the gate judges. `level` is the significance level of this run among repeated ones. */
export async function toGateInput(
  { slug: game, environment, a, b, isSaved, notes: named, compareAt }: GateComparison,
  config: GateRules,
  now: number,
  level?: number,
): Promise<ShownGateInput> {
  const compared = await compareAt(level);
  const view = viewComparison(compared, toScorecardOptions(config).newRooms);
  const { scorecard } = view;
  const notes = [...named, ...view.notes];
  // The service did not compare b with the baseline.
  const rows = isSaved ? view.rows.map((row) => ({ ...row, kind: null })) : view.rows;
  const input = { game, environment, a, b, rows, scorecard, notes, config, now };
  const shown = { ...input, view, evidence: compared.evidence };
  return level === undefined ? shown : { ...shown, level };
}
