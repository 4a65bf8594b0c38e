/** Reads and writes gates. */
import type { Gate, GateState } from "../../contract/gates.ts";
import { type GateConfig, requiredTesters } from "../../gate/config.ts";
import { defineStoredList } from "../db/list-queries.ts";
import { countRows, insertRow } from "../db/rows.ts";
import type { Db, GateRow } from "../db/schema.ts";
import { isReachable } from "../db/sharding.ts";

/** The number of decided gates of a game that are kept. */
const MAX_DECIDED = 1000;

export const readRules = ({ rules }: Pick<GateRow, "rules">) => JSON.parse(rules) as GateConfig;

export function toGate(row: GateRow): Gate {
  return {
    ...{ id: row.id, state: row.state, a: row.a, b: row.b, environment: row.environment },
    ...{ commit: row.commit_hash, to: row.receiver, minTesters: requiredTesters(readRules(row)) },
    ...{ testers: row.testers, openedAt: row.opened_at, deadline: row.deadline },
    ...{ decidedAt: row.decided_at, answer: row.answer, delivery: row.delivery },
  };
}

export const storedGates = defineStoredList((db: Db) => db.selectFrom("gates"), {
  select: [
    ...(["game_id", "id", "account_id", "a", "b", "environment", "commit_hash", "judged_sessions"] as const),
    ...(["receiver", "rules", "state", "opened_at", "deadline", "testers", "decided_at", "answer"] as const),
    "delivery",
  ],
  game: "game_id",
  filters: { build: "b", state: "state" },
  time: "opened_at",
  id: "id",
  toItem: toGate,
});

const OPEN: GateState = "open";

/** The open gate for the same builds, commit and receiver; undefined without one. */
export async function findSameGate(db: Db, { game_id, a, b, environment, commit_hash, receiver }: GateRow) {
  return await db
    .selectFrom("gates")
    .selectAll()
    .where((eb) => eb.and({ game_id, a, b, environment, receiver, state: OPEN }))
    .where("commit_hash", "is not distinct from", commit_hash)
    .executeTakeFirst();
}

export async function countOpenGates(db: Db, gameId: string): Promise<number> {
  return await countRows(db.selectFrom("gates").where((eb) => eb.and({ game_id: gameId, state: OPEN })));
}

/** Stores a gate, and deletes the oldest decided ones beyond those that are kept. */
export async function insertGate(db: Db, row: GateRow): Promise<void> {
  await insertRow(db, "gates", row);
  const old = await db
    .selectFrom("gates")
    .select("id")
    .where("game_id", "=", row.game_id)
    .where("state", "!=", OPEN)
    .orderBy("opened_at", "desc")
    .orderBy("id")
    .limit(MAX_DECIDED)
    .offset(MAX_DECIDED)
    .execute();
  const ids = old.map(({ id }) => id);
  if (ids.length === 0) return;
  await db.deleteFrom("gates").where("game_id", "=", row.game_id).where("id", "in", ids).execute();
}

/** Open gates of all games after one, in the order of their keys. At most `limit`. */
export async function findOpenGates(db: Db, after: Pick<GateRow, "game_id" | "id">, limit: number) {
  return await db
    .selectFrom("gates")
    .selectAll()
    .where(isReachable(db, "game_id"))
    .where("state", "=", OPEN)
    .where((eb) =>
      eb.or([
        eb("game_id", ">", after.game_id),
        eb.and([eb("game_id", "=", after.game_id), eb("id", ">", after.id)]),
      ]),
    )
    .orderBy("game_id")
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** Changes an open gate. Returns false if it was decided or renewed meanwhile. */
export async function updateOpenGate(
  db: Db,
  { game_id, id, rules, deadline }: Pick<GateRow, "game_id" | "id" | "rules" | "deadline">,
  update: Partial<GateRow>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("gates")
    .set(update)
    .where((eb) => eb.and({ game_id, id, rules, deadline, state: OPEN }))
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}
