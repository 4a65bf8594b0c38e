/** Reads and writes the use of budgets, and the limits that operators set. */
import { sql } from "kysely";
import { deleteRows, putRow } from "../rows.ts";
import type { BudgetLimitRow, BudgetUseRow, Db } from "../schema.ts";
import type { BudgetName } from "./definitions.ts";

/** Whose use is counted: an ingest key (by its hash), a game or an account. */
export type Subject = `key:${string}` | `game:${string}` | `account:${string}`;

export const toKeySubject = (hash: string): Subject => `key:${hash}`;
export const toGameSubject = (gameId: string): Subject => `game:${gameId}`;
export const toAccountSubject = (accountId: string): Subject => `account:${accountId}`;

/** What subjects have used on a day. `day` is its start, unix ms. */
export async function findUses(db: Db, subjects: readonly Subject[], day: number): Promise<BudgetUseRow[]> {
  return await db
    .selectFrom("budget_uses")
    .selectAll()
    .where("subject", "in", subjects)
    .where("day", "=", day)
    .orderBy("subject")
    .orderBy("budget")
    .execute();
}

/** The limits that operators have set for subjects. */
export async function findLimits(db: Db, subjects: readonly Subject[]): Promise<BudgetLimitRow[]> {
  return await db.selectFrom("budget_limits").selectAll().where("subject", "in", subjects).execute();
}

/** Adds to what was used, in the order of the keys, so that two servers cannot wait for each other. */
export async function addUses(db: Db, rows: readonly BudgetUseRow[]): Promise<void> {
  const key = ({ subject, day, budget }: BudgetUseRow) => `${subject} ${day} ${budget}`;
  for (const row of rows.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)))
    await db
      .insertInto("budget_uses")
      .values(row)
      .onConflict((conflict) =>
        conflict
          .columns(["subject", "day", "budget"])
          .doUpdateSet({ used: sql<number>`budget_uses.used + excluded.used` }),
      )
      .execute();
}

/** Deletes the use of days before `day`. */
export async function deleteOldUses(db: Db, day: number): Promise<void> {
  await db.deleteFrom("budget_uses").where("day", "<", day).execute();
}

/** Sets a limit: a number, null for none, or undefined for the default. */
export async function setLimit(
  db: Db,
  subject: Subject,
  budget: BudgetName,
  limit: number | null | undefined,
): Promise<void> {
  if (limit === undefined) await deleteRows(db, "budget_limits", { subject, budget });
  else await putRow(db, "budget_limits", { subject, budget, max_use: limit });
}
