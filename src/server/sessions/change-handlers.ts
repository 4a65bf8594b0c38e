/** Lists the hours of a game with changes since a cursor. */
import { HttpError } from "../../contract/errors.ts";
import { type listChanges, MAX_CHANGED_HOURS } from "../../contract/session-changes.ts";
import { HOUR_MS } from "../../shared/time-units.ts";
import type { Handler } from "../accounts/handler.ts";
import { decodeCursor, encodeCursor } from "../core/cursors.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import { type ChangePosition, findChangesAfter, findLastChange } from "./change-queries.ts";

/**
 * How much a cursor repeats, ms. A change becomes visible later than its time if its transaction takes long, if the clock
 * of another server is behind, or if it is a batch within the interval of an earlier one.
 */
const OVERLAP_MS = HOUR_MS;

/** Later than every hour. */
const LAST_HOUR = 999_999_999_999_999;

export const handleListChanges: Handler<typeof listChanges> = async ({ game: name, since }, context) => {
  const { db, accountId, service } = context;
  const game = await requireGame(db, accountId, name);
  const cursor = since === undefined ? null : parseCursor(since);
  // Later changes have later times than the last one, even if the clock is set back.
  const lastChange = (await findLastChange(db, game.id)) ?? 0;
  const next = cursor?.next ?? Math.max(0, Math.min(lastChange, service.now() - OVERLAP_MS));
  const found = cursor === null ? [] : await findChangesAfter(db, game.id, cursor, MAX_CHANGED_HOURS + 1);
  const page = found.slice(0, MAX_CHANGED_HOURS);
  const hasMore = found.length > page.length;
  const last = page.at(-1);
  return {
    game: toGame(game),
    hours: page.map(({ hour }) => hour * HOUR_MS),
    hasMore,
    cursor:
      hasMore && last !== undefined
        ? encodeCursor([last.changed_at, last.hour, next])
        : encodeCursor([next, LAST_HOUR, 0]),
  };
};

/** A position, and where the next list starts; null if this is the first page of a list. */
function parseCursor(since: string): ChangePosition & { readonly next: number | null } {
  const [changed_at, hour, next] = decodeCursor(since, 3) ?? [];
  if (changed_at === undefined || hour === undefined || next === undefined)
    throw new HttpError("bad_request", { message: `since: ${JSON.stringify(since)} is not a cursor` });
  return { changed_at, hour, next: next === 0 ? null : next };
}
