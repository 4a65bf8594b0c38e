/** Reads and writes sessions: lists by filter, one in full, and the changes of its row. */
import { type ExpressionBuilder, sql } from "kysely";
import type { Db, Schema, SessionRow } from "../db/schema.ts";
import { foldCase, type ItemFields, searchText, sessionItem } from "../ingest/session-item.ts";
import { type Counted, countChange, countNewSession, countWithin } from "./counts.ts";

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

type Where = ExpressionBuilder<Schema, "sessions">;

function matches(filter: SessionFilter) {
  return (eb: Where) => {
    const { env, q, from, to } = filter;
    const equal = {
      // A game that was looked up is the account's: naming both would only leave the index to chance.
      account_id: filter.gameId === undefined ? filter.accountId : undefined,
      game_id: filter.gameId,
      build: filter.build,
      environment: env === "all" ? undefined : env,
      status: filter.status,
      source: filter.source,
    };
    const parts = Object.entries(equal).flatMap(([column, value]) =>
      value === undefined ? [] : [eb(column as "account_id", "=", value)],
    );
    if (from !== undefined) parts.push(eb("recorded_at", ">=", from));
    if (to !== undefined) parts.push(eb("recorded_at", "<=", to));
    if (q !== undefined) parts.push(sql<boolean>`instr(search, ${foldCase(q)}) > 0` as never);
    return eb.and(parts);
  };
}

/** One page of list items, as JSON texts, newest first. */
export async function sessionItems(
  db: Db,
  filter: SessionFilter,
  page: { limit: number; offset: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom("sessions")
    .select("item")
    .where(matches(filter))
    .orderBy("recorded_at", "desc")
    .orderBy("id")
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return rows.map((row) => row.item);
}

/** How many sessions match: summed from kept counts; where text narrows the list its rows are counted. */
export async function countSessions(db: Db, filter: SessionFilter): Promise<number> {
  const { accountId, gameId, build, env, status, source, q, from, to } = filter;
  if (q !== undefined) return await countRows(db, filter);
  const equal = { build, environment: env === "all" ? undefined : env, status, source };
  return await countWithin(db, "session", { accountId, gameId, equal }, { from, to }, (part) =>
    countRows(db, { ...filter, ...part }),
  );
}

async function countRows(db: Db, filter: SessionFilter): Promise<number> {
  const row = await db
    .selectFrom("sessions")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where(matches(filter))
    .executeTakeFirstOrThrow();
  return Number(row.total);
}

/** An account's session by id, or undefined. */
export async function findSession(db: Db, accountId: string, id: string): Promise<SessionRow | undefined> {
  return await db
    .selectFrom("sessions")
    .selectAll()
    .where("id", "=", id)
    .where("account_id", "=", accountId)
    .executeTakeFirst();
}

/** A game's session by its id or by the client's own, or undefined. */
export async function findInGame(
  db: Db,
  gameId: string,
  column: "id" | "client_session_id",
  value: string,
): Promise<SessionRow | undefined> {
  return await db
    .selectFrom("sessions")
    .selectAll()
    .where("game_id", "=", gameId)
    .where(column, "=", value)
    .executeTakeFirst();
}

/** Stores a new session, its list item and the text that `q` looks in made from it. */
export async function insertSession(db: Db, row: Omit<SessionRow, "item" | "search">): Promise<void> {
  await db
    .insertInto("sessions")
    .values({ ...row, item: sessionItem(row), search: searchText(row) })
    .execute();
  await countNewSession(db, row);
}

/** Changes a session's row, its list item and the counts with it; `session` is the row as it is stored. */
export async function updateSession(
  db: Db,
  session: ItemFields & Counted,
  changed: Partial<SessionRow>,
): Promise<void> {
  await countChange(db, session, changed);
  await db
    .updateTable("sessions")
    .set({ ...changed, item: sessionItem({ ...session, ...changed }) })
    .where("game_id", "=", session.game_id)
    .where("id", "=", session.id)
    .execute();
}
