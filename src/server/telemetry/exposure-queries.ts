/** Writes exposures: which variant a session was played in. */
import type { Variant } from "../../contract/experiments.ts";
import type { Db, SessionRow } from "../db/schema.ts";

/**
 * Notes that a session was played in these variants. Tags of what is no experiment of the game, or no variant of it,
 * are passed over: whoever sends telemetry must not fill the table with them.
 */
export async function addExposures(
  db: Db,
  session: Pick<SessionRow, "game_id" | "id">,
  tags: Readonly<Record<string, string>>,
): Promise<void> {
  const known = await db
    .selectFrom("experiments")
    .select(["id", "variants"])
    .where("game_id", "=", session.game_id)
    .where("deleted_at", "is", null)
    .execute();
  const rows = known.flatMap(({ id, variants }) => {
    const key = Object.hasOwn(tags, id) ? tags[id] : undefined;
    const declared = (JSON.parse(variants) as Variant[]).some((variant) => variant.key === key);
    if (key === undefined || !declared) return [];
    return [{ game_id: session.game_id, experiment_id: id, session_id: session.id, variant_key: key }];
  });
  // A row a statement: every number of rows would be a statement that the connection keeps, prepared.
  for (const row of rows) {
    await db
      .insertInto("exposures")
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}
