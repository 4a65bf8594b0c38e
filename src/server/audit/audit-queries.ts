/** Reads and writes the audit. */
import { sql } from "kysely";
import type { PageRange } from "../db/list-queries.ts";
import { countRows } from "../db/rows.ts";
import type { AuditRow, Db } from "../db/schema.ts";

interface AuditFilter {
  /** The earliest time, unix ms. */
  readonly since?: number | undefined;
  /** An action such as `keys.revoke`, or a group of actions such as `keys`. */
  readonly action?: string | undefined;
  /** What was changed, in any of these forms. */
  readonly targets?: readonly string[] | undefined;
}

/** Returns a page of the changes that match, newest first, and their total number. */
export async function findChanges(
  db: Db,
  filter: AuditFilter,
  { limit, offset }: PageRange,
): Promise<{ rows: AuditRow[]; total: number }> {
  const matching = selectMatching(db, filter);
  const total = await countRows(matching);
  const rows = await matching
    .selectAll()
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  return { rows, total };
}

function selectMatching(db: Db, { since, action, targets }: AuditFilter) {
  let query = db.selectFrom("audit");
  if (since !== undefined) query = query.where("at", ">=", since);
  if (targets !== undefined) query = query.where("target", "in", targets);
  if (action === undefined) return query;
  const group = `${action}.`;
  return query.where((eb) =>
    eb.or([
      eb("action", "=", action),
      eb(eb.fn("substr", ["action", sql.lit(1), sql.lit(group.length)]), "=", group),
    ]),
  );
}

/** Returns the oldest changes that no server has logged yet. The SQL contains the condition of the partial index. */
export async function findUnlogged(db: Db, limit: number): Promise<AuditRow[]> {
  return await db
    .selectFrom("audit")
    .selectAll()
    .where("logged", "=", sql.lit(0))
    .orderBy("at")
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** Marks a change as logged. Returns false if another server has done so. */
export async function markLogged(db: Db, { account_id, id }: AuditRow): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("audit")
    .set({ logged: 1 })
    .where((eb) => eb.and({ account_id, id, logged: 0 }))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
