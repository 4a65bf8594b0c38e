/** Heatmaps: the rooms with the most positions, each as a grid. */
import { GRID, type getHeatmap, type Heatmap } from "../../contract/heatmaps.ts";
import { jsonList, jsonObject } from "../json.ts";
import { gameOf, requireGame } from "../queries/games.ts";
import { roomPositions } from "../queries/positions.ts";
import type { Handler } from "./handler.ts";

export const handleGetHeatmap: Handler<typeof getHeatmap> = async (input, { db, accountId, service }) => {
  const game = await requireGame(db, accountId, input.game);
  const filter = { gameId: game.id, build: input.build, env: input.env === "all" ? undefined : input.env };
  const all = await roomPositions(db, filter);
  const rooms: string[] = [];
  for (const room of all.slice(0, GRID.maxRooms)) {
    rooms.push((await service.grids.room(db, filter, room)).text);
  }
  const eventCount = all.reduce((sum, { points }) => sum + points, 0);
  return jsonObject<Heatmap>({ game: gameOf(game), rooms: jsonList(rooms), eventCount });
};
