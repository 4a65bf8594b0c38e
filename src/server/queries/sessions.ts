/** Reads sessions: lists by filter, and one in full. */
import { type ExpressionBuilder, sql } from "kysely";
import type { Db, Schema, SessionRow } from "../db/schema.ts";
import { foldCase } from "../ingest/session-item.ts";

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
      account_id: filter.accountId,
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

/** How many sessions match. */
export async function countSessions(db: Db, filter: SessionFilter): Promise<number> {
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
