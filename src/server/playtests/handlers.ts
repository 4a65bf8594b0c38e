/** Playtest batches: the lists of a game, and of a batch its keys and invites. */
import type { getBatch, listBatches, listBatchInvites, listBatchKeys } from "../../contract/batches.ts";
import { HttpError } from "../../contract/errors.ts";
import type { Handler } from "../accounts/handler.ts";
import type { Db, GameRow, PlaytestBatchRow } from "../db/schema.ts";
import { gameOf, requireGame } from "../games/queries.ts";
import { batchDetailOf, batchesOf, findBatch, invitesOf, keysOf } from "./queries.ts";

export const handleListBatches: Handler<typeof listBatches> = async (input, { db, accountId }) => {
  const game = await requireGame(db, accountId, input.game);
  const { id, slug, name } = game;
  return { game: { id, slug, name }, batches: await batchesOf(db, game.id) };
};

export const handleGetBatch: Handler<typeof getBatch> = async (input, { db, accountId }) => {
  const { game, batch } = await requireBatch(db, accountId, input);
  return { game: gameOf(game), batch: await batchDetailOf(db, batch) };
};

export const handleListBatchKeys: Handler<typeof listBatchKeys> = async (
  input,
  { db, accountId, service },
) => {
  const { batch } = await requireBatch(db, accountId, input);
  return { batch: nameOf(batch), keys: await keysOf(db, batch, service.now()) };
};

export const handleListBatchInvites: Handler<typeof listBatchInvites> = async (input, { db, accountId }) => {
  const { batch } = await requireBatch(db, accountId, input);
  return { batch: nameOf(batch), invites: await invitesOf(db, batch) };
};

const nameOf = ({ id, name }: PlaytestBatchRow) => ({ id, name });

async function requireBatch(
  db: Db,
  accountId: string,
  input: { readonly game: string; readonly batchId: string },
): Promise<{ game: GameRow; batch: PlaytestBatchRow }> {
  const game = await requireGame(db, accountId, input.game);
  const batch = await findBatch(db, game.id, input.batchId);
  if (!batch) throw new HttpError("not_found");
  return { game, batch };
}
