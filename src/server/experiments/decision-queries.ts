/** Reads and writes the decisions of experiments, and finds the experiments that webhooks wait for. */
import { sql } from "kysely";
import { deleteRows } from "../db/rows.ts";
import type { Db } from "../db/schema.ts";
import { isReachable } from "../db/sharding.ts";
import type { ExperimentKey } from "./exposure-queries.ts";

/**
 * The running experiments without a decision that were last checked at or before `since`, and whose account has a
 * webhook. At most `limit`.
 */
export async function findUndecided(db: Db, since: number, limit: number) {
  return await db
    .selectFrom("experiments")
    .leftJoin("experiment_decisions", (join) =>
      join
        .onRef("experiment_decisions.game_id", "=", "experiments.game_id")
        .onRef("experiment_decisions.experiment_id", "=", "experiments.id"),
    )
    .select(["experiments.game_id", "experiments.id", "experiments.account_id"])
    .where(isReachable(db, "experiments.game_id"))
    .where("experiments.status", "=", "running")
    .where("experiments.winner_variant_key", "is", null)
    .where("experiments.deleted_at", "is", null)
    .where("experiment_decisions.variant_key", "is", null)
    .where(sql<boolean>`coalesce(experiment_decisions.checked_at, 0) <= ${since}`)
    .where("experiments.account_id", "in", (eb) => eb.selectFrom("webhooks").select("account_id").distinct())
    .orderBy("experiments.id")
    .limit(limit)
    .execute();
}

/** Records the time of a check. Returns false if another server has checked the experiment since `since`. */
export async function claimCheck(
  db: Db,
  { game_id, id }: ExperimentKey,
  since: number,
  now: number,
): Promise<boolean> {
  const row = { game_id, experiment_id: id, variant_key: null, checked_at: now };
  const result = await db
    .insertInto("experiment_decisions")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(["game_id", "experiment_id"])
        .doUpdateSet({ checked_at: now })
        .where("experiment_decisions.variant_key", "is", null)
        .where("experiment_decisions.checked_at", "<=", since),
    )
    .returning("checked_at")
    .executeTakeFirst();
  return result !== undefined;
}

/** Records the decision. Returns false if the experiment already has one. */
export async function recordDecision(
  db: Db,
  { game_id, id }: ExperimentKey,
  variantKey: string,
  now: number,
): Promise<boolean> {
  const result = await db
    .insertInto("experiment_decisions")
    .values({ game_id, experiment_id: id, variant_key: variantKey, checked_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(["game_id", "experiment_id"])
        .doUpdateSet({ variant_key: variantKey, checked_at: now })
        .where("experiment_decisions.variant_key", "is", null),
    )
    .returning("checked_at")
    .executeTakeFirst();
  return result !== undefined;
}

export async function forgetDecision(db: Db, { game_id, id }: ExperimentKey): Promise<void> {
  await deleteRows(db, "experiment_decisions", { game_id, experiment_id: id });
}
