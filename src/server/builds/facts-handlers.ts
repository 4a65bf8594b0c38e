/** The facts of a build, and the scorecard of two: what their testers did. */
import { type getBuildFacts, MAX_TESTER_PAGE } from "../../contract/build-facts.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import type { getScorecard } from "../../contract/scorecard.ts";
import { compareBuildFacts } from "../../scorecard/build-scorecard.ts";
import { readOptions } from "../../scorecard/options.ts";
import { type Handler, pageEnd } from "../accounts/handler.ts";
import { readKeyedHasher } from "../db/keyed-hash.ts";
import type { Db } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import { requireKnownScope } from "../games/scope-queries.ts";
import type { BuildScope } from "./build-queries.ts";
import { compareTwoBuilds } from "./comparison.ts";
import type { FactsReader } from "./describe-facts.ts";
import { readBuildGroup, readFactsScope, readTesterFacts } from "./facts-queries.ts";
import { findBaselineEnd } from "./registration-queries.ts";
import { readRowEvidence, selectEvidenceRows } from "./row-evidence-queries.ts";

export const handleGetBuildFacts: Handler<typeof getBuildFacts> = async (input, call) => {
  const { db, accountId, service } = call;
  const {
    version,
    comparedWith,
    env: environment = DEFAULT_ENV,
    limit = MAX_TESTER_PAGE,
    offset = 0,
  } = input;
  const game = await requireGame(db, accountId, input.game);
  await requireKnownScope(db, game.id, { build: version, env: input.env });
  await requireKnownScope(db, game.id, { build: comparedWith });
  const receivedBefore =
    comparedWith === undefined
      ? undefined
      : await findBaselineEnd(db, game.id, { a: version, b: comparedWith });
  const build = { gameId: game.id, version, environment, receivedBefore };
  const reader = await createFactsReader(db, service, game.id);
  const { total, ...scope } = await readFactsScope(db, build, reader.now);
  const page = { limit: Math.min(limit, MAX_TESTER_PAGE), offset };
  const facts = await readTesterFacts(db, build, page, reader);
  return {
    game: toGame(game),
    version,
    environment,
    ...scope,
    ...facts,
    ...pageEnd(offset, facts.testers.length, total),
  };
};

/** A tester has the same hash in all builds of a game, and another one in other games. */
async function createFactsReader(
  db: Db,
  { now }: Pick<Service, "now">,
  gameId: string,
): Promise<FactsReader> {
  const hash = await readKeyedHasher(db);
  return { now: now(), hash: (device) => hash(JSON.stringify(["tester", gameId, device])) };
}

export const handleGetScorecard: Handler<typeof getScorecard> = async (input, call) => {
  const { db, accountId, service } = call;
  const { env: environment = DEFAULT_ENV } = input;
  const game = await requireGame(db, accountId, input.game);
  for (const build of [input.a, input.b]) await requireKnownScope(db, game.id, { build });
  const reader = await createFactsReader(db, service, game.id);
  const scopeOf = (version: string): BuildScope => ({ gameId: game.id, version, environment });
  const scopeA = { ...scopeOf(input.a), receivedBefore: await findBaselineEnd(db, game.id, input) };
  const scopeB = scopeOf(input.b);
  const a = await readBuildGroup(db, scopeA, reader);
  const b = input.a === input.b ? a : await readBuildGroup(db, scopeB, reader);
  const scorecard = compareBuildFacts(a, b, readOptions(input));
  const { buildA, buildB, diff } = await compareTwoBuilds(db, scopeA, scopeB);
  return {
    ...{ game: toGame(game), environment, ...scorecard },
    testersInBatch: { a: buildA.testersInBatch, b: buildB.testersInBatch },
    changes: diff.changes,
    evidence: await readRowEvidence(db, scopeB, selectEvidenceRows(scorecard.rows)),
  };
};
