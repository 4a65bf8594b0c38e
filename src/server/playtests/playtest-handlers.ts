/** Handlers of the playtest batch endpoints. */
import type { getBatch, listBatches, listBatchInvites, listBatchKeys } from "../../contract/batches.ts";
import { HttpError } from "../../contract/errors.ts";
import type { listNeverPlayed, NeverPlayedItem, NeverPlayedReason } from "../../contract/tester-list.ts";
import { type Handler, pageEnd, toPage } from "../accounts/handler.ts";
import type { Db, GameRow, PlaytestBatchRow } from "../db/schema.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import { countNeverPlayed, findNeverPlayed, type NeverPlayedRow } from "./never-played-queries.ts";
import {
  computeKeyStatus,
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

export const handleListNeverPlayed: Handler<typeof listNeverPlayed> = async (
  input,
  { db, accountId, service },
) => {
  const { id: gameId } = await requireGame(db, accountId, input.game);
  if (input.batch !== undefined && !(await findBatch(db, gameId, input.batch)))
    throw new HttpError("not_found");
  const filter = { gameId, batchId: input.batch };
  const page = toPage(input);
  const rows = await findNeverPlayed(db, filter, page);
  const items = rows.map((row) => toItem(row, service.now()));
  return { items, ...pageEnd(page.offset, items.length, await countNeverPlayed(db, filter)) };
};

function toItem(row: NeverPlayedRow, now: number): NeverPlayedItem {
  return {
    keyId: row.id,
    keyStatus: computeKeyStatus(row.status, row.expires_at, now),
    inviteId: row.tester_invite_id,
    batch: { id: row.batch_id, name: row.batch_name },
    email: row.email,
    handle: row.handle,
    reason: findReason(row),
    sentAt: row.sent_at,
    openedAt: row.opened_at,
    redeemedAt: row.redeemed_at,
  };
}

/** What is known about the tester of a key without a session. */
function findReason({ status, redeemed_at, device_id }: NeverPlayedRow): NeverPlayedReason {
  if (redeemed_at === null) return status === "revoked" ? "revoked" : "not-redeemed";
  return device_id === null ? "not-linked" : "no-session";
}
