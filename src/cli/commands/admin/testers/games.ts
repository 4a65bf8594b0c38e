/** The games that a command about a tester covers. */
import { findAccountGames } from "../../../../server/games/game-queries.ts";
import type { Context } from "../../../context.ts";
import { type AdminContext, requireNamedGame } from "../administer.ts";

/**
 * The game of the flag --game, or else every game of the account: a game that only a profile or a file sets must not limit an
 * erasure without notice.
 */
export async function findTesterGames({ settings }: Context, { db, accountId }: AdminContext) {
  const { game } = settings.flags;
  if (game !== undefined) return [await requireNamedGame(db, accountId, game)];
  return await findAccountGames(db, accountId);
}
