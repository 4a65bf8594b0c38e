/** The status of a game: what happened in its latest build. */
import { compareBuilds } from "../../charts/scorecard.ts";
import { type BuildFigures, describeOutcomes, describeProblem, measureBuild } from "../../charts/status.ts";
import { summarizeComparison } from "../../charts/verdict.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import type { RowEvidence } from "../../contract/scorecard.ts";
import {
  findRecentStart,
  type getStatus,
  MAX_STATUS_PROBLEMS,
  NO_PLAY,
  type Status,
} from "../../contract/status.ts";
import { toMoment } from "../../contract/verdict.ts";
import { type BuildScorecard, compareBuildFacts } from "../../scorecard/build-scorecard.ts";
import type { ReadFacts } from "../../scorecard/facts.ts";
import { DEFAULT_OPTIONS } from "../../scorecard/options.ts";
import { describeUnplayed } from "../../shared/build-words.ts";
import type { Handler } from "../accounts/handler.ts";
import type { Db } from "../db/schema.ts";
import { findQuestions } from "../feedback/form-queries.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import { requireKnownScope } from "../games/scope-queries.ts";
import { describeTag } from "../insights/describe-tag.ts";
import { countSessions } from "../sessions/event-sum-queries.ts";
import type { BuildScope } from "./build-queries.ts";
import { compareTwoBuilds } from "./comparison.ts";
import { createPlainReader, readBuildGroup } from "./facts-queries.ts";
import {
  type BuildOrderScope,
  findComparedBefore,
  findLastBuilds,
  hasUnregistered,
  MAX_BUILDS_BEFORE,
} from "./order-queries.ts";
import { rankBuildProblems } from "./problem-queries.ts";
import { findBaselineEnd } from "./registration-queries.ts";
import { readRoomNames } from "./room-queries.ts";
import { readRowEvidence, selectEvidenceRows } from "./row-evidence-queries.ts";
import { countOutdated, hasSessions, readBuildPlay } from "./status-queries.ts";

export const handleGetStatus: Handler<typeof getStatus> = async (input, call) => {
  const { db, accountId, service } = call;
  const { env: environment = DEFAULT_ENV } = input;
  const game = await requireGame(db, accountId, input.game);
  await requireKnownScope(db, game.id, { build: input.build, env: input.env });
  const now = service.now();
  const order = { gameId: game.id, environment, now };
  const builds = await findLastBuilds(db, order, input.build === undefined ? 2 : MAX_BUILDS_BEFORE);
  const version = input.build ?? builds.at(-1);
  const since = findRecentStart(now);
  const recentSessions = await countSessions(db, { gameId: game.id, environment, from: since });
  const common = { game: toGame(game), environment, recentSessions };
  if (version === undefined || !(await hasSessions(db, { gameId: game.id, version, environment })))
    return { ...common, ...NO_PLAY, noBuild: await explainNoBuild(db, order, version) };
  const compared = await findComparedBefore(db, order, builds, version);
  const before = compared?.version;
  const scopeOf = (build: string): BuildScope => ({ gameId: game.id, version: build, environment });
  const scopeBefore =
    before === undefined
      ? null
      : {
          ...scopeOf(before),
          receivedBefore: await findBaselineEnd(db, game.id, { a: before, b: version }),
        };
  const reader = createPlainReader(now);
  const b = await readBuildGroup(db, scopeOf(version), reader);
  const figures = measureBuild(b);
  const a = scopeBefore === null ? null : await readBuildGroup(db, scopeBefore, reader);
  const scorecard = a === null ? null : compareBuildFacts(a, b, DEFAULT_OPTIONS);
  return {
    ...common,
    build: await describeBuild(db, scopeOf(version), b, figures),
    verdict:
      scopeBefore === null || scorecard === null
        ? null
        : await readVerdict(db, common, { a: scopeBefore, b: scopeOf(version), scorecard }),
    noBuild: null,
    skipped: [...(compared?.skipped ?? [])],
    fixFirst: await readProblems(db, scopeOf(version), figures),
    mostQuit: await nameRoom(db, scopeOf(version), figures.mostQuit),
    ...describeOutcomes(figures, scorecard?.rows ?? null),
  };
};

/** Why the game has no latest build, if others than the registered ones were played. */
async function explainNoBuild(
  db: Db,
  order: BuildOrderScope,
  version: string | undefined,
): Promise<string | null> {
  const isUnplayed = version === undefined && (await hasUnregistered(db, order));
  return isUnplayed ? describeUnplayed(order.environment) : null;
}

/** Names a room as the game does. */
async function nameRoom(db: Db, build: BuildScope, most: Status["mostQuit"]): Promise<Status["mostQuit"]> {
  if (most === null) return null;
  const names = await readRoomNames(db, build);
  return { ...most, room: names.get(most.room) ?? most.room };
}

async function describeBuild(
  db: Db,
  scope: BuildScope,
  { sessions: { unanalyzed, failed, failure } }: ReadFacts,
  { crashes }: BuildFigures,
): Promise<Status["build"]> {
  return {
    version: scope.version,
    ...(await readBuildPlay(db, scope)),
    ...{ crashes, unanalyzed, failed, failure: failure ?? null },
    ...(await countOutdated(db, scope)),
  };
}

/** Two builds, and what their scorecard shows. */
interface ScoredPair {
  readonly a: BuildScope;
  readonly b: BuildScope;
  readonly scorecard: BuildScorecard;
}

async function readVerdict(
  db: Db,
  { game, environment }: Pick<Status, "game" | "environment">,
  { a, b, scorecard }: ScoredPair,
): Promise<Status["verdict"]> {
  const { buildA, buildB, diff } = await compareTwoBuilds(db, a, b);
  const evidence: RowEvidence[] = await readRowEvidence(db, b, selectEvidenceRows(scorecard.rows));
  const view = compareBuilds({
    ...{ game: game.slug, environment, scorecard, changes: diff.changes },
    a: { version: a.version, testers: buildA.testersInBatch },
    b: { version: b.version, testers: buildB.testersInBatch },
  });
  return summarizeComparison(view, evidence);
}

async function readProblems(db: Db, build: BuildScope, figures: BuildFigures): Promise<Status["fixFirst"]> {
  const ranked = await rankBuildProblems(db, build, figures.problems);
  const shown = ranked.slice(0, MAX_STATUS_PROBLEMS);
  const evidence = await readRowEvidence(db, build, shown);
  const questions = await findQuestions(db, build.gameId);
  const titles = new Map(shown.map(({ id }) => [id, describeTag(id, questions).label]));
  return shown.map((problem, at) => ({
    ...describeProblem(problem, figures, titles),
    sessions: (evidence[at]?.sessions ?? []).map(toMoment),
  }));
}
