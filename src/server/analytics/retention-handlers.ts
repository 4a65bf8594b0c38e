/** Retention by build. */
import { DEFAULT_ENV } from "../../contract/fields.ts";
import {
  DEFAULT_RETENTION_BUILDS,
  type getRetention,
  MAX_RETENTION_BUILDS,
} from "../../contract/retention.ts";
import type { Handler } from "../accounts/handler.ts";
import { findLastBuilds } from "../builds/order-queries.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import { requireKnownScope } from "../games/known-scope.ts";
import { countWithoutDevice, readDeviceSessions } from "./retention-queries.ts";
import { computeCohorts } from "./tester-retention.ts";

export const handleGetRetention: Handler<typeof getRetention> = async (input, { db, accountId, service }) => {
  const { env: environment = DEFAULT_ENV, last = DEFAULT_RETENTION_BUILDS } = input;
  const game = await requireGame(db, accountId, input.game);
  const scope = { gameId: game.id, environment, now: service.now() };
  await requireKnownScope(db, game.id, { env: environment });
  const builds = await findLastBuilds(db, scope, Math.min(last, MAX_RETENTION_BUILDS));
  const { devices, skipped } = await readDeviceSessions(db, scope);
  return {
    game: toGame(game),
    environment,
    cohorts: computeCohorts(devices, builds, scope.now),
    sessionsSkipped: skipped,
    withoutDevice: await countWithoutDevice(db, scope, builds),
  };
};
