/** Handlers of the playtest batch endpoints. */
import type { getBatch, listBatches, listBatchInvites, listBatchKeys } from "../../contract/batches.ts";
import { HttpError } from "../../contract/errors.ts";
import type { Handler } from "../accounts/handler.ts";
import type { Db, GameRow, PlaytestBatchRow } from "../db/schema.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import {
  findBatch,
  findBatches,
  findInvites,
  findPlaytestKeys,
  readBatchDetail,
} from "./playtest-queries.ts";

export const handleListBatches: Handler<typeof listBatches> = async (input, { db, accountId }) => {
  const game = await requireGame(db, accountId, input.game);
  const { id, slug, name } = game;
  return { game: { id, slug, name }, batches: await findBatches(db, game.id) };
};

export const handleGetBatch: Handler<typeof getBatch> = async (input, { db, accountId }) => {
  const { game, batch } = await requireBatch(db, accountId, input);
  return { game: toGame(game), batch: await readBatchDetail(db, batch) };
};

export const handleListBatchKeys: Handler<typeof listBatchKeys> = async (
  input,
  { db, accountId, service },
) => {
  const { batch } = await requireBatch(db, accountId, input);
  return { batch: toBatchRef(batch), keys: await findPlaytestKeys(db, batch, service.now()) };
};

export const handleListBatchInvites: Handler<typeof listBatchInvites> = async (input, { db, accountId }) => {
  const { batch } = await requireBatch(db, accountId, input);
  return { batch: toBatchRef(batch), invites: await findInvites(db, batch) };
};

const toBatchRef = ({ id, name }: PlaytestBatchRow) => ({ id, name });

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
