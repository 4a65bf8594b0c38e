/** The facts of a build, and the scorecard of two: what their testers did. */
import { type getBuildFacts, MAX_TESTER_PAGE } from "../../contract/build-facts.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import type { getScorecard } from "../../contract/scorecard.ts";
import { readOptions } from "../../scorecard/options.ts";
import { type Handler, pageEnd } from "../accounts/handler.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import { requireKnownScope } from "../games/scope-queries.ts";
import { readFactsScope, readTesterFacts } from "./facts-queries.ts";
import { findBaselineEnd } from "./registration-queries.ts";
import { createFactsReader, scoreBuilds } from "./score-builds.ts";

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

export const handleGetScorecard: Handler<typeof getScorecard> = async (input, call) => {
  const { db, accountId, service } = call;
  const { env: environment = DEFAULT_ENV } = input;
  const game = await requireGame(db, accountId, input.game);
  for (const build of [input.a, input.b]) await requireKnownScope(db, game.id, { build });
  const { groups: _, ...scored } = await scoreBuilds(
    db,
    service,
    { ...input, gameId: game.id, environment },
    readOptions(input),
  );
  return { game: toGame(game), environment, ...scored.scorecard, ...scored.compared };
};
