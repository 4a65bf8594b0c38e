/** Reads what summaries of builds and testers are written from, and keeps them. */
import { frictionTypes, type InsightType } from "../../contract/insights.ts";
import type { Db } from "../db/schema.ts";

/** What a summary is about: a build or a tester, within one environment of a game. */
export interface SummarySubject {
  readonly kind: "build" | "tester";
  /** Build version or device id. */
  readonly name: string;
}

/** How often a tag was found, and at how many testers. */
export interface SubjectTagCounts {
  readonly tag: string;
  readonly testers: number;
  readonly insights: number;
}

/** What is counted of a subject; times in ms. */
export interface SubjectFacts extends SummarySubject {
  readonly sessions: number;
  readonly testers: number;
  readonly activeMs: number;
  /** Builds played, from the first session to the last. */
  readonly builds: readonly string[];
  readonly friction: readonly SubjectTagCounts[];
  readonly praise: readonly SubjectTagCounts[];
  /** Titles of the surest insights: what testers' games and words say. */
  readonly titles: readonly string[];
}

interface SummaryScope {
  readonly gameId: string;
  readonly environment: string;
}

const MAX_TOP_TAGS = 5;
const MAX_TITLES = 20;

/** Every build and tester with a session in an environment: builds first, each by name. */
export async function findSubjects(db: Db, { gameId, environment }: SummaryScope): Promise<SummarySubject[]> {
  const rows = await db
    .selectFrom("sessions")
    .select(["build", "device_id"])
    .distinct()
    .where("game_id", "=", gameId)
    .where("environment", "=", environment)
    .execute();
  const builds = [...new Set(rows.map((row) => row.build))].sort();
  const devices = [...new Set(rows.flatMap((row) => row.device_id ?? []))].sort();
  return [
    ...builds.map((name) => ({ kind: "build" as const, name })),
    ...devices.map((name) => ({ kind: "tester" as const, name })),
  ];
}

/** The facts of a subject, or null where no session of the environment is its. */
export async function readSubjectFacts(
  db: Db,
  { gameId, environment }: SummaryScope,
  { kind, name }: SummarySubject,
): Promise<SubjectFacts | null> {
  const sessions = await db
    .selectFrom("sessions")
    .select(["build", "tester", "active_ms"])
    .where("game_id", "=", gameId)
    .where(kind === "build" ? "build" : "device_id", "=", name)
    .where("environment", "=", environment)
    .orderBy("recorded_at")
    .orderBy("id")
    .execute();
  if (sessions.length === 0) return null;
  const insights = await db
    .selectFrom("insights")
    .select(["type", "tag", "title", "tester"])
    .where("game_id", "=", gameId)
    .where(kind === "build" ? "build" : "tester", "=", name)
    .where("environment", "=", environment)
    .where("type", "!=", "session-summary")
    .orderBy("confidence", "desc")
    .orderBy("id")
    .execute();
  const of = (types: readonly InsightType[]) => countTags(insights.filter((one) => types.includes(one.type)));
  return {
    kind,
    name,
    sessions: sessions.length,
    testers: new Set(sessions.map((row) => row.tester)).size,
    activeMs: sessions.reduce((sum, row) => sum + row.active_ms, 0),
    builds: [...new Set(sessions.map((row) => row.build))],
    friction: of(frictionTypes),
    praise: of(["praise", "positive-moment"]),
    titles: insights.slice(0, MAX_TITLES).map((row) => row.title),
  };
}

/** The tags met by most testers, then found most often, then by name. */
function countTags(insights: readonly { tag: string; tester: string }[]): SubjectTagCounts[] {
  const testers = new Map<string, Set<string>>();
  const counts = new Map<string, number>();
  for (const { tag, tester } of insights) {
    testers.set(tag, (testers.get(tag) ?? new Set()).add(tester));
    counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  return [...counts]
    .map(([tag, found]) => ({ tag, testers: testers.get(tag)?.size ?? 0, insights: found }))
    .sort((a, b) => b.testers - a.testers || b.insights - a.insights || (a.tag < b.tag ? -1 : 1))
    .slice(0, MAX_TOP_TAGS);
}

/** Keeps a summary in the place of an earlier one. `now` is unix ms. */
export async function storeSummary(
  db: Db,
  { gameId, environment }: SummaryScope,
  { kind, name, narrative }: SummarySubject & { readonly narrative: string },
  now: number,
): Promise<void> {
  const common = { game_id: gameId, environment, narrative, generated_at: now };
  const changed = { narrative, generated_at: now };
  if (kind === "build") {
    await db
      .insertInto("build_summaries")
      .values({ ...common, build: name })
      .onConflict((oc) => oc.columns(["game_id", "build", "environment"]).doUpdateSet(changed))
      .execute();
    return;
  }
  await db
    .insertInto("tester_summaries")
    .values({ ...common, device_id: name })
    .onConflict((oc) => oc.columns(["game_id", "device_id", "environment"]).doUpdateSet(changed))
    .execute();
}
