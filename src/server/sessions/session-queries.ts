/** Queries that list, count, read, insert and update sessions. */
import type { ExpressionBuilder } from "kysely";
import { frictionTypes } from "../../contract/insights.ts";
import { isInGames, type NamedGames, nameGames, searchGames } from "../db/account-games.ts";
import { waitForRow } from "../db/concurrent-writes.ts";
import type { PageRange } from "../db/list-queries.ts";
import { prepareQuery } from "../db/prepared.ts";
import { toQuarantined } from "../db/quarantined-ids.ts";
import { deleteRows } from "../db/rows.ts";
import type { Db, Schema, SessionRow } from "../db/schema.ts";
import { isSharded } from "../db/sharding.ts";
import { listColumns } from "../db/tables.ts";
import { recordSessionChange } from "./change-queries.ts";
import {
  buildSearchText,
  completeSessionItem,
  foldCase,
  type SessionItemFields,
  serializeSessionItem,
  sessionItemColumns,
} from "./list-item.ts";

/** Selects sessions. Absent fields match all sessions. */
export interface SessionFilter {
  readonly accountId: string;
  readonly gameId?: string | undefined;
  readonly build?: string | undefined;
  /** `all` matches every environment. */
  readonly env?: string | undefined;
  readonly status?: string | undefined;
  readonly source?: string | undefined;
  readonly q?: string | undefined;
  /** Bounds on recordedAt, inclusive, unix ms. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

type SessionExpressionBuilder = ExpressionBuilder<Schema, "sessions">;

/** The filter by columns, with bounds and folded text. */
async function toColumnFilter(db: Db, filter: SessionFilter) {
  const { env, q } = filter;
  return {
    games: filter.gameId === undefined ? await nameGames(db, filter.accountId) : undefined,
    // The game was already looked up in the account. With both columns, the engine might choose the wrong index.
    account_id: filter.gameId === undefined ? filter.accountId : undefined,
    game_id: filter.gameId,
    build: filter.build,
    environment: env === "all" ? undefined : env,
    status: filter.status,
    source: filter.source,
    from: filter.from,
    to: filter.to,
    q: q === undefined ? undefined : foldCase(q),
  };
}

type ColumnFilter = Awaited<ReturnType<typeof toColumnFilter>>;

function buildSessionFilter({ games, from, to, q, ...equal }: ColumnFilter) {
  return (eb: SessionExpressionBuilder) => {
    const parts = Object.entries(equal).flatMap(([column, value]) =>
      value === undefined ? [] : [eb(column as "account_id", "=", value)],
    );
    if (games !== undefined) parts.push(eb.and([isInGames(games)]));
    if (from !== undefined) parts.push(eb("recorded_at", ">=", from));
    if (to !== undefined) parts.push(eb("recorded_at", "<=", to));
    if (q !== undefined) parts.push(eb(eb.fn<number>("instr", ["search", eb.val(q)]), ">", 0));
    return eb.and(parts);
  };
}

/** Finds one page of list items, as JSON text, newest first. */
export async function findSessionItems(db: Db, filter: SessionFilter, page: PageRange): Promise<string[]> {
  const { rows } = await sessionItemsQuery(db, { ...(await toColumnFilter(db, filter)), ...page });
  return rows.map(completeSessionItem);
}

type SessionItemsQuery = ColumnFilter & PageRange;
const sessionItemsQuery = prepareQuery((db, { limit, offset, ...filter }: SessionItemsQuery) =>
  db
    .selectFrom("sessions")
    .select(sessionItemColumns)
    .where(buildSessionFilter(filter))
    .orderBy("recorded_at", "desc")
    .orderBy("id")
    .limit(limit)
    .offset(offset),
);

/** More than the number of insights of a session. */
const MAX_PROBLEMS = 1000;

/** Finds one page of sessions, those with the most and strongest problems first, and of equal ones the newest. */
export async function findWatchedRows(db: Db, filter: SessionFilter, page: PageRange) {
  // Each problem counts more than the strength of all others, which is at most 1 each.
  const severity = (eb: SessionExpressionBuilder) =>
    eb
      .selectFrom("insights")
      .select((insight) =>
        insight.fn
          .coalesce(insight.fn.sum<number>(insight("insights.confidence", "+", MAX_PROBLEMS)), insight.lit(0))
          .as("severity"),
      )
      .whereRef("insights.game_id", "=", "sessions.game_id")
      .whereRef("insights.session_id", "=", "sessions.id")
      .where("insights.type", "in", [...frictionTypes]);
  return await db
    .selectFrom("sessions")
    .select([...sessionItemColumns, "game_id", "id", "last_room"])
    .where(buildSessionFilter(await toColumnFilter(db, filter)))
    .orderBy(severity, "desc")
    .orderBy("recorded_at", "desc")
    .orderBy("id")
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

/** Counts the sessions that match. Without a text filter, an index has all columns of the filter. */
export async function countSessions(db: Db, filter: SessionFilter): Promise<number> {
  const { rows } = await sessionCountQuery(db, await toColumnFilter(db, filter));
  return Number(rows[0]?.total ?? 0);
}

const sessionCountQuery = prepareQuery((db, filter: ColumnFilter) =>
  db
    .selectFrom("sessions")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where(buildSessionFilter(filter)),
);

/** Finds a session of an account by id. */
export async function findSession(db: Db, accountId: string, id: string): Promise<SessionRow | undefined> {
  return await searchGames(db, accountId, (games) =>
    sessionByIdQuery(db, { accountId, id, games }).selectAll().executeTakeFirst(),
  );
}

/** Finds a session of an account by id, and locks it until the transaction ends. */
export async function lockSession(db: Db, accountId: string, id: string): Promise<SessionRow | undefined> {
  if (!isSharded(db))
    return await sessionByIdQuery(db, { accountId, id }).selectAll().forUpdate().executeTakeFirst();
  // A row can only be locked in its shard.
  const found = await searchGames(db, accountId, (games) =>
    sessionByIdQuery(db, { accountId, id, games }).select("game_id").executeTakeFirst(),
  );
  return found && (await lockGameSession(db, found.game_id, "id", id));
}

interface SessionSearch {
  readonly accountId: string;
  readonly id: string;
  readonly games?: NamedGames;
}

const sessionByIdQuery = (db: Db, { accountId, id, games }: SessionSearch) =>
  db.selectFrom("sessions").where("id", "=", id).where("account_id", "=", accountId).where(isInGames(games));

/** Finds a session of a game by one of its unique columns, and locks it until the transaction ends. */
export async function lockGameSession(
  db: Db,
  gameId: string,
  column: "id" | "client_session_id" | "creation_hash",
  value: string,
): Promise<SessionRow | undefined> {
  const session = { gameId, [column]: value };
  const [row] = (await lockSessionQuery(db, session)).rows;
  return row && (await waitForRow(db, row.id)) ? (await lockSessionQuery(db, session)).rows[0] : row;
}

/** Postgres keeps a prepared query that names its columns. It cannot keep a query of `*`. */
const sessionColumns = listColumns("sessions").map(([name]) => name as keyof SessionRow);

/** Finds the session with a client session id that is of a device or of none, and locks it until the transaction ends. */
export async function lockClientSession(
  db: Db,
  gameId: string,
  clientSessionId: string,
  deviceId: string,
): Promise<SessionRow | undefined> {
  const session = { gameId, clientSessionId, deviceId };
  const [row] = (await lockClientSessionQuery(db, session)).rows;
  return row && (await waitForRow(db, row.id)) ? (await lockClientSessionQuery(db, session)).rows[0] : row;
}

interface ClientSessionRef {
  readonly gameId: string;
  readonly clientSessionId: string;
  readonly deviceId: string;
}

const lockClientSessionQuery = prepareQuery((db, { gameId, clientSessionId, deviceId }: ClientSessionRef) =>
  db
    .selectFrom("sessions")
    .select(sessionColumns)
    .where((eb) => eb.and({ game_id: gameId, client_session_id: clientSessionId }))
    .where((eb) => eb.or([eb("device_id", "is", null), eb("device_id", "=", deviceId)]))
    .forUpdate(),
);

/** Whether a session of any device has a client session id. Locks nothing. */
export async function hasClientSession(db: Db, gameId: string, clientSessionId: string): Promise<boolean> {
  return (await clientSessionQuery(db, { gameId, clientSessionId })).rows.length > 0;
}

const clientSessionQuery = prepareQuery(
  (db, { gameId, clientSessionId }: Omit<ClientSessionRef, "deviceId">) =>
    db
      .selectFrom("sessions")
      .select("id")
      .where((eb) => eb.and({ game_id: gameId, client_session_id: clientSessionId })),
);

/** Finds and locks a session by its id, also if it is quarantined: what arrives late for it stays with it. */
export async function lockReceivingSession(
  db: Db,
  gameId: string,
  id: string,
): Promise<SessionRow | undefined> {
  return (
    (await lockGameSession(db, gameId, "id", id)) ??
    (await lockGameSession(db, toQuarantined(gameId), "id", id))
  );
}

type SessionRef = { readonly gameId: string } & Partial<
  Pick<SessionRow, "id" | "client_session_id" | "creation_hash">
>;
const lockSessionQuery = prepareQuery((db, { gameId, ...ids }: SessionRef) =>
  db
    .selectFrom("sessions")
    .select(sessionColumns)
    .where("game_id", "=", gameId)
    .where((eb) => eb.and(ids))
    .forUpdate(),
);

/**
 * Inserts a session with its derived columns. Returns false, and stores nothing, if the game already has a
 * session with this client session id or creation hash: another server may have created it at the same moment.
 */
export async function insertSession(db: Db, row: Omit<SessionRow, "item" | "search">): Promise<boolean> {
  await waitForRow(db, row.id);
  const derived = { item: serializeSessionItem(row), search: buildSearchText(row) };
  const { numAffectedRows } = await insertSessionQuery(db, { ...row, ...derived });
  if (!numAffectedRows) return false;
  await recordSessionChange(db, row.game_id, row.recorded_at, row.received_at ?? row.recorded_at);
  return true;
}

const insertSessionQuery = prepareQuery((db, row: SessionRow) =>
  db
    .insertInto("sessions")
    .values(row)
    .onConflict((conflict) => conflict.doNothing()),
);

export async function deleteSessionRow(db: Db, session: SessionRow, now: number): Promise<void> {
  await deleteRows(db, "sessions", { game_id: session.game_id, id: session.id });
  await recordSessionChange(db, session.game_id, session.recorded_at, now);
}

/**
 * Updates a session and its list item. `session` is the row before the change. The change is recorded for
 * `changedAt`; null if it is too small to record, or follows one that was recorded a moment ago.
 */
export async function updateSession(
  db: Db,
  session: SessionItemFields,
  changed: Partial<SessionRow>,
  changedAt: number | null,
): Promise<void> {
  if (changedAt !== null) await recordSessionChange(db, session.game_id, session.recorded_at, changedAt);
  await updateSessionQuery(db, {
    ...changed,
    item: serializeSessionItem({ ...session, ...changed }),
    gameId: session.game_id,
    sessionId: session.id,
  });
}

type SessionUpdate = Partial<SessionRow> & { readonly gameId: string; readonly sessionId: string };
const updateSessionQuery = prepareQuery((db, { gameId, sessionId, ...changed }: SessionUpdate) =>
  db.updateTable("sessions").set(changed).where("game_id", "=", gameId).where("id", "=", sessionId),
);
