/** Writes exposures: the variants of the experiments that a session took part in. */
import type { Variant } from "../../contract/experiments.ts";
import { insertNew } from "../db/rows.ts";
import type { Db, SessionRow } from "../db/schema.ts";

/**
 * Records the experiment tags of a session. Unknown experiments and variants are ignored, so that clients cannot fill the
 * table with arbitrary tags.
 */
export async function addExposures(
  db: Db,
  session: Pick<SessionRow, "game_id" | "id">,
  tags: Readonly<Record<string, string>>,
): Promise<void> {
  const experiments = await db
    .selectFrom("experiments")
    .select(["id", "variants"])
    .where("game_id", "=", session.game_id)
    .where("deleted_at", "is", null)
    .execute();
  const rows = experiments.flatMap(({ id, variants }) => {
    const key = Object.hasOwn(tags, id) ? tags[id] : undefined;
    const declared = (JSON.parse(variants) as Variant[]).some((variant) => variant.key === key);
    if (key === undefined || !declared) return [];
    return [{ game_id: session.game_id, experiment_id: id, session_id: session.id, variant_key: key }];
  });
  // One row per statement, because each row count would need its own prepared statement.
  for (const row of rows) await insertNew(db, "exposures", row);
}
