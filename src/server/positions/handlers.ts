/** Heatmaps: grids of the rooms with the most positions, or of one room. */
import { GRID, type getHeatmap, type Heatmap } from "../../contract/heatmaps.ts";
import type { Handler } from "../accounts/handler.ts";
import { jsonList, jsonObject } from "../core/responses.ts";
import { requireGame, toGame } from "../games/queries.ts";
import type { PositionsService } from "./heatmap-cache.ts";
import { readRoomPositions } from "./queries.ts";

export const handleGetHeatmap: Handler<typeof getHeatmap, PositionsService> = async (
  input,
  { db, accountId, service },
) => {
  const game = await requireGame(db, accountId, input.game);
  const filter = { gameId: game.id, build: input.build, env: input.env === "all" ? undefined : input.env };
  const all = await readRoomPositions(db, filter);
  const shown =
    input.room === undefined ? all.slice(0, GRID.maxRooms) : all.filter(({ room }) => room === input.room);
  const rooms: string[] = [];
  for (const room of shown) {
    rooms.push((await service.heatmapCache.room(db, filter, room)).text);
  }
  const eventCount = all.reduce((sum, { points }) => sum + points, 0);
  return jsonObject<Heatmap>({ game: toGame(game), rooms: jsonList(rooms), eventCount });
};
