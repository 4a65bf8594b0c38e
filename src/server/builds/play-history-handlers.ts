/** The play history of a build's testers. */

import { DEFAULT_ENV } from "../../contract/fields.ts";
import { type getBuildExposure, MAX_HISTORY_PAGE } from "../../contract/play-history.ts";
import { type Handler, pageEnd } from "../accounts/handler.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import { requireKnownScope } from "../games/known-scope.ts";
import { countTesters, findAnalysisVersions } from "./build-queries.ts";
import { readTesterHistory } from "./play-history-queries.ts";

export const handleGetBuildExposure: Handler<typeof getBuildExposure> = async (input, { db, accountId }) => {
  const { version, env: environment = DEFAULT_ENV, limit = MAX_HISTORY_PAGE, offset = 0 } = input;
  const game = await requireGame(db, accountId, input.game);
  await requireKnownScope(db, game.id, { build: version, env: input.env });
  const build = { gameId: game.id, version, environment };
  const page = { limit: Math.min(limit, MAX_HISTORY_PAGE), offset };
  const testers = await readTesterHistory(db, build, page);
  return {
    game: toGame(game),
    version,
    environment,
    analysisVersions: await findAnalysisVersions(db, build),
    testers,
    ...pageEnd(offset, testers.length, await countTesters(db, build)),
  };
};
