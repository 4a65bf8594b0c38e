/** The drop-off of a build. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { getBuildDropoff } from "../../contract/dropoff.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import { hasTimedSessions } from "../../scorecard/timed-sessions.ts";
import { runStepsInTurns } from "../../statistics/steps.ts";
import type { Handler } from "../accounts/handler.ts";
import { createPlainReader, readBuildGroup } from "../builds/facts-queries.ts";
import { readRoomNames } from "../builds/room-queries.ts";
import { DeferredResponse } from "../core/responses.ts";
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
  // No other request waits for the transaction of this one.
  return new DeferredResponse(async () => {
    const reader = createPlainReader(service.now());
    const { group, sessions } = await readBuildGroup(service.store, scope, reader);
    return {
      ...{ game: toGame(game), version, environment, sessions },
      testers: group.testers.length,
      hasTimedSessions: hasTimedSessions(group),
      rooms: await runStepsInTurns(countDropoff(group.testers, names), nextTurn),
    };
  });
};
