/** Lists and counts insights, by the time of their creation or by the start of their session. */
import type { ExpressionBuilder } from "kysely";
import { type Claim, listClaimedEvents } from "../../contract/claims.ts";
import type { InsightItem, InsightTime, InsightType } from "../../contract/insights.ts";
import { isInGames, type NamedGames, nameGames } from "../db/account-games.ts";
import type { PageRange } from "../db/list-queries.ts";
import { countRows } from "../db/rows.ts";
import type { Db, InsightRow, Schema, SessionRow } from "../db/schema.ts";
import { isSharded } from "../db/sharding.ts";
import type { TesterSessionFilter } from "../ids/tester-queries.ts";
import { findInsightRooms } from "./insight-queries.ts";

/** Filters for a list of insights. Absent fields do not filter. */
export interface InsightFilter {
  readonly accountId: string;
  readonly gameId?: string | undefined;
  readonly build?: string | undefined;
  /** `all` matches every environment. */
  readonly env?: string | undefined;
  readonly tag?: string | undefined;
  readonly tester?: TesterSessionFilter | undefined;
  readonly type?: string | undefined;
  /** A type that is left out. */
  readonly exclude?: string | undefined;
  readonly sentiment?: string | undefined;
  /** The time that the bounds and the order refer to (default: createdAt). */
  readonly time?: InsightTime | undefined;
  /** Inclusive bounds, unix ms. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** On a sharded database, a filter without a game names those of the account, so that only their shards are asked. */
interface ScopedFilter extends InsightFilter {
  readonly games: NamedGames;
}

const toScoped = async (db: Db, filter: InsightFilter): Promise<ScopedFilter> => ({
  ...filter,
  games: filter.gameId === undefined ? await nameGames(db, filter.accountId) : undefined,
});

type InsightExpressionBuilder = ExpressionBuilder<Schema, "insights" | "sessions">;

/** The required values of the columns that do not depend on the account or game. */
function toEqualColumns({ build, env, tag, tester, type, sentiment }: InsightFilter) {
  const environment = env === "all" ? undefined : env;
  const byHandle = tester?.column === "tester_handle";
  return { build, environment, tag, tester: byHandle ? undefined : tester?.value, type, sentiment };
}

function buildInsightFilter(filter: ScopedFilter) {
  const byRecording = filter.time === "recordedAt";
  const scope = byRecording ? "sessions" : "insights";
  const time = byRecording ? "sessions.recorded_at" : "insights.created_at";
  return (eb: InsightExpressionBuilder) => {
    const equal = {
      // A game id implies the account. Filtering by both could make the database choose the wrong index.
      [`${scope}.account_id`]: filter.gameId === undefined ? filter.accountId : undefined,
      [`${scope}.game_id`]: filter.gameId,
      ...Object.fromEntries(
        Object.entries(toEqualColumns(filter)).map(([column, value]) => [`insights.${column}`, value]),
      ),
    };
    const conditions = Object.entries(equal).flatMap(([column, value]) =>
      value === undefined ? [] : [eb(column as "insights.account_id", "=", value)],
    );
    if (filter.games !== undefined) conditions.push(eb.and([isInGames(filter.games, `${scope}.game_id`)]));
    if (filter.exclude !== undefined)
      conditions.push(eb("insights.type", "!=", filter.exclude as InsightType));
    if (filter.from !== undefined) conditions.push(eb(time, ">=", filter.from));
    if (filter.to !== undefined) conditions.push(eb(time, "<=", filter.to));
    const { tester, gameId = "" } = filter;
    if (tester?.column === "tester_handle") conditions.push(isInSessionsWithHandle(eb, gameId, tester.value));
    return eb.and(conditions);
  };
}

/** Sessions that name a handle may have any device or none. Handles are names in one game. */
function isInSessionsWithHandle(eb: InsightExpressionBuilder, gameId: string, handle: string) {
  const named = eb
    .selectFrom("sessions as named")
    .select("named.id")
    .where((eb) => eb.and({ "named.game_id": gameId, "named.tester_handle": handle }));
  return eb("insights.session_id", "in", named);
}

/** Sessions with their insights. A cross join makes SQLite read the sessions first, in the order of their start. */
const selectBySession = (db: Db) =>
  db
    .selectFrom("sessions")
    .crossJoin("insights")
    .whereRef("insights.game_id", "=", "sessions.game_id")
    .whereRef("insights.session_id", "=", "sessions.id");

const columns = [
  ...(["insights.game_id", "insights.id", "insights.session_id", "insights.type"] as const),
  ...(["insights.sentiment", "insights.confidence", "insights.created_at", "insights.tag"] as const),
  ...(["insights.title", "insights.build", "insights.environment", "insights.claims"] as const),
  "insights.after_ms",
] as const;
const sessionColumns = ["sessions.recorded_at", "sessions.device_id"] as const;

function findPageByRecording(db: Db, filter: ScopedFilter, page: PageRange) {
  return findJoinedPage(db, filter, page, "sessions.recorded_at");
}

/** One page of sessions with their insights. On a sharded database, each shard joins its rows. */
function findJoinedPage(
  db: Db,
  filter: ScopedFilter,
  { limit, offset }: PageRange,
  time: "sessions.recorded_at" | "insights.created_at",
) {
  return selectBySession(db)
    .select([...columns, ...sessionColumns])
    .where(buildInsightFilter(filter))
    .orderBy(time, "desc")
    .orderBy("insights.id")
    .limit(limit)
    .offset(offset)
    .execute();
}

function findPageByCreation(db: Db, filter: ScopedFilter, { limit, offset }: PageRange) {
  if (isSharded(db)) return findJoinedPage(db, filter, { limit, offset }, "insights.created_at");
  const page = db
    .selectFrom("insights")
    .select(columns)
    .where((eb) => buildInsightFilter(filter)(eb as unknown as InsightExpressionBuilder))
    .orderBy("insights.created_at", "desc")
    .orderBy("insights.id")
    .limit(limit)
    .offset(offset);
  return db
    .selectFrom(page.as("insights"))
    .innerJoin("sessions", (join) =>
      join
        .onRef("sessions.game_id", "=", "insights.game_id")
        .onRef("sessions.id", "=", "insights.session_id"),
    )
    .selectAll("insights")
    .select(sessionColumns)
    .orderBy("insights.created_at", "desc")
    .orderBy("insights.id")
    .execute();
}

/** One page of insights without their evidence, newest first. */
export async function findInsightItems(
  db: Db,
  filter: InsightFilter,
  page: PageRange,
  include?: "evidenceIds" | "activeSec",
): Promise<InsightItem[]> {
  const find = filter.time === "recordedAt" ? findPageByRecording : findPageByCreation;
  const rows: ListedRow[] = await find(db, await toScoped(db, filter), page);
  const rooms = await findInsightRooms(db, rows);
  return rows.map((row) => ({
    ...toInsightItem(row),
    room: rooms.get(row) ?? null,
    evidenceIds: include === "evidenceIds" ? listEvidenceIds(row) : null,
    ...(include === "activeSec" && { activeSec: row.after_ms === null ? null : row.after_ms / 1000 }),
  }));
}

/** The number of matching insights. */
export async function countInsights(db: Db, filter: InsightFilter): Promise<number> {
  const where = buildInsightFilter(await toScoped(db, filter));
  return filter.time === "recordedAt"
    ? await countRows(selectBySession(db).where(where))
    : await countRows(
        db.selectFrom("insights").where((eb) => where(eb as unknown as InsightExpressionBuilder)),
      );
}

type ListedRow = Omit<InsightRow, "account_id" | "tester" | "evidence"> &
  Pick<SessionRow, "recorded_at" | "device_id">;

function toInsightItem(row: ListedRow): Omit<InsightItem, "room" | "evidenceIds"> {
  const { id, session_id, type, sentiment, confidence, created_at, tag, title } = row;
  return {
    ...{ id, sessionId: session_id, type, sentiment, confidence, createdAt: created_at, tag, title },
    build: row.build,
    environment: row.environment,
    deviceId: row.device_id,
    recordedAt: row.recorded_at,
  };
}

/** The ids of the events, answers, bug reports and sentences of a transcript that an insight rests on, each once. */
function listEvidenceIds({ claims }: Pick<ListedRow, "claims">): string[] {
  const ids = (JSON.parse(claims) as Claim[]).flatMap((claim) => {
    if (claim.kind === "rating") return [claim.response];
    return claim.kind === "quote" ? [claim.source] : listClaimedEvents(claim);
  });
  return [...new Set(ids)];
}
