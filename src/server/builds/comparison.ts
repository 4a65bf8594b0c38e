/** Compares two builds: their friction, how many testers could meet each tag, and their outcomes. */
import type { BuildComparison, BuildOutcomes, ComparedBuild } from "../../contract/builds.ts";
import { findTagQuestion, findTagRoom } from "../../shared/exposure.ts";
import { diffFriction } from "../../shared/friction-diff.ts";
import type { Db } from "../db/schema.ts";
import { findQuestions } from "../feedback/questions.ts";
import { describeTag } from "../insights/describe-tag.ts";
import { readRatings } from "./answer-queries.ts";
import type { BuildScope } from "./build-scope.ts";
import { type BuildCounts, readBuildCounts } from "./count-queries.ts";
import { compareOutcomes } from "./outcomes.ts";
import { type BuildFriction, frictionKinds, toBuildFriction } from "./queries.ts";
import { listRoomTesters, type RoomTesters, roomKinds } from "./rooms.ts";

/** What the counters say about one of the builds. */
interface BuildData {
  readonly scope: BuildScope;
  readonly friction: BuildFriction;
  readonly rooms: readonly RoomTesters[];
  readonly counts: BuildCounts;
}

/** The number of testers of a build who could meet a tag. */
type CountExposed = (tag: string) => number;

/** Compares two builds of one game in one environment. */
export async function compareTwoBuilds(
  db: Db,
  scopeA: BuildScope,
  scopeB: BuildScope,
): Promise<Pick<BuildComparison, "buildA" | "buildB" | "diff">> {
  const [a, b] = [await readBuildData(db, scopeA), await readBuildData(db, scopeB)];
  const tagRooms = listTagRooms([a, b]);
  const [exposedA, exposedB] = [countExposed(a, tagRooms), countExposed(b, tagRooms)];
  const outcomes = compareOutcomes(
    { rooms: a.rooms, ratings: await readRatings(db, scopeA) },
    { rooms: b.rooms, ratings: await readRatings(db, scopeB) },
  );
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
  return listTags(build, countExposed(build, listTagRooms([build])));
}

const exposureKinds = ["tag_room", "tag_elsewhere", "question"] as const;

export async function readBuildData(db: Db, scope: BuildScope): Promise<BuildData> {
  const counts = await readBuildCounts(db, scope, [...frictionKinds, ...roomKinds, ...exposureKinds]);
  return { scope, friction: toBuildFriction(counts), rooms: listRoomTesters(counts), counts };
}

/** The rooms of all builds compared, as tags name them. */
export function listTagRooms(builds: readonly Pick<BuildData, "counts">[]): ReadonlySet<string> {
  return new Set(builds.flatMap(({ counts }) => [...counts.list("tag_room").keys()]));
}

/** Counts the testers who could meet a tag: those who entered its room or have the tag, if it is about a room. */
export function countExposed(
  { friction, counts }: Pick<BuildData, "friction" | "counts">,
  tagRooms: ReadonlySet<string>,
): CountExposed {
  return (tag) => {
    const question = findTagQuestion(tag);
    if (question !== null) return counts.get("question", question);
    const room = findTagRoom(tag, tagRooms);
    if (room === null) return friction.testers;
    return counts.get("tag_room", room) + counts.get("tag_elsewhere", tag);
  };
}

function toComparedBuild(build: BuildData, exposed: CountExposed, outcomes: BuildOutcomes): ComparedBuild {
  const { scope, friction } = build;
  return {
    version: scope.version,
    testersInBatch: friction.testers,
    sessionCount: friction.sessions,
    analysisVersions: [...friction.analysisVersions],
    testersWithoutDevice: friction.withoutDevice,
    byTag: listTags(build, exposed),
    outcomes,
  };
}

type BuildTag = NonNullable<ComparedBuild["byTag"]>[number] & { readonly testersExposed: number };

function listTags({ friction }: Pick<BuildData, "friction">, exposed: CountExposed): BuildTag[] {
  const testersInBatch = friction.testers;
  return friction.byTag.map(({ tag, testers, insights }) => ({
    tag,
    testersWithTag: testers,
    testersInBatch,
    pct: (testers / testersInBatch) * 100,
    insightCount: insights,
    testersExposed: exposed(tag),
  }));
}
