/** Retention by build. */
import { DEFAULT_ENV } from "../../contract/fields.ts";
import {
  DEFAULT_RETENTION_BUILDS,
  type getRetention,
  MAX_RETENTION_BUILDS,
  type RetentionCohort,
} from "../../contract/retention.ts";
import { groupBy } from "../../shared/group-by.ts";
import type { Handler } from "../accounts/handler.ts";
import { findLastBuilds } from "../builds/order-queries.ts";
import { computeRetention } from "../experiments/player-retention.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import { requireKnownScope } from "../games/scope-queries.ts";
import { countWithoutDevice, type DeviceSessions, readDeviceSessions } from "./retention-queries.ts";

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

/** The cohorts of these builds, in their order. Builds that no device played first are left out. */
export function computeCohorts(
  devices: readonly DeviceSessions[],
  builds: readonly string[],
  now: number,
): RetentionCohort[] {
  const byBuild = groupBy(devices, ({ firstBuild }) => firstBuild);
  return builds.flatMap((build) => {
    const testers = byBuild.get(build)?.map(({ playedAt }) => ({ firstAt: playedAt[0] ?? 0, playedAt }));
    if (testers === undefined) return [];
    const days = computeRetention(testers, now).map(({ rate, eligible, ...day }) => ({
      ...day,
      eligible,
      rate: eligible === 0 ? null : rate,
    }));
    return [{ build, testers: testers.length, days }];
  });
}
