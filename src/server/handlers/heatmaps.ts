/** Heatmaps: the rooms with the most positions, each as a grid. */
import { GRID, type getHeatmap, type HeatmapRoom } from "../../contract/heatmaps.ts";
import { RoomGrid } from "../heatmap.ts";
import { gameOf, requireGame } from "../queries/games.ts";
import { roomExtents, roomPoints } from "../queries/positions.ts";
import type { Handler } from "./handler.ts";

export const handleGetHeatmap: Handler<typeof getHeatmap> = async (input, { db, accountId }) => {
  const game = await requireGame(db, accountId, input.game);
  const filter = { gameId: game.id, build: input.build, env: input.env };
  const extents = await roomExtents(db, filter);
  const rooms: HeatmapRoom[] = [];
  for (const extent of extents.slice(0, GRID.maxRooms)) {
    const grid = new RoomGrid(extent);
    for await (const points of roomPoints(db, filter, extent.room)) grid.add(points);
    rooms.push(grid.finish());
  }
  const eventCount = extents.reduce((sum, extent) => sum + extent.points, 0);
  return { game: gameOf(game), rooms, eventCount };
};
