/** Counts the testers with one friction tag in several builds, exactly as a comparison of two builds counts them. */
import { findTagQuestion, parseTagRoom } from "../../shared/tag-subjects.ts";
import type { Db } from "../db/schema.ts";
import { readAnswers } from "./answer-queries.ts";
import type { BuildScope } from "./build-queries.ts";
import { readBuildFriction } from "./build-queries.ts";
import { type BuildData, listTagRooms, readExposed } from "./exposed-testers.ts";
import { readRoomTesters } from "./room-queries.ts";

/** The testers of one build. */
interface BuildTagCounts {
  readonly version: string;
  readonly testers: number;
  readonly sessions: number;
  /** Testers who could meet the tag. */
  readonly exposed: number;
  readonly withTag: number;
  readonly analysisVersions: readonly number[];
}

/** The counts of each build, in the given order, and all tags that any of the builds has. */
export async function countTagByBuild(
  db: Db,
  scopes: readonly BuildScope[],
  tag: string,
): Promise<{ readonly builds: readonly BuildTagCounts[]; readonly tags: ReadonlySet<string> }> {
  const data: BuildData[] = [];
  for (const scope of scopes)
    data.push({
      scope,
      friction: await readBuildFriction(db, scope),
      rooms: parseTagRoom(tag) === null ? [] : await readRoomTesters(db, scope),
      answeredBy: findTagQuestion(tag) === null ? new Map() : (await readAnswers(db, scope)).answeredBy,
    });
  const tagRooms = listTagRooms(data);
  const builds: BuildTagCounts[] = [];
  for (const build of data) {
    const countExposed = await readExposed(db, build, tagRooms, tag);
    const { testers, sessions, byTag, analysisVersions } = build.friction;
    builds.push({
      version: build.scope.version,
      testers,
      sessions,
      exposed: countExposed(tag),
      withTag: byTag.find((counts) => counts.tag === tag)?.testers ?? 0,
      analysisVersions,
    });
  }
  return { builds, tags: new Set(data.flatMap(({ friction }) => friction.byTag.map((entry) => entry.tag))) };
}
