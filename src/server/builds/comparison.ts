/** Compares two builds: their friction, how many testers could meet each tag, and their outcomes. */
import type { BuildComparison, BuildOutcomes, ComparedBuild } from "../../contract/builds.ts";
import { findTagQuestion, findTagRoom, truncateRoom } from "../../shared/exposure.ts";
import { diffFriction } from "../../shared/friction-diff.ts";
import type { Db } from "../db/schema.ts";
import { findQuestions } from "../feedback/questions.ts";
import { describeTag } from "../insights/describe-tag.ts";
import { slugify } from "../insights/wording.ts";
import { type BuildAnswers, readAnswers } from "./answer-queries.ts";
import type { BuildScope } from "./build-scope.ts";
import { compareOutcomes, type OutcomeCounts } from "./outcomes.ts";
import { type BuildFriction, readBuildFriction } from "./queries.ts";
import { countExposedTesters, readRoomTesters, type TagRoom } from "./room-queries.ts";

/** What the service stores about one of the builds. */
interface BuildData extends OutcomeCounts {
  readonly scope: BuildScope;
  readonly friction: BuildFriction;
  readonly answeredBy: BuildAnswers["answeredBy"];
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
  const tagRooms = findTagRooms([a, b]);
  const exposedA = await readExposed(db, a, tagRooms);
  const exposedB = await readExposed(db, b, tagRooms);
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
  const { gameId, version, environment } = scope;
  const friction = await readBuildFriction(db, gameId, version, environment);
  const rooms = await readRoomTesters(db, scope);
  const { answeredBy } = await readAnswers(db, scope);
  const build = { scope, friction, rooms, answeredBy };
  return listTags(build, await readExposed(db, build, findTagRooms([build])));
}

export async function readBuildData(db: Db, scope: BuildScope): Promise<BuildData> {
  const { gameId, version, environment } = scope;
  return {
    scope,
    friction: await readBuildFriction(db, gameId, version, environment),
    rooms: await readRoomTesters(db, scope),
    ...(await readAnswers(db, scope)),
  };
}

/** Pairs each tag about a room with every name of that room. Rooms whose names differ only in symbols share a tag. */
export function findTagRooms(builds: readonly Pick<BuildData, "friction" | "rooms">[]): TagRoom[] {
  const names = new Map<string, Set<string>>();
  for (const { room } of builds.flatMap(({ rooms }) => rooms)) {
    const location = truncateRoom(slugify(room));
    names.set(location, (names.get(location) ?? new Set()).add(room));
  }
  const locations = new Set(names.keys());
  const tags = new Set(builds.flatMap(({ friction }) => friction.byTag.map(({ tag }) => tag)));
  return [...tags].flatMap((tag) => {
    const location = findTagRoom(tag, locations);
    return location === null ? [] : [...(names.get(location) ?? [])].map((room) => ({ tag, room }));
  });
}

export async function readExposed(
  db: Db,
  { scope, friction, answeredBy }: Pick<BuildData, "scope" | "friction" | "answeredBy">,
  tagRooms: readonly TagRoom[],
): Promise<CountExposed> {
  const exposed = await countExposedTesters(db, scope, tagRooms);
  const aboutRooms = new Set(tagRooms.map(({ tag }) => tag));
  return (tag) => {
    const question = findTagQuestion(tag);
    if (question !== null) return answeredBy.get(question)?.size ?? 0;
    return aboutRooms.has(tag) ? (exposed.get(tag) ?? 0) : friction.testers;
  };
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
