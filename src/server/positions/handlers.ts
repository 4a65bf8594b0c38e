/** Heatmaps: grids of the rooms with the most positions, or of one room. */
import { ALL_SOURCES, GRID, type getHeatmap, type Heatmap } from "../../contract/heatmaps.ts";
import { EVENTS } from "../../shared/event-names.ts";
import { SOURCES } from "../../shared/session-sources.ts";
import type { Handler } from "../accounts/handler.ts";
import { jsonList, jsonObject } from "../core/responses.ts";
import { requireGame, toGame } from "../games/queries.ts";
import type { PositionsService } from "./heatmap-cache.ts";
import { countOmitted } from "./omitted.ts";
import { type PositionFilter, readRoomPositions } from "./queries.ts";

export const handleGetHeatmap: Handler<typeof getHeatmap, PositionsService> = async (
  input,
  { db, accountId, service },
) => {
  const game = await requireGame(db, accountId, input.game);
  const source = input.source ?? SOURCES.unity;
  const filter: PositionFilter = {
    gameId: game.id,
    event: input.event ?? EVENTS.position,
    source: source === ALL_SOURCES ? undefined : source,
    build: input.build,
    env: input.env === "all" ? undefined : input.env,
  };
  const all = await readRoomPositions(db, filter);
  const shown =
    input.room === undefined ? all.slice(0, GRID.maxRooms) : all.filter(({ room }) => room === input.room);
  const rooms: string[] = [];
  for (const room of shown) {
    rooms.push((await service.heatmapCache.room(db, game, filter, room)).text);
  }
  const eventCount = all.reduce((sum, { points }) => sum + points, 0);
  const heatmap = { game: toGame(game), rooms: jsonList<Heatmap["rooms"][number]>(rooms), eventCount };
  // Without extension parameters, the response only has the fields of the API document.
  if (input.source === undefined && input.event === undefined) return jsonObject<Heatmap>(heatmap);
  return jsonObject<Heatmap>({ ...heatmap, omitted: await countOmitted(db, filter, eventCount) });
};
