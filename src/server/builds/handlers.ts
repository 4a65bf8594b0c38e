/** Builds: the rollup of one build, and the friction diff of two builds. */
import type { ComparedBuild, compareBuilds, getBuild } from "../../contract/builds.ts";
import { HttpError } from "../../contract/errors.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import { diffFriction } from "../../shared/friction-diff.ts";
import type { Handler } from "../accounts/handler.ts";
import { requireGame, toGame } from "../games/queries.ts";
import {
  type BuildFriction,
  buildExists,
  readBuildFriction,
  readBuildRollup,
  readBuildSummary,
} from "./queries.ts";

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
  for (const version of [input.a, input.b]) {
    if (!(await buildExists(db, game.id, version))) throw new HttpError("not_found");
  }
  const a = await readBuildFriction(db, game.id, input.a, environment);
  const b = await readBuildFriction(db, game.id, input.b, environment);
  return {
    game: toGame(game),
    environment,
    buildA: toComparedBuild(input.a, a),
    buildB: toComparedBuild(input.b, b),
    diff: diffFriction(a, b),
  };
};

function toComparedBuild(version: string, friction: BuildFriction): ComparedBuild {
  const testersInBatch = friction.testers;
  return {
    version,
    testersInBatch,
    sessionCount: friction.sessions,
    analysisVersions: [...friction.analysisVersions],
    byTag: friction.byTag.map(({ tag, testers, insights }) => ({
      tag,
      testersWithTag: testers,
      testersInBatch,
      pct: (testers / testersInBatch) * 100,
      insightCount: insights,
    })),
  };
}
