/** Reads the facts for summaries of builds and testers, and stores the summaries. */
import { sql } from "kysely";
import { frictionTypes, type InsightType } from "../../contract/insights.ts";
import { MINUTE_MS } from "../../shared/time-units.ts";
import { SUMMARY_VERSION } from "../analysis/version.ts";
import { putRow, updateRow } from "../db/rows.ts";
import type { Db, SummaryQueueRow } from "../db/schema.ts";
import { isReachable } from "../db/sharding.ts";

/** The subject of a summary: a build or a tester in one environment of a game. */
export interface SummarySubject {
  readonly kind: "build" | "tester";
  /** Build version or device id. */
  readonly name: string;
}

/** The number of insights with a tag, and the number of testers they belong to. */
export interface SubjectTagCounts {
  readonly tag: string;
  readonly testers: number;
  readonly insights: number;
}

/** The counts of a subject. */
export interface SubjectFacts extends SummarySubject {
  readonly sessions: number;
  readonly testers: number;
  /** Active play time in ms. */
  readonly activeMs: number;
  /** The builds of the sessions, in chronological order. */
  readonly builds: readonly string[];
  readonly friction: readonly SubjectTagCounts[];
  readonly praise: readonly SubjectTagCounts[];
  /** Titles of the strongest insights. They may quote tester text. */
  readonly titles: readonly string[];
}

export interface SummaryScope {
  readonly gameId: string;
  readonly environment: string;
}

const MAX_TOP_TAGS = 5;
const MAX_TITLES = 20;
/** Results that are older than the entry in the queue by more than this, in ms, were stored before it. */
const MAX_ANALYSIS_MS = 5 * MINUTE_MS;

/** All builds and testers with a session in an environment: builds first, each sorted by name. */
export async function findSubjects(db: Db, { gameId, environment }: SummaryScope): Promise<SummarySubject[]> {
  const rows = await db
    .selectFrom("sessions")
    .select(["build", "device_id"])
    .distinct()
    .where((eb) => eb.and({ game_id: gameId, environment }))
    .execute();
  const builds = [...new Set(rows.map((row) => row.build))].sort();
  const devices = [...new Set(rows.flatMap((row) => row.device_id ?? []))].sort();
  return [
    ...builds.map((name) => ({ kind: "build" as const, name })),
    ...devices.map((name) => ({ kind: "tester" as const, name })),
  ];
}

/** The facts of a subject, or null if it has no session in the environment. */
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
  const countByType = (types: readonly InsightType[]) =>
    countTags(insights.filter(({ type }) => types.includes(type)));
  return {
    kind,
    name,
    sessions: sessions.length,
    testers: new Set(sessions.map((row) => row.tester)).size,
    activeMs: sessions.reduce((sum, row) => sum + row.active_ms, 0),
    builds: [...new Set(sessions.map((row) => row.build))],
    friction: countByType(frictionTypes),
    praise: countByType(["praise", "positive-moment"]),
    titles: insights.slice(0, MAX_TITLES).map((row) => row.title),
  };
}

/** The top tags by number of testers, then by number of insights, then by name. */
function countTags(insights: readonly { tag: string; tester: string }[]): SubjectTagCounts[] {
  const testers = new Map<string, Set<string>>();
  const counts = new Map<string, number>();
  for (const { tag, tester } of insights) {
    testers.set(tag, (testers.get(tag) ?? new Set()).add(tester));
    counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  return [...counts]
    .map(([tag, count]) => ({ tag, testers: testers.get(tag)?.size ?? 0, insights: count }))
    .sort((a, b) => b.testers - a.testers || b.insights - a.insights || (a.tag < b.tag ? -1 : 1))
    .slice(0, MAX_TOP_TAGS);
}

/** The account of a game, and how often something of it was deleted; undefined if the game does not exist. */
export async function findGameState(db: Db, gameId: string) {
  return await db
    .selectFrom("games")
    .select(["account_id", "deletions"])
    .where("id", "=", gameId)
    .executeTakeFirst();
}

/** When the summary of a queued build was written, unix ms; null if it has none. */
export async function findSummaryTime(
  db: Db,
  { game_id, build, environment }: SummaryQueueRow,
): Promise<number | null> {
  const row = await db
    .selectFrom("build_summaries")
    .select("generated_at")
    .where((eb) => eb.and({ game_id, build, environment }))
    .executeTakeFirst();
  return row === undefined ? null : Number(row.generated_at);
}

/** The number of analyzed sessions of a queued build, at most `limit`. */
export async function countAnalyzedSessions(
  db: Db,
  { game_id, build, environment }: SummaryQueueRow,
  limit: number,
): Promise<number> {
  const rows = await db
    .selectFrom("sessions")
    .select("id")
    .where((eb) => eb.and({ game_id, build, environment, status: "analyzed" }))
    .limit(limit)
    .execute();
  return rows.length;
}

/** The devices with results in a queued build that are newer than the summary of the device. At most `limit`. */
export async function findOutdatedTesters(
  db: Db,
  { game_id, build, environment, queued_at }: SummaryQueueRow,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom("insights")
    .innerJoin("sessions", (join) =>
      join
        .onRef("sessions.game_id", "=", "insights.game_id")
        .onRef("sessions.id", "=", "insights.session_id"),
    )
    .leftJoin("tester_summaries", (join) =>
      join
        .onRef("tester_summaries.game_id", "=", "sessions.game_id")
        .onRef("tester_summaries.device_id", "=", "sessions.device_id")
        .onRef("tester_summaries.environment", "=", "sessions.environment"),
    )
    .select("sessions.device_id")
    .distinct()
    .where((eb) => eb.and({ "insights.game_id": game_id, "insights.build": build }))
    .where("insights.created_at", ">=", queued_at - MAX_ANALYSIS_MS)
    .where((eb) => eb.and({ "insights.type": "session-summary", "sessions.environment": environment }))
    .where("sessions.device_id", "is not", null)
    .where((eb) =>
      eb.or([
        eb("tester_summaries.generated_at", "is", null),
        eb("tester_summaries.generated_at", "<", eb.ref("insights.created_at")),
      ]),
    )
    .orderBy("sessions.device_id")
    .limit(limit)
    .execute();
  return rows.flatMap(({ device_id }) => device_id ?? []);
}

export interface OutdatedSummary extends SummaryScope, SummarySubject {
  readonly rulesVersion: number;
}

/** Summaries of older rules, or whose facts have changed. At most `limit`. */
export async function findOutdatedSummaries(db: Db, limit: number): Promise<OutdatedSummary[]> {
  const found: OutdatedSummary[] = [];
  for (const { kind, table, name } of summaryTables) {
    const rows = await db
      .selectFrom(table)
      .select(["game_id", "environment", sql.ref<string>(name).as("name"), "rules_version"])
      .where("rules_version", "<", SUMMARY_VERSION)
      .where(isReachable(db))
      .limit(limit - found.length)
      .execute();
    for (const row of rows)
      found.push({
        ...{ kind, name: row.name, gameId: row.game_id, environment: row.environment },
        rulesVersion: Number(row.rules_version),
      });
  }
  return found;
}

const summaryTables = [
  { kind: "build", table: "build_summaries", name: "build" },
  { kind: "tester", table: "tester_summaries", name: "device_id" },
] as const;

/** Marks an outdated summary as current: nothing is left to summarize. */
export async function keepSummary(
  db: Db,
  { gameId, environment, kind, name }: SummaryScope & SummarySubject,
): Promise<void> {
  const row = { game_id: gameId, environment };
  const current = { rules_version: SUMMARY_VERSION };
  if (kind === "build") await updateRow(db, "build_summaries", { ...row, build: name }, current);
  else await updateRow(db, "tester_summaries", { ...row, device_id: name }, current);
}

/** The number of outdated summaries, at most `limit`. */
export const countOutdatedSummaries = async (db: Db, limit: number): Promise<number> =>
  (await findOutdatedSummaries(db, limit)).length;

/** Stores a summary and replaces an earlier one. `now` is unix ms. */
export async function storeSummary(
  db: Db,
  { gameId, environment }: SummaryScope,
  {
    kind,
    name,
    narrative,
    source,
  }: SummarySubject & { readonly narrative: string; readonly source: "ai" | "rules" },
  now: number,
): Promise<void> {
  const rules_version = source === "rules" ? SUMMARY_VERSION : null;
  const row = { game_id: gameId, environment, narrative, generated_at: now, rules_version };
  if (kind === "build") await putRow(db, "build_summaries", { ...row, build: name });
  else await putRow(db, "tester_summaries", { ...row, device_id: name });
}
