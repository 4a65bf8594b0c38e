/** The status of a game, in one request to a service that computes it, and otherwise from what the API document has. */
import { compareBuilds } from "../../../charts/scorecard.ts";
import { describeOutcomes, describeProblem, measureBuild } from "../../../charts/status.ts";
import { summarizeComparison } from "../../../charts/verdict.ts";
import type { AnnouncingClient } from "../../../client/client.ts";
import { readPairFacts } from "../../../client/scorecard.ts";
import type { ComparedBuild } from "../../../contract/builds.ts";
import * as builds from "../../../contract/builds.ts";
import { DEFAULT_ENV } from "../../../contract/fields.ts";
import {
  findRecentStart,
  getStatus,
  MAX_STATUS_PROBLEMS,
  NO_PLAY,
  type Status,
} from "../../../contract/status.ts";
import { toMoment } from "../../../contract/verdict.ts";
import { compareBuildFacts } from "../../../scorecard/build-scorecard.ts";
import { DEFAULT_OPTIONS } from "../../../scorecard/options.ts";
import { isCommon, type ProblemCounts, rankProblems } from "../../../scorecard/problems.ts";
import type { Context } from "../../context.ts";
import { translateError } from "../../translate-error.ts";
import { comparisonEndpoints } from "../builds/endpoints.ts";
import { toEnvFilter } from "../builds/find-build.ts";
import { createBuildScope, resolveBuild, resolvePair } from "../builds/resolve.ts";
import { readNewestEvidence } from "../gate/evidence.ts";

export const statusEndpoints = { getStatus, ...comparisonEndpoints };
type StatusClient = AnnouncingClient<typeof statusEndpoints>;

/** The game, build and environment that were asked for. Without a build, the latest. */
export interface StatusQuery {
  readonly game: string;
  readonly build: string | undefined;
  readonly env: string | undefined;
}

/** Throws ClientError, and `not_found` if the build is not known. */
export async function readStatus(
  context: Context,
  client: StatusClient,
  query: StatusQuery,
): Promise<Status> {
  const scope = createBuildScope(context, query.game, query.env);
  if (await client.announces(getStatus.name)) return await client.getStatus(query);
  const version = query.build ?? toKnown(await orNull(resolveBuild(client, scope, "latest")));
  const from = findRecentStart(context.io.now());
  const { game, env } = query;
  const recent = await client.listSessions({ game, env: toEnvFilter(query), from, limit: 1 });
  const common = {
    game: { ...NO_GAME, slug: game },
    environment: env ?? DEFAULT_ENV,
    recentSessions: recent.total,
  };
  if (version === null) return { ...common, ...NO_PLAY };
  const pair = await orNull(resolvePair(client, scope, { a: "previous", b: version }));
  return await buildStatus(context, client, query, { before: toKnown(pair?.a ?? null), version, common });
}

const NO_GAME = { id: "", userId: "", name: "", createdAt: 0 };

/** The result, or null if what was asked for does not exist. */
const orNull = <T>(result: Promise<T>): Promise<T | null> =>
  result.catch((error: unknown) => {
    if (translateError(error)?.code === "not_found") return null;
    throw error;
  });

/** Null for a version that no request can name. */
const toKnown = (version: string | null): string | null =>
  builds.buildParam.safeParse(version).success ? version : null;

interface Known {
  readonly before: string | null;
  readonly version: string;
  readonly common: Pick<Status, "game" | "environment" | "recentSessions">;
}

async function buildStatus(
  context: Context,
  client: StatusClient,
  { game, env }: StatusQuery,
  { before, version, common }: Known,
): Promise<Status> {
  const pair = { game, env, a: before ?? version, b: version };
  const compared = await client.compareBuilds(pair);
  const read = await readPairFacts(client, pair);
  const figures = typeof read === "string" ? null : measureBuild(read.b);
  const ranked = figures === null ? listTagged(compared.buildB) : figures.problems;
  const problems = ranked.slice(0, MAX_STATUS_PROBLEMS);
  const evidence = await readNewestEvidence(
    context,
    client,
    pair,
    problems.filter(({ name }) => name === "friction"),
  );
  const sessionsOf = new Map(evidence.map(({ metric, sessions: found }) => [metric, found]));
  const scorecard = typeof read === "string" ? read : compareBuildFacts(read.a, read.b, DEFAULT_OPTIONS);
  const { rollup } = await client.getBuild({ game, version, env });
  const titles = new Map(compared.diff.changes.map(({ tag, title }) => [tag, title ?? tag]));
  const sizes = figures ?? { testers: compared.buildB.testersInBatch };
  const view = compareBuilds({
    ...{ game: compared.game.slug, environment: compared.environment, scorecard },
    changes: compared.diff.changes,
    a: { version: compared.buildA.version, testers: compared.buildA.testersInBatch },
    b: { version: compared.buildB.version, testers: compared.buildB.testersInBatch },
  });
  return {
    ...common,
    game: compared.game,
    environment: compared.environment,
    build: {
      version,
      testers: compared.buildB.testersInBatch,
      sessions: compared.buildB.sessionCount ?? rollup.sessionCount,
      lastPlayedAt: rollup.lastSeen,
      medianSec: rollup.stats.medianWallSec,
      crashes: figures?.crashes ?? null,
      unanalyzed: typeof read === "string" ? null : read.b.sessions.unanalyzed,
      failed: typeof read === "string" ? null : read.b.sessions.failed,
    },
    verdict: before === null ? null : summarizeComparison(view, evidence),
    fixFirst: problems.map((problem) => ({
      ...describeProblem(problem, sizes, titles),
      sessions: (sessionsOf.get(problem.metric) ?? []).map(toMoment),
    })),
    mostQuit: figures?.mostQuit ?? null,
    ...(figures === null
      ? { rating: null, completed: null }
      : describeOutcomes(figures, before === null || typeof scorecard === "string" ? null : scorecard.rows)),
  };
}

/** The friction tags of a build as the document counts them: among all of its testers. */
function listTagged({ byTag }: Pick<ComparedBuild, "byTag">): ProblemCounts[] {
  const problems = (byTag ?? []).map(({ tag, testersWithTag, testersInBatch }) => ({
    ...{ id: tag, metric: `friction:${tag}`, name: "friction", subject: tag },
    testers: testersWithTag,
    outOf: testersInBatch,
  }));
  return rankProblems(problems.filter(isCommon), () => 1);
}
