/** Heatmaps: where players were, with one grid per room. */
import * as z from "zod";
import { defineRead } from "./define.ts";
import { count, openEnum, orNull, text } from "./fields.ts";
import { buildFilter, envFilter } from "./filters.ts";
import { game } from "./games.ts";
import { planeChoices, planeOrigins, planes } from "./heatmap-planes.ts";
import { sessionSources } from "./sessions.ts";
import { playerName } from "./telemetry.ts";

/** The size of a room's grid, and the maximum number of rooms in a response. */
export const GRID = { cellsX: 32, cellsY: 18, maxRooms: 12 } as const;

export const MAX_REQUESTED_ROOMS = 100;

export const MAX_ROOM_NAME = 1024;

export const heatmapRoom = z.object({
  room: z.string(),
  cellsX: z.int().min(1).describe("Number of columns"),
  cellsY: z.int().min(1).describe("Number of rows"),
  cells: z
    .array(z.object({ x: count, y: count, intensity: z.number().min(0).max(1) }))
    .describe("Non-empty cells, sorted by y, then x. intensity is ln(1 + n) / ln(1 + max)"),
  totalEvents: count.describe("Number of positions in the room"),
  bounds: z
    .object({ xMin: z.number(), xMax: z.number(), yMin: z.number(), yMax: z.number() })
    .describe("Smallest and largest coordinates of the positions, in world units"),
  outside: count.optional().describe("Positions outside the bounds, which no cell has. Only with `bounds`"),
  plane: openEnum(planes)
    .optional()
    .describe(
      "The axes that are the x and y of this room: xy, xz or zy. Only with `plane` or `floor`; absent for rooms whose positions have no z",
    ),
  planeFrom: openEnum(planeOrigins)
    .optional()
    .describe(
      "Where the plane comes from: set in the event config, sent by the game, guessed from the positions, or the request",
    ),
  floors: count.optional().describe("Number of floors of the room. Only with `plane` or `floor`"),
  yUp: z
    .boolean()
    .optional()
    .describe("True if the y of this room grows upward in the engine. Only with `plane` or `floor`"),
  withoutZ: count
    .optional()
    .describe("Positions that have no z, and are not in this picture. Only with `plane` or `floor`"),
  otherFloors: count.optional().describe("Positions that are not on the floor. Only with `floor`"),
});
export type HeatmapRoom = z.output<typeof heatmapRoom>;

/** The value of `source` that combines all sources. */
export const ALL_SOURCES = "all";

/** Which bounds rooms have: those of all positions, or without far outliers. */
export const boundsChoices = ["full", "robust"] as const;
export type BoundsChoice = (typeof boundsChoices)[number];

export const heatmapSources = [ALL_SOURCES, ...sessionSources] as const;
export type HeatmapSource = (typeof heatmapSources)[number];

/** Events that match the game, build and environment, but that the heatmap does not include. */
export const heatmapOmissions = z.object({
  otherSources: z
    .record(z.string(), count)
    .describe("Number of positions of this event by source, for sources that are not included"),
  withoutPosition: orNull(count).describe(
    "Number of events with this name that have no stored position, because their data has no finite x and y or no room. Null if unknown",
  ),
  otherEvents: z
    .record(z.string(), count)
    .optional()
    .describe(
      "Number of positions by event, for the most frequent other events. Only if no position matches",
    ),
});
export type HeatmapOmissions = z.output<typeof heatmapOmissions>;

/** What can be marked over a heatmap: failures of players, and where their sessions ended. */
export const markKinds = ["deaths", "quits"] as const;
export type MarkKind = (typeof markKinds)[number];

export const markSelections = ["deaths", "quits", "deaths,quits"] as const;
export type MarkSelection = (typeof markSelections)[number];

export const listMarkKinds = (selection: MarkSelection): MarkKind[] =>
  markKinds.filter((kind) => selection.split(",").includes(kind));

export const heatmapMarks = z.object({
  kind: openEnum(markKinds),
  events: z.array(z.string()).describe("Names that count as deaths"),
  total: count.describe("With a position, in all rooms"),
  withoutPosition: count,
  isLimited: z.boolean().describe("Only the newest 200 ended sessions are read"),
  rooms: z.array(
    z.object({
      room: z.string(),
      points: z.array(z.object({ x: z.number(), y: z.number(), count })),
    }),
  ),
});
export type HeatmapMarks = z.output<typeof heatmapMarks>;

/** What a session did in a room, by which its path is drawn. */
export const pathOutcomes = ["completed", "failed", "quit", "left"] as const;
export type PathOutcome = (typeof pathOutcomes)[number];

/** The maximum number of sessions whose paths are returned. */
export const MAX_PATHS = 50;

export const heatmapPath = z.object({
  sessionId: z.string(),
  player: orNull(z.string()).describe("The player of the device; null if the positions name none"),
  room: z.string(),
  outcome: openEnum(pathOutcomes).describe(
    "quit: the session ended in the room. completed or failed: it did so there. left: neither",
  ),
  points: z
    .array(z.object({ x: z.number(), y: z.number() }))
    .describe("In the order of time, at most 200 of them, in the axes of the room"),
});
export type HeatmapPath = z.output<typeof heatmapPath>;

export const MAX_OTHER_EVENTS = 20;

export const getHeatmap = defineRead({
  name: "getHeatmap",
  tool: "get_heatmap",
  path: "/api/v1/heatmaps/{game}",
  summary: "Get a heatmap of positions for the 12 rooms with the most positions",
  tag: "heatmaps",
  query: z.object({ build: buildFilter.optional(), env: envFilter.optional() }),
  extensions: {
    room: text(1, MAX_ROOM_NAME).optional().describe("Only this room (exact name), even outside the top 12"),
    maxRooms: z
      .int()
      .min(1)
      .optional()
      .describe(`Maximum number of rooms (default: ${GRID.maxRooms}; capped at ${MAX_REQUESTED_ROOMS})`),
    source: z
      .enum(heatmapSources)
      .optional()
      .describe("Sessions from this source, or from all (default: unity-telemetry)"),
    event: text(1, 120).optional().describe("Where this event happened (default: player_pos)"),
    bounds: z
      .enum(boundsChoices)
      .optional()
      .describe(
        "Bounds of each room: of all positions (full, the default), or without outliers that would squeeze all others (robust)",
      ),
    plane: z
      .enum(planeChoices)
      .optional()
      .describe(
        "The axes to draw: xy, xz or zy, or those of each room (auto): set in the event config, sent by the game, or guessed. Without it, x and y as they were sent",
      ),
    floor: z
      .int()
      .min(1)
      .optional()
      .describe(
        "Only positions on this floor, from 1 for the first range in the event config. Rooms without it are left out",
      ),
    player: playerName.optional().describe("Only positions whose `data.player` is this player of a device"),
    marks: z
      .enum(markSelections)
      .optional()
      .describe("Also return where players died and where their sessions ended"),
    paths: z
      .int()
      .min(1)
      .optional()
      .describe(
        `Also return the paths of this many sessions through the rooms, the newest ended ones (capped at ${MAX_PATHS})`,
      ),
  },
  response: z.object({
    game,
    rooms: z.array(heatmapRoom),
    eventCount: count.describe("Number of positions in all rooms, including rooms that are not returned"),
    omitted: heatmapOmissions.optional().describe("What is not included. Only with `source` or `event`"),
    marks: z.array(heatmapMarks).optional(),
    paths: z.array(heatmapPath).optional(),
  }),
});
export type Heatmap = z.output<typeof getHeatmap.response>;
