/** Trends of a row of the scorecard, or of another metric, over the last builds. */
import { DEFAULT_ENV } from "../../contract/fields.ts";
import {
  DEFAULT_TREND_BUILDS,
  DEFAULT_TREND_METRIC,
  type getTrend,
  MAX_TREND_BUILDS,
  metricTitles,
  type TrendMetric,
  type TrendPoint,
} from "../../contract/trends.ts";
import type { Handler } from "../accounts/handler.ts";
import type { BuildScope } from "../builds/build-queries.ts";
import { findAnalysisVersions } from "../builds/build-queries.ts";
import { findLastBuilds } from "../builds/order-queries.ts";
import type { Db } from "../db/schema.ts";
import { findQuestions } from "../feedback/form-queries.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import { requireKnownScope } from "../games/scope-queries.ts";
import { countReportsOfOthers, findCrashedSessions, readMetricSessions } from "./metric-queries.ts";
import { computeSessionMetric, toShare } from "./metrics.ts";
import { computeCohorts } from "./retention-handlers.ts";
import { readDeviceSessions } from "./retention-queries.ts";
import { trackRow } from "./trend-rows.ts";

export const handleGetTrend: Handler<typeof getTrend> = async (input, { db, accountId, service }) => {
  const { tag, env: environment = DEFAULT_ENV, last = DEFAULT_TREND_BUILDS } = input;
  const game = await requireGame(db, accountId, input.game);
  const order = { gameId: game.id, environment, now: service.now() };
  await requireKnownScope(db, game.id, { env: environment });
  const builds = await findLastBuilds(db, order, Math.min(last, MAX_TREND_BUILDS));
  const scopes = builds.map((version) => ({ gameId: game.id, version, environment }));
  if (tag !== undefined) {
    const questions = await findQuestions(db, game.id);
    const row = { id: tag, questions, now: service.now() };
    return { game: toGame(game), environment, ...(await trackRow(db, scopes, row)) };
  }
  const metric = input.metric ?? DEFAULT_TREND_METRIC;
  const tracked =
    metric === "day-1"
      ? await trackReturns(db, scopes, order)
      : { points: await trackMetric(db, scopes, metric) };
  const unit = metric === "session-length" ? "seconds" : "share";
  return {
    game: toGame(game),
    environment,
    tag: null,
    title: metricTitles[metric],
    metric,
    unit,
    ...tracked,
  };
};

async function trackMetric(
  db: Db,
  scopes: readonly BuildScope[],
  metric: Exclude<TrendMetric, "day-1">,
): Promise<TrendPoint[]> {
  const points: TrendPoint[] = [];
  for (const scope of scopes) {
    const sessions = await readMetricSessions(db, scope);
    const crashes =
      metric === "crash-free"
        ? {
            crashed: await findCrashedSessions(db, scope),
            reportsOfOthers: await countReportsOfOthers(db, scope),
          }
        : { crashed: new Set<string>(), reportsOfOthers: new Map<string, number>() };
    points.push({
      build: scope.version,
      testers: new Set(sessions.map(({ tester }) => tester)).size,
      sessions: sessions.length,
      ...computeSessionMetric(metric, sessions, crashes),
      analysisVersions: await findAnalysisVersions(db, scope),
    });
  }
  return points;
}

/** Day 1 retention by the build of the first session, as `testers retention` shows it. */
async function trackReturns(
  db: Db,
  scopes: readonly BuildScope[],
  order: { readonly gameId: string; readonly environment: string; readonly now: number },
): Promise<{ readonly points: TrendPoint[]; readonly sessionsSkipped: number }> {
  const { devices, skipped } = await readDeviceSessions(db, order);
  const builds = scopes.map(({ version }) => version);
  const cohorts = new Map(computeCohorts(devices, builds, order.now).map((cohort) => [cohort.build, cohort]));
  const points: TrendPoint[] = [];
  for (const scope of scopes) {
    const sessions = await readMetricSessions(db, scope);
    const day = cohorts.get(scope.version)?.days.find(({ day }) => day === 1);
    points.push({
      build: scope.version,
      testers: new Set(sessions.map(({ tester }) => tester)).size,
      sessions: sessions.length,
      ...toShare(day?.retained ?? 0, day?.eligible ?? 0),
      analysisVersions: await findAnalysisVersions(db, scope),
    });
  }
  return { points, sessionsSkipped: skipped };
}
