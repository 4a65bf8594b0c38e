/** Reads and writes sessions: lists by filter, one in full, and the changes of its row. */
import type { ExpressionBuilder } from "kysely";
import { prepareQuery } from "../db/prepared.ts";
import type { Db, Schema, SessionRow } from "../db/schema.ts";
import { countInRange } from "../db/totals.ts";
import { type CountedSession, countNewSession, recountSession } from "./count-queries.ts";
import { buildSearchText, foldCase, type SessionItemFields, serializeSessionItem } from "./list-item.ts";
import { addToSessionRollups } from "./rollup-queries.ts";

/** What a list of sessions is narrowed by; absent fields do not narrow. */
export interface SessionFilter {
  readonly accountId: string;
  readonly gameId?: string | undefined;
  readonly build?: string | undefined;
  /** `all` does not narrow. */
  readonly env?: string | undefined;
  readonly status?: string | undefined;
  readonly source?: string | undefined;
  readonly q?: string | undefined;
  /** Bounds on recordedAt, inclusive, unix ms. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

type SessionExpressionBuilder = ExpressionBuilder<Schema, "sessions">;

/** What narrows a list: by columns, and by bounds and text. */
function toColumnFilter(filter: SessionFilter) {
  const { env, q } = filter;
  return {
    // A game that was looked up is the account's: naming both would only leave the index to chance.
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

function buildSessionFilter({ from, to, q, ...equal }: ReturnType<typeof toColumnFilter>) {
  return (eb: SessionExpressionBuilder) => {
    const parts = Object.entries(equal).flatMap(([column, value]) =>
      value === undefined ? [] : [eb(column as "account_id", "=", value)],
    );
    if (from !== undefined) parts.push(eb("recorded_at", ">=", from));
    if (to !== undefined) parts.push(eb("recorded_at", "<=", to));
    if (q !== undefined) parts.push(eb(eb.fn<number>("instr", ["search", eb.val(q)]), ">", 0));
    return eb.and(parts);
  };
}

/** One page of list items, as JSON texts, newest first. */
export async function findSessionItems(
  db: Db,
  filter: SessionFilter,
  page: { limit: number; offset: number },
): Promise<string[]> {
  const { rows } = await sessionItemsQuery(db, { ...toColumnFilter(filter), ...page });
  return rows.map((row) => row.item);
}

type SessionItemsQuery = ReturnType<typeof toColumnFilter> & { limit: number; offset: number };
const sessionItemsQuery = prepareQuery((db, { limit, offset, ...narrow }: SessionItemsQuery) =>
  db
    .selectFrom("sessions")
    .select("item")
    .where(buildSessionFilter(narrow))
    .orderBy("recorded_at", "desc")
    .orderBy("id")
    .limit(limit)
    .offset(offset),
);

/** How many sessions match: summed from kept counts; where text narrows the list its rows are counted. */
export async function countSessions(db: Db, filter: SessionFilter): Promise<number> {
  const { accountId, gameId, build, env, status, source, q, from, to } = filter;
  if (q !== undefined) return await countRows(db, filter);
  const equal = { build, environment: env === "all" ? undefined : env, status, source };
  return await countInRange(db, "session", { accountId, gameId, equal }, { from, to }, (part) =>
    countRows(db, { ...filter, ...part }),
  );
}

async function countRows(db: Db, filter: SessionFilter): Promise<number> {
  const row = await db
    .selectFrom("sessions")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where(buildSessionFilter(toColumnFilter(filter)))
    .executeTakeFirstOrThrow();
  return Number(row.total);
}

/** An account's session by id, or undefined. */
export async function findSession(db: Db, accountId: string, id: string): Promise<SessionRow | undefined> {
  return await sessionByIdQuery(db, accountId, id).executeTakeFirst();
}

/** The same to be changed: held until the transaction ends. */
export async function lockSession(db: Db, accountId: string, id: string): Promise<SessionRow | undefined> {
  return await sessionByIdQuery(db, accountId, id).forUpdate().executeTakeFirst();
}

const sessionByIdQuery = (db: Db, accountId: string, id: string) =>
  db.selectFrom("sessions").selectAll().where("id", "=", id).where("account_id", "=", accountId);

/** A game's session by its id or by the client's own, to be changed: held until the transaction ends. */
export async function lockGameSession(
  db: Db,
  gameId: string,
  column: "id" | "client_session_id",
  value: string,
): Promise<SessionRow | undefined> {
  return (await lockSessionQuery(db, { gameId, [column]: value })).rows[0];
}

type SessionRef = { readonly gameId: string } & Partial<Pick<SessionRow, "id" | "client_session_id">>;
const lockSessionQuery = prepareQuery((db, { gameId, ...named }: SessionRef) =>
  db
    .selectFrom("sessions")
    .selectAll()
    .where("game_id", "=", gameId)
    .where((eb) => eb.and(named))
    .forUpdate(),
);

/**
 * Stores a new session, its list item and the text that `q` looks in made from it. Answers false, and stores nothing,
 * where the game has a session of the client's id: another server may have made it at the same moment.
 */
export async function insertSession(db: Db, row: Omit<SessionRow, "item" | "search">): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("sessions")
    .values({ ...row, item: serializeSessionItem(row), search: buildSearchText(row) })
    .onConflict((conflict) => conflict.columns(["game_id", "client_session_id"]).doNothing())
    .executeTakeFirstOrThrow();
  if (!numInsertedOrUpdatedRows) return false;
  await countNewSession(db, row);
  await addToSessionRollups(db, row, 1);
  return true;
}

/** Changes a session's row, its list item and the counts with it; `session` is the row as it is stored. */
export async function updateSession(
  db: Db,
  session: SessionItemFields & CountedSession,
  changed: Partial<SessionRow>,
): Promise<void> {
  await recountSession(db, session, changed);
  const { game_id: ofGame, id: ofSession } = session;
  await updateSessionQuery(db, {
    ...changed,
    item: serializeSessionItem({ ...session, ...changed }),
    ofGame,
    ofSession,
  });
}

type SessionUpdate = Partial<SessionRow> & { readonly ofGame: string; readonly ofSession: string };
const updateSessionQuery = prepareQuery((db, { ofGame, ofSession, ...changed }: SessionUpdate) =>
  db.updateTable("sessions").set(changed).where("game_id", "=", ofGame).where("id", "=", ofSession),
);
