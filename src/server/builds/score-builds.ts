/** The scorecard of two builds, with everything that readers of it need. */
import type { BuildsScorecard } from "../../contract/scorecard.ts";
import { type BuildScorecard, compareBuildFacts } from "../../scorecard/build-scorecard.ts";
import type { ReadFacts } from "../../scorecard/facts.ts";
import type { ScorecardOptions } from "../../scorecard/scorecard.ts";
import { readKeyedHasher } from "../db/keyed-hash.ts";
import type { Db } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import type { BuildScope } from "./build-queries.ts";
import { compareTwoBuilds } from "./comparison.ts";
import type { FactsReader } from "./describe-facts.ts";
import { readBuildGroup } from "./facts-queries.ts";
import { findBaselineEnd } from "./registration-queries.ts";
import { readRowEvidence, selectEvidenceRows } from "./row-evidence-queries.ts";

/** A tester has the same hash in all builds of a game, and another one in other games. */
export async function createFactsReader(
  db: Db,
  { now }: Pick<Service, "now">,
  gameId: string,
): Promise<FactsReader> {
  const hash = await readKeyedHasher(db);
  return { now: now(), hash: (device) => hash(JSON.stringify(["tester", gameId, device])) };
}

/** Two builds of a game in an environment, or `all`. */
export interface ScoredPair {
  readonly gameId: string;
  readonly environment: string;
  readonly a: string;
  readonly b: string;
}

interface ScoredBuilds {
  readonly groups: { readonly a: ReadFacts; readonly b: ReadFacts };
  readonly scorecard: BuildScorecard;
  readonly compared: Pick<BuildsScorecard, "testersInBatch" | "changes" | "evidence">;
}

/** Compares what the testers of two builds did. Sessions of a that were received after b was registered are left out. */
export async function scoreBuilds(
  db: Db,
  service: Pick<Service, "now">,
  { gameId, environment, ...pair }: ScoredPair,
  options: ScorecardOptions,
): Promise<ScoredBuilds> {
  const reader = await createFactsReader(db, service, gameId);
  const scopeOf = (version: string): BuildScope => ({ gameId, version, environment });
  const scopeA = { ...scopeOf(pair.a), receivedBefore: await findBaselineEnd(db, gameId, pair) };
  const scopeB = scopeOf(pair.b);
  const a = await readBuildGroup(db, scopeA, reader);
  const b = pair.a === pair.b ? a : await readBuildGroup(db, scopeB, reader);
  const scorecard = compareBuildFacts(a, b, options);
  const { buildA, buildB, diff } = await compareTwoBuilds(db, scopeA, scopeB);
  return {
    groups: { a, b },
    scorecard,
    compared: {
      testersInBatch: { a: buildA.testersInBatch, b: buildB.testersInBatch },
      changes: diff.changes,
      evidence: await readRowEvidence(db, scopeB, selectEvidenceRows(scorecard.rows)),
    },
  };
}
