/** SQL of deletions: their locks, and what was derived from several sessions. */

import { sql } from "kysely";
import { countRows, readInParts } from "../db/rows.ts";
import type { Db } from "../db/schema.ts";
import type { Store } from "../db/store.ts";
import { lockArrivals } from "../telemetry/arrival-queries.ts";
import { addCounts, type RowCounts } from "./row-queries.ts";

/**
 * Waits until nobody else writes sessions, positions or arrivals, until the transaction ends. A deletion touches counters and
 * rows of many sessions, and takes only moments. SQLite has only one writer anyway.
 */
export async function lockForDeletion(db: Db, engine: Store["engine"], gameId: string): Promise<void> {
  if (engine === "postgres") {
    await sql`lock table sessions in exclusive mode`.execute(db);
    await lockArrivals(db);
  }
  // Compaction locks the game as well. Servers drop what they have cached of it.
  await db
    .updateTable("games")
    .set((eb) => ({ deletions: eb("deletions", "+", 1) }))
    .where("id", "=", gameId)
    .execute();
}

/** The columns of a session that decide what was derived from it. */
type DerivedSource = Awaited<ReturnType<typeof findDerivedSources>>[number];

/** The sessions of a game with the ids, as far as they exist. */
export async function findDerivedSources(db: Db, gameId: string, ids: readonly string[]) {
  return await readInParts(ids, (part) =>
    db
      .selectFrom("sessions")
      .select(["game_id", "id", "account_id", "build", "environment", "device_id"])
      .where("game_id", "=", gameId)
      .where("id", "in", part)
      .execute(),
  );
}

type DerivedTable =
  | "build_summaries"
  | "tester_summaries"
  | "experiment_digests"
  | "suggestion_answers"
  | "embeddings";

interface DerivedRows {
  readonly table: DerivedTable;
  readonly where: Readonly<Record<string, string>>;
}

/** What was generated from sessions, and may quote or describe them. It can be generated again without them. */
async function listDerived(db: Db, sessions: readonly DerivedSource[]): Promise<DerivedRows[]> {
  const found = new Map<string, DerivedRows>();
  const add = (rows: DerivedRows) => found.set(JSON.stringify(rows), rows);
  for (const { game_id, id, account_id, build, environment, device_id } of sessions) {
    add({ table: "build_summaries", where: { game_id, build, environment } });
    if (device_id !== null) add({ table: "tester_summaries", where: { game_id, device_id, environment } });
    add({ table: "suggestion_answers", where: { game_id } });
    add({ table: "embeddings", where: { account_id } });
    const exposures = await db
      .selectFrom("exposures")
      .select("experiment_id")
      .distinct()
      .where((eb) => eb.and({ game_id, session_id: id }))
      .execute();
    for (const { experiment_id } of exposures)
      add({ table: "experiment_digests", where: { game_id, experiment_id } });
  }
  return [...found.values()];
}

const matches = ({ where }: DerivedRows) =>
  sql<boolean>`${sql.join(
    Object.entries(where).map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
    sql` and `,
  )}`;

/** Counts what was derived from sessions, by table. */
export async function countDerived(db: Db, sessions: readonly DerivedSource[]): Promise<RowCounts> {
  const counts: RowCounts[] = [];
  for (const rows of await listDerived(db, sessions)) {
    counts.push({ [rows.table]: await countRows(db.selectFrom(rows.table).where(matches(rows))) });
  }
  return addCounts(...counts);
}

/** Deletes what was derived from sessions. Call it before their exposures are deleted. */
export async function deleteDerived(db: Db, sessions: readonly DerivedSource[]): Promise<RowCounts> {
  const counts: RowCounts[] = [];
  for (const rows of await listDerived(db, sessions)) {
    const { numDeletedRows } = await db.deleteFrom(rows.table).where(matches(rows)).executeTakeFirstOrThrow();
    counts.push({ [rows.table]: Number(numDeletedRows) });
  }
  return addCounts(...counts);
}
