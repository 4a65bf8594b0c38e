/** The batch argument of commands. */
import type { PlaytestBatchRow } from "../../../../server/db/schema.ts";
import { findBatch } from "../../../../server/playtests/playtest-queries.ts";
import { fail } from "../../../errors.ts";
import type { AdminContext } from "../administer.ts";

export const batchArgument = { name: "<batch>", describe: "batch id" };

/** A batch of the game. Throws `not_found`. */
export async function requireBatch(
  { db, game, note, wholeId }: AdminContext,
  text = "",
): Promise<PlaytestBatchRow> {
  const { id: gameId, slug } = await game();
  const id = await wholeId("ptb", text);
  const row = await findBatch(db, gameId, id);
  if (row) {
    note.target = row.id;
    return row;
  }
  throw fail("not_found", {
    message: `Batch ${JSON.stringify(id)} not found in game ${slug}`,
    hint: "Run `playtest batches list` to list batches.",
  });
}
