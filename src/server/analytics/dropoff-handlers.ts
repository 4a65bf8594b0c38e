/** The drop-off of a build. */
import type { getBuildDropoff } from "../../contract/dropoff.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import { hasTimedSessions } from "../../scorecard/timed-sessions.ts";
import type { Handler } from "../accounts/handler.ts";
import { createPlainReader, readBuildGroup } from "../builds/facts-queries.ts";
import { readRoomNames } from "../builds/room-queries.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import { requireKnownScope } from "../games/scope-queries.ts";
import { countDropoff } from "./dropoff.ts";

export const handleGetBuildDropoff: Handler<typeof getBuildDropoff> = async (input, call) => {
  const { db, accountId, service } = call;
  const { version, env: environment = DEFAULT_ENV } = input;
  const game = await requireGame(db, accountId, input.game);
  await requireKnownScope(db, game.id, { build: version, env: environment });
  const scope = { gameId: game.id, version, environment };
  const names = await readRoomNames(db, scope);
  const { group, sessions } = await readBuildGroup(db, scope, createPlainReader(service.now()));
  return {
    ...{ game: toGame(game), version, environment, sessions },
    testers: group.testers.length,
    hasTimedSessions: hasTimedSessions(group),
    rooms: countDropoff(group.testers, names),
  };
};
