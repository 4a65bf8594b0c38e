/** Builds: the rollup of one build, and the comparison of two builds. */
import type { compareBuilds, getBuild } from "../../contract/builds.ts";
import { HttpError } from "../../contract/errors.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import type { Handler } from "../accounts/handler.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import { requireKnownScope } from "../games/known-scope.ts";
import { readBuildRollup, readBuildSummary } from "./build-queries.ts";
import { compareTwoBuilds } from "./comparison.ts";

export const handleGetBuild: Handler<typeof getBuild> = async (input, { db, accountId }) => {
  const game = await requireGame(db, accountId, input.game);
  const rollup = await readBuildRollup(db, game.id, input.version);
  if (!rollup) throw new HttpError("not_found");
  const summary = await readBuildSummary(db, game.id, input.version, input.env ?? DEFAULT_ENV);
  return { game: toGame(game), rollup, summary };
};

export const handleCompareBuilds: Handler<typeof compareBuilds> = async (input, { db, accountId }) => {
  const game = await requireGame(db, accountId, input.game);
  const environment = input.env ?? DEFAULT_ENV;
  for (const build of [input.a, input.b]) await requireKnownScope(db, game.id, { build });
  const scope = { gameId: game.id, environment };
  const [a, b] = [
    { ...scope, version: input.a },
    { ...scope, version: input.b },
  ];
  return { game: toGame(game), environment, ...(await compareTwoBuilds(db, a, b)) };
};
