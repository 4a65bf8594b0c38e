/** Reads and writes experiments, their audiences and their digests. Deleted experiments are never returned. */

import { HttpError } from "../../contract/errors.ts";
import type { Experiment, ExperimentDigest, Variant } from "../../contract/experiments.ts";
import { isInGames, searchGames } from "../db/account-games.ts";
import { findRow } from "../db/rows.ts";
import type { AudienceRow, Db, ExperimentRow } from "../db/schema.ts";

/** An experiment with its audience. Both audience fields are null if it has none. */
export interface ExperimentWithAudience extends ExperimentRow {
  readonly audience_name: string | null;
  /** JSON: the audience's predicates. */
  readonly predicates: string | null;
}

function selectExperiments(db: Db) {
  return db
    .selectFrom("experiments")
    .leftJoin("audiences", (join) =>
      join
        .onRef("audiences.game_id", "=", "experiments.game_id")
        .onRef("audiences.id", "=", "experiments.audience_id"),
    )
    .selectAll("experiments")
    .select(["audiences.name as audience_name", "audiences.predicates"])
    .where("experiments.deleted_at", "is", null);
}

/** A game's experiments, newest first. */
export async function findExperiments(db: Db, gameId: string): Promise<ExperimentWithAudience[]> {
  return await selectExperiments(db)
    .where("experiments.game_id", "=", gameId)
    .orderBy("experiments.created_at", "desc")
    .orderBy("experiments.id")
    .execute();
}

/** A game's running experiments, oldest first. */
export async function findRunningExperiments(db: Db, gameId: string): Promise<ExperimentWithAudience[]> {
  return await selectExperiments(db)
    .where((eb) => eb.and({ "experiments.game_id": gameId, "experiments.status": "running" }))
    .orderBy("experiments.created_at")
    .orderBy("experiments.id")
    .execute();
}

/** An account's experiment by id. Throws `not_found` if it does not exist, is deleted or belongs to another account. */
export async function requireExperiment(
  db: Db,
  accountId: string,
  id: string,
): Promise<ExperimentWithAudience> {
  const row = await searchGames(db, accountId, (games) =>
    selectExperiments(db)
      .where((eb) => eb.and({ "experiments.id": id, "experiments.account_id": accountId }))
      .where(isInGames(games, "experiments.game_id"))
      .executeTakeFirst(),
  );
  if (!row) throw new HttpError("not_found");
  return row;
}

/** The variants in declared order. */
export function parseVariants(row: Pick<ExperimentRow, "variants">): Variant[] {
  return JSON.parse(row.variants) as Variant[];
}

/** An experiment in the format of the API. */
export function toExperiment(row: ExperimentWithAudience): Experiment {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    variants: parseVariants(row),
    audienceId: row.audience_id,
    audienceName: row.audience_name,
    winnerVariantKey: row.winner_variant_key,
    startedAt: row.started_at,
    stoppedAt: row.stopped_at,
    ...(row.crash_margin === null ? {} : { crashMargin: row.crash_margin }),
  };
}

/** A game's audiences, newest first. */
export async function findAudiences(db: Db, gameId: string): Promise<AudienceRow[]> {
  return await db
    .selectFrom("audiences")
    .selectAll()
    .where("game_id", "=", gameId)
    .orderBy("created_at", "desc")
    .orderBy("id")
    .execute();
}

/** A game's audience by id. Throws `not_found`. */
export async function requireAudience(db: Db, gameId: string, id: string): Promise<AudienceRow> {
  const row = await findRow(db, "audiences", { game_id: gameId, id });
  if (!row) throw new HttpError("not_found", { message: `Audience ${JSON.stringify(id)} not found` });
  return row;
}

/** The stored digest of an experiment, or null. */
export async function findDigest(
  db: Db,
  gameId: string,
  experimentId: string,
): Promise<ExperimentDigest | null> {
  const row = await findRow(db, "experiment_digests", { game_id: gameId, experiment_id: experimentId });
  if (!row) return null;
  return {
    status: row.status,
    confidenceLabel: row.confidence_label,
    generatedAt: row.generated_at,
    digest: JSON.parse(row.digest) as ExperimentDigest["digest"],
  };
}
