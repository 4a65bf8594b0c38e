/** Heatmaps: where players were, a grid a room. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, gameParam, text } from "./fields.ts";
import { buildFilter, envFilter } from "./filters.ts";
import { game } from "./games.ts";

/** The grid of a room, and how many rooms an answer holds at most. */
export const GRID = { cellsX: 32, cellsY: 18, maxRooms: 12 } as const;

/** Characters of a room's name in a query at most. */
export const MAX_ROOM_NAME = 1024;

export const heatmapRoom = z.object({
  room: z.string(),
  cellsX: z.int().min(1),
  cellsY: z.int().min(1),
  cells: z
    .array(z.object({ x: count, y: count, intensity: z.number().min(0).max(1) }))
    .describe("Cells with at least one event, by y, then x; intensity is ln(1+n) / ln(1+max)"),
  totalEvents: count,
  bounds: z
    .object({ xMin: z.number(), xMax: z.number(), yMin: z.number(), yMax: z.number() })
    .describe("World units: the extremes of the positions taken"),
});
export type HeatmapRoom = z.output<typeof heatmapRoom>;

export const getHeatmap = defineRead({
  name: "getHeatmap",
  tool: "get_heatmap",
  path: "/api/v1/heatmaps/{game}",
  summary: "Positions by room, the 12 rooms with the most of them",
  tag: "heatmaps",
  names: { game: "game" },
  params: z.object({ game: gameParam }),
  query: z.object({ build: buildFilter.optional(), env: envFilter.optional() }),
  extensions: {
    room: text(1, MAX_ROOM_NAME)
      .optional()
      .describe("Room name, matched exactly: this room alone, however few positions it has"),
  },
  response: z.object({
    game,
    rooms: z.array(heatmapRoom),
    eventCount: count.describe("Positions in all rooms, before the cut to 12"),
  }),
  errors: ["not_found"],
});
export type Heatmap = z.output<typeof getHeatmap.response>;
