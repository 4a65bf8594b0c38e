/** Lists the invited people and the redeemed keys that no session belongs to. */
import { HttpError } from "../../contract/errors.ts";
import type { listNeverPlayed, NeverPlayedItem, NeverPlayedReason } from "../../contract/tester-list.ts";
import { type Handler, pageEnd, toPage } from "../accounts/handler.ts";
import { requireGame } from "../games/game-queries.ts";
import { countNeverPlayed, findNeverPlayed, type NeverPlayedRow } from "./never-played-queries.ts";
import { computeKeyStatus, findBatch } from "./playtest-queries.ts";

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
function findReason({ status, device_id }: NeverPlayedRow): NeverPlayedReason {
  if (status !== "redeemed") return "not-redeemed";
  return device_id === null ? "not-linked" : "no-session";
}
