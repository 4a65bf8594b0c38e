/** Counts the testers with one friction tag in several builds, exactly as a comparison of two builds counts them. */
import type { Db } from "../db/schema.ts";
import type { BuildScope } from "./build-scope.ts";
import { countExposed, listTagRooms, readBuildData } from "./comparison.ts";

/** The testers of one build. */
export interface BuildTagCounts {
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
  const data = [];
  for (const scope of scopes) data.push(await readBuildData(db, scope));
  const tagRooms = listTagRooms(data);
  const builds: BuildTagCounts[] = [];
  for (const build of data) {
    const { testers, sessions, byTag, analysisVersions } = build.friction;
    builds.push({
      version: build.scope.version,
      testers,
      sessions,
      exposed: countExposed(build, tagRooms)(tag),
      withTag: byTag.find((counts) => counts.tag === tag)?.testers ?? 0,
      analysisVersions,
    });
  }
  return { builds, tags: new Set(data.flatMap(({ friction }) => friction.byTag.map((entry) => entry.tag))) };
}
