/** Reads and writes sessions: lists by filter, one in full, and the changes of its row. */
import type { ExpressionBuilder } from "kysely";
import { kept } from "../db/prepared.ts";
import type { Db, Schema, SessionRow } from "../db/schema.ts";
import { countWithin } from "../db/totals.ts";
import { type Counted, countChange, countNewSession } from "./count-queries.ts";
import { foldCase, type ItemFields, searchText, sessionItem } from "./list-item.ts";
import { addSessions } from "./rollup-queries.ts";

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

/** What narrows a list: by columns, and by bounds and text. */
function narrowing(filter: SessionFilter) {
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

function matches({ from, to, q, ...equal }: ReturnType<typeof narrowing>) {
  return (eb: Where) => {
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
export async function sessionItems(
  db: Db,
  filter: SessionFilter,
  page: { limit: number; offset: number },
): Promise<string[]> {
  const { rows } = await itemsOf(db, { ...narrowing(filter), ...page });
  return rows.map((row) => row.item);
}

type ItemsOf = ReturnType<typeof narrowing> & { limit: number; offset: number };
const itemsOf = kept((db, { limit, offset, ...narrow }: ItemsOf) =>
  db
    .selectFrom("sessions")
    .select("item")
    .where(matches(narrow))
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
  return await countWithin(db, "session", { accountId, gameId, equal }, { from, to }, (part) =>
    countRows(db, { ...filter, ...part }),
  );
}

async function countRows(db: Db, filter: SessionFilter): Promise<number> {
  const row = await db
    .selectFrom("sessions")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where(matches(narrowing(filter)))
    .executeTakeFirstOrThrow();
  return Number(row.total);
}

/** An account's session by id, or undefined. */
export async function findSession(db: Db, accountId: string, id: string): Promise<SessionRow | undefined> {
  return await byId(db, accountId, id).executeTakeFirst();
}

/** The same to be changed: held until the transaction ends. */
export async function lockSession(db: Db, accountId: string, id: string): Promise<SessionRow | undefined> {
  return await byId(db, accountId, id).forUpdate().executeTakeFirst();
}

const byId = (db: Db, accountId: string, id: string) =>
  db.selectFrom("sessions").selectAll().where("id", "=", id).where("account_id", "=", accountId);

/** A game's session by its id or by the client's own, to be changed: held until the transaction ends. */
export async function lockInGame(
  db: Db,
  gameId: string,
  column: "id" | "client_session_id",
  value: string,
): Promise<SessionRow | undefined> {
  return (await lockOne(db, { gameId, [column]: value })).rows[0];
}

type Place = { readonly gameId: string } & Partial<Pick<SessionRow, "id" | "client_session_id">>;
const lockOne = kept((db, { gameId, ...named }: Place) =>
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
    .values({ ...row, item: sessionItem(row), search: searchText(row) })
    .onConflict((conflict) => conflict.columns(["game_id", "client_session_id"]).doNothing())
    .executeTakeFirstOrThrow();
  if (!numInsertedOrUpdatedRows) return false;
  await countNewSession(db, row);
  await addSessions(db, row, 1);
  return true;
}

/** Changes a session's row, its list item and the counts with it; `session` is the row as it is stored. */
export async function updateSession(
  db: Db,
  session: ItemFields & Counted,
  changed: Partial<SessionRow>,
): Promise<void> {
  await countChange(db, session, changed);
  const { game_id: ofGame, id: ofSession } = session;
  await changeOne(db, { ...changed, item: sessionItem({ ...session, ...changed }), ofGame, ofSession });
}

type Changed = Partial<SessionRow> & { readonly ofGame: string; readonly ofSession: string };
const changeOne = kept((db, { ofGame, ofSession, ...changed }: Changed) =>
  db.updateTable("sessions").set(changed).where("game_id", "=", ofGame).where("id", "=", ofSession),
);
