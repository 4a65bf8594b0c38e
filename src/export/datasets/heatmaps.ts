/** heatmaps: where players were, with one row per cell of a room's grid, over all builds. */
import { keepAnnounced } from "../../client/client.ts";
import { addMissingRooms, announcesRooms, listRoomNames } from "../../client/heatmap-rooms.ts";
import {
  ALL_SOURCES,
  getHeatmap,
  type Heatmap,
  type HeatmapRoom,
  type HeatmapSource,
} from "../../contract/heatmaps.ts";
import { double, int64, string } from "../column.ts";
import { defineDataset, snapshot, toEnvironmentFilters } from "./dataset.ts";

interface HeatmapExportRow {
  readonly game: string;
  readonly environment: string | undefined;
  readonly room: HeatmapRoom;
  readonly cell: HeatmapRoom["cells"][number];
}

export const heatmaps = defineDataset<HeatmapExportRow>({
  name: "heatmaps",
  help: "where players were in each room, all builds combined",
  summary:
    "Where players were: one row per cell with positions, in the 12 rooms with the most positions of each environment, over all builds and sources",
  hasEnvironments: true,
  columns: [
    string("game", "Slug of the game", ({ game }) => game),
    string("environment", "Environment from --env; null for all combined", ({ environment }) => environment),
    string("room", "Name of the room", ({ room }) => room.room),
    int64("x", "Column of the cell, from 0", ({ cell }) => cell.x),
    int64("y", "Row of the cell, from 0", ({ cell }) => cell.y),
    double("intensity", "ln(1+n) / ln(1+max) within the room", ({ cell }) => cell.intensity, "0 to 1"),
    int64("cellsX", "Number of columns of the grid", ({ room }) => room.cellsX),
    int64("cellsY", "Number of rows of the grid", ({ room }) => room.cellsY),
    int64("totalEvents", "Number of positions in the room", ({ room }) => room.totalEvents),
    double("xMin", "Minimum x of the room", ({ room }) => room.bounds.xMin, "world units"),
    double("xMax", "Maximum x of the room", ({ room }) => room.bounds.xMax, "world units"),
    double("yMin", "Minimum y of the room", ({ room }) => room.bounds.yMin, "world units"),
    double("yMax", "Maximum y of the room", ({ room }) => room.bounds.yMax, "world units"),
  ],
  extent: null,
  counter: null,
  requests: ({ environments }) => Math.max(1, environments.length),
  parts: snapshot(async function* (reader, scope) {
    const { game } = scope;
    const request = async (env: string | undefined, room?: string) => {
      const offered = await keepAnnounced(reader.client, getHeatmap, {
        source: ALL_SOURCES as HeatmapSource,
      });
      return await reader.send(() => reader.client.getHeatmap({ game: game.id, env, room, ...offered }));
    };
    const results: { environment: string | undefined; heatmap: Heatmap }[] = [];
    for (const environment of toEnvironmentFilters(scope)) {
      results.push({ environment, heatmap: await request(environment) });
    }
    const names = listRoomNames(results.map(({ heatmap }) => heatmap));
    const hasRooms = await announcesRooms(reader.client);
    for (const { environment, heatmap } of results) {
      const one = hasRooms ? (room: string) => request(environment, room) : null;
      const complete = await addMissingRooms(heatmap, names, one);
      for (const room of complete.heatmap.rooms)
        yield room.cells.map((cell) => ({ game: game.slug, environment, room, cell }));
    }
  }),
});
