/** Tester handles of a game, with the rollups of their linked devices. */
import type { listHandles } from "../../contract/handles.ts";
import type { Handler } from "../accounts/handler.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import { findHandles } from "./handle-queries.ts";

export const handleListHandles: Handler<typeof listHandles> = async (input, { db, accountId }) => {
  const game = await requireGame(db, accountId, input.game);
  return { game: toGame(game), handles: await findHandles(db, game.id) };
};
