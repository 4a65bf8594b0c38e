/** Compares two builds: their friction, how many testers could meet each tag, and their outcomes. */
import type { BuildComparison, BuildOutcomes, ComparedBuild } from "../../contract/builds.ts";
import { diffFriction } from "../../shared/friction-diff.ts";
import type { Db } from "../db/schema.ts";
import { findQuestions } from "../feedback/form-queries.ts";
import { describeTag } from "../insights/describe-tag.ts";
import { type BuildAnswers, readAnswers } from "./answer-queries.ts";
import type { BuildScope } from "./build-queries.ts";
import { readBuildFriction } from "./build-queries.ts";
import { type BuildData, type CountExposed, listTagRooms, readExposed } from "./exposed-testers.ts";
import { compareOutcomes } from "./outcomes.ts";
import { readRoomTesters } from "./room-queries.ts";

/** Compares two builds of one game in one environment. */
export async function compareTwoBuilds(
  db: Db,
  scopeA: BuildScope,
  scopeB: BuildScope,
): Promise<Pick<BuildComparison, "buildA" | "buildB" | "diff">> {
  const [a, b] = [await readBuildData(db, scopeA), await readBuildData(db, scopeB)];
  const tagRooms = listTagRooms([a, b]);
  const [exposedA, exposedB] = [await readExposed(db, a, tagRooms), await readExposed(db, b, tagRooms)];
  const outcomes = compareOutcomes(a, b);
  const { changes, totals } = diffFriction(a.friction, b.friction);
  const questions = await findQuestions(db, scopeA.gameId);
  return {
    buildA: toComparedBuild(a, exposedA, outcomes.a),
    buildB: toComparedBuild(b, exposedB, outcomes.b),
    diff: {
      changes: changes.map(({ kind, tag, ...counts }) => ({
        kind,
        tag,
        title: describeTag(tag, questions).label,
        ...counts,
        testersExposedA: exposedA(tag),
        testersExposedB: exposedB(tag),
      })),
      totals,
    },
  };
}

/** The friction tags of one build, with the testers who have each and those who could meet it. */
export async function readBuildTags(db: Db, scope: BuildScope): Promise<BuildTag[]> {
  const build = await readBuildData(db, scope);
  return listTags(build, await readExposed(db, build, listTagRooms([build])));
}

async function readBuildData(db: Db, scope: BuildScope): Promise<BuildData & BuildAnswers> {
  const friction = await readBuildFriction(db, scope);
  return { scope, friction, rooms: await readRoomTesters(db, scope), ...(await readAnswers(db, scope)) };
}

function toComparedBuild(
  build: BuildData,
  countExposed: CountExposed,
  outcomes: BuildOutcomes,
): ComparedBuild {
  const { scope, friction } = build;
  return {
    version: scope.version,
    testersInBatch: friction.testers,
    sessionCount: friction.sessions,
    analysisVersions: [...friction.analysisVersions],
    testersWithoutDevice: friction.withoutDevice,
    byTag: listTags(build, countExposed),
    outcomes,
  };
}

type BuildTag = NonNullable<ComparedBuild["byTag"]>[number] & { readonly testersExposed: number };

function listTags({ friction }: Pick<BuildData, "friction">, countExposed: CountExposed): BuildTag[] {
  const testersInBatch = friction.testers;
  return friction.byTag.map(({ tag, testers, insights }) => ({
    tag,
    testersWithTag: testers,
    testersInBatch,
    pct: (testers / testersInBatch) * 100,
    insightCount: insights,
    testersExposed: countExposed(tag),
  }));
}
