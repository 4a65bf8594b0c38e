/** Compares the friction of two builds as the API document defines it: by the share of all testers who have each tag. */
import type { BuildComparison, ComparedBuild } from "../../contract/builds.ts";
import { diffFriction } from "../../shared/friction-diff.ts";
import type { Db } from "../db/schema.ts";
import { findQuestions } from "../feedback/form-queries.ts";
import { describeTag } from "../insights/describe-tag.ts";
import { type BuildFriction, type BuildScope, readBuildFriction } from "./build-queries.ts";

/** Compares two builds of one game in one environment. */
export async function compareTwoBuilds(
  db: Db,
  a: BuildScope,
  b: BuildScope,
): Promise<Pick<BuildComparison, "buildA" | "buildB" | "diff">> {
  const [inA, inB] = [await readBuildFriction(db, a), await readBuildFriction(db, b)];
  const { changes, totals } = diffFriction(inA, inB);
  const questions = await findQuestions(db, a.gameId);
  return {
    buildA: toComparedBuild(a.version, inA),
    buildB: toComparedBuild(b.version, inB),
    diff: {
      changes: changes.map(({ kind, tag, ...counts }) => ({
        kind,
        tag,
        title: describeTag(tag, questions).label,
        ...counts,
      })),
      totals,
    },
  };
}

function toComparedBuild(version: string, friction: BuildFriction): ComparedBuild {
  const { testers: testersInBatch, sessions, analysisVersions, withoutDevice, byTag } = friction;
  return {
    version,
    testersInBatch,
    sessionCount: sessions,
    analysisVersions: [...analysisVersions],
    testersWithoutDevice: withoutDevice,
    byTag: byTag.map(({ tag, testers, insights }) => ({
      tag,
      testersWithTag: testers,
      testersInBatch,
      pct: (testers / testersInBatch) * 100,
      insightCount: insights,
    })),
  };
}
