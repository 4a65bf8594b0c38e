/** heatmap: draws player positions room by room. */
import type { HeatmapView } from "../../../charts/heatmap-view.ts";
import { moveBounds } from "../../../charts/orient-heatmap.ts";
import { checkInput, keepAnnounced } from "../../../client/client.ts";
import { DEFAULT_ENV } from "../../../contract/fields.ts";
import { AUTO_PLANE, MAX_FLOORS, type PlaneChoice, planeChoices } from "../../../contract/heatmap-planes.ts";
import {
  ALL_SOURCES,
  type BoundsChoice,
  boundsChoices,
  getHeatmap,
  type HeatmapSource,
  heatmapSources,
} from "../../../contract/heatmaps.ts";
import type { HeatmapRenderOptions } from "../../../render/heatmap/heatmap.ts";
import { paletteNames } from "../../../render/palettes/index.ts";
import { quoteForShell } from "../../../render/shell.ts";
import type { LevelMap } from "../../../render/svg/heatmap-frame.ts";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { inEnvironment } from "../../default-environment.ts";
import { fail } from "../../errors.ts";
import { choice, integer, list, text, toggle } from "../../flags.ts";
import type { Io } from "../../io.ts";
import { formatFlag, repeatSelection } from "../../suggested-commands.ts";
import { type OutFile, resolveOutFile, writeOutFile } from "./out-file.ts";
import { checkDiffFlags, parseMarks, parseOrigins, requestHeatmap } from "./request.ts";

const DEFAULT_CELLS = 20;

/** The number of sessions whose paths are drawn. A picture cannot show more. */
const DRAWN_PATHS = 20;

/** Pictures leave out outliers that would squeeze all other positions. */
const ROBUST: BoundsChoice = "robust";

interface Defaults {
  readonly source?: HeatmapSource;
  readonly bounds?: BoundsChoice;
  readonly plane?: PlaneChoice;
  readonly wanted?: HeatmapSource;
}

const heatmapCommand = command({
  path: "heatmap",
  summary: "Draw heatmaps of player positions by room",
  details:
    "Draws where players were in the busiest room, or where another event happened. `playtest help heatmap-drawing` " +
    "explains positions, directions and marks.",
  topic: {
    name: "heatmap-drawing",
    summary: "Positions, directions, marks and files of heatmaps",
    text:
      "By default, a heatmap counts player_pos events in the busiest room, and with --all in the 12 rooms with the most " +
      "positions. An event has a position if its data has a finite x and y and a room. The output states how many events " +
      "are not included, and why. Without color, density is drawn with ASCII characters. For a screen reader or a " +
      "program, use --cells to list the densest cells.\n\n" +
      "In drawings, y grows as in the engine: upward in Unity, downward in 2D games of other engines. --flip-y draws it " +
      "the other way round. --origin shows coordinates relative to a point of a room. Neither changes --json.\n\n" +
      "Positions with x, y and z are drawn in the plane of their room, from above or from the side: the one of " +
      "`playtest admin event-config set-room`, the one that the game sent, or else the two axes with the largest spread. " +
      "--plane draws another one, and --floor one floor of rooms that have floors. --json uses x and y as they were sent, " +
      "unless you set --plane or --floor.\n\n" +
      "A player who fell out of the world would squeeze all others into a corner. So pictures leave out such outliers, and " +
      "say how many. --bounds full draws all positions, as --json and --cells do.\n\n" +
      "--marks deaths draws the events that the analysis counts as failures, such as player_death, if they have " +
      "positions. --marks quits draws the last position of each session that has ended. Marks belong to one build, so " +
      "they cannot be used with --diff.",
    flags: [
      "source",
      "plane",
      "floor",
      "flipY",
      "origin",
      "bounds",
      "palette",
      "top",
      "scale",
      "map",
      "mapBounds",
    ],
  },
  flags: {
    build: text("--build <version>", "build version, `latest` or `previous`"),
    env: text("--env <slug>", "environment, or `all` (default: production)"),
    room: text("--room <room>", "show only this room"),
    all: toggle("--all", "draw all rooms instead of the busiest one"),
    event: text("--event <name>", "draw where this event happened (default: player_pos)"),
    source: choice(
      "--source <source>",
      `sessions from this source: ${heatmapSources.join(", ")} (default: all)`,
      heatmapSources,
    ),
    plane: choice(
      "--plane <plane>",
      "axes to draw: xy, xz or zy, or auto, those of each room (default: auto for pictures)",
      planeChoices,
    ),
    floor: integer("--floor <n>", "draw only this floor of the rooms that have it", 1, MAX_FLOORS),
    player: text("--player <name>", "only this player of a device (`data.player`)"),
    flipY: toggle("--flip-y", "draw the y axis the other way round"),
    origin: list("--origin <room=x,y>", "show this point of the room as 0,0 (can be repeated)"),
    marks: text(
      "--marks <kinds>",
      "mark where players died and where sessions ended: deaths, quits or deaths,quits",
    ),
    paths: toggle("--paths", "draw the paths of the newest 20 ended sessions, by what they did in the room"),
    bounds: choice(
      "--bounds <bounds>",
      "area to draw: robust (without outliers) or full (default: robust for pictures)",
      boundsChoices,
    ),
    palette: choice(
      "--palette <palette>",
      "color palette: viridis, cividis or magma (default: viridis)",
      paletteNames,
    ),
    cells: toggle("--cells", "list the densest cells instead of drawing a heatmap"),
    top: integer("--top <n>", `number of cells to list with --cells (default: ${DEFAULT_CELLS})`, 1, 100_000),
    diff: text("--diff <build>", "draw the change from this build to --build"),
    out: text("--out <file>", "write to this file (.svg, .png, .html, .json or .csv)"),
    scale: integer("--scale <n>", "scale factor for PNG files (default: 2)", 1, 4),
    map: text("--map <image>", "level image to draw behind the cells of a room (PNG, JPEG or WebP)"),
    mapBounds: text("--map-bounds <bounds>", "world coordinates of the level image: xMin,yMin,xMax,yMax"),
  },
  examples: [
    "heatmap --game ember --build 0.9.0",
    "heatmap --game ember --room furnace --json",
    "heatmap --game ember --palette cividis",
    "heatmap --game ember --event player_death",
    "heatmap --game ember --source unity-telemetry --flip-y",
    "heatmap --game ember --cells --top 5",
    "heatmap --game ember --build 0.9.0 --marks deaths,quits",
    "heatmap --game ember --room furnace --paths",
    "heatmap --game ember --build 0.9.0 --diff 0.8.0",
    "heatmap --game ember --build 0.9.0 --out heatmap.html",
  ],
  async run(context, { flags }) {
    if (flags.top !== undefined && !flags.cells) {
      throw fail("usage", {
        message: "--top requires --cells",
        hint: "For example, --cells --top 5 lists 5 cells.",
      });
    }
    const { build, env, room, diff, palette, event, floor, player } = flags;
    const marks = parseMarks(flags.marks);
    const orientation = { isFlipped: flags.flipY, origins: parseOrigins(flags.origin) };
    checkDiffFlags(diff, build, nameOverlay(flags.paths, marks));
    const file = await resolveOutFile(flags, context.io);
    if (file !== null && flags.cells) {
      throw fail("usage", {
        message: "--out cannot be used with --cells",
        hint: "Use --out cells.csv to write all cells to a file.",
      });
    }
    const isPicture =
      file === null ? isDrawn(context) && !flags.cells : ["svg", "png", "html"].includes(file.kind);
    const worldMap = await readLevelMap(flags, file, context.io);
    checkInput(getHeatmap, { game: "-", build, env, room, event });
    const defaults = await chooseDefaults(context, isPicture, file);
    const { source = defaults.source, bounds = defaults.bounds, plane = defaults.plane } = flags;
    const wanted = source ?? defaults.wanted;
    const result = await inEnvironment(
      context,
      env,
      (chosen = DEFAULT_ENV) =>
        requestHeatmap(context, {
          ...{ build, env: chosen, room, diff, event, source, marks, player },
          ...{ bounds, plane, floor, wanted, paths: flags.paths ? DRAWN_PATHS : undefined },
        }),
      ({ rooms }) => rooms.length === 0,
    );
    const buildView = async () => {
      const { orientHeatmap } = await import("../../../charts/orient-heatmap.ts");
      return orientHeatmap(await result.buildView(), orientation);
    };
    // Files, lists of cells and drawings without rooms do not contain the notes.
    if (flags.cells || file !== null) for (const note of result.notes) await context.notify(note);
    const count = result.rooms.length;
    if (worldMap !== null && count > 1)
      throw fail("usage", {
        message: `--map requires one room, but there are ${count}`,
        hint: "Select a room with --room.",
      });
    if (flags.cells)
      return (await import("./cells.ts")).cellsResult(await buildView(), flags.top ?? DEFAULT_CELLS);
    if (file !== null) {
      const view = await buildView();
      const map =
        worldMap === null ? null : moveMap(worldMap, orientation.origins.get(view.rooms[0]?.room ?? ""));
      return await writeOutFile(file, { view, data: result.data, palette, map }, context.io);
    }
    return {
      data: result.data,
      table: result.table,
      view: async (options) =>
        drawHeatmap(await buildView(), {
          ...{ ...options, palette: palette ?? "viridis" },
          ...(!flags.all && { busiest: { next: (name) => suggestRoom(name, flags, context) } }),
        }),
    };
  },
});

/** The flag that draws over the cells of one build; undefined without any. */
function nameOverlay(paths: boolean, marks: string | undefined): string | undefined {
  if (paths) return "--paths";
  return marks === undefined ? undefined : `--marks ${marks}`;
}

/** What is drawn by default, as far as the service offers it. JSON is the answer of the API document. */
async function chooseDefaults(context: Context, isPicture: boolean, file: OutFile | null): Promise<Defaults> {
  const isDocument = file === null ? context.settings.format.value === "json" : file.kind === "json";
  if (isDocument) return {};
  const defaults = { source: ALL_SOURCES, ...(isPicture && { bounds: ROBUST, plane: AUTO_PLANE }) } as const;
  const client = await context.client({ getHeatmap });
  return { ...(await keepAnnounced<Defaults>(client, getHeatmap, defaults)), wanted: ALL_SOURCES };
}

/** Whether the heatmap is drawn instead of written as data. */
const isDrawn = ({ settings }: Context) => settings.format.value === "table";

/** The drawing with characters; empty without rooms. */
async function drawHeatmap(view: HeatmapView, options: HeatmapRenderOptions): Promise<string> {
  if (view.rooms.length === 0) return "";
  return (await import("../../../render/heatmap/heatmap.ts")).renderHeatmap(view, options);
}

/** The flags that select positions, which are repeated to draw another room. */
const selecting = ["build", "diff", "env", "event", "source", "marks", "bounds", "plane", "player"] as const;

/** The command that draws another room of the same positions; null if the name of the room cannot be copied. */
function suggestRoom(
  room: string,
  flags: Readonly<Partial<Record<(typeof selecting)[number], string | undefined>>>,
  { selection }: Context,
): string | null {
  if (quoteForShell(room) === null) return null;
  const given = selecting.map((name) => formatFlag(`--${name}`, flags[name] ?? ""));
  return repeatSelection(`playtest heatmap${given.join("")}${formatFlag("--room", room)}`, selection);
}

/** The level image relative to the origin of its room. */
function moveMap(map: LevelMap, origin: { readonly x: number; readonly y: number } | undefined): LevelMap {
  return { ...map, bounds: moveBounds(map.bounds, origin) };
}

/** The level image from the flags, or null. Throws if the flags cannot be used together, or the file is not an image. */
async function readLevelMap(
  { map, mapBounds }: { readonly map: string | undefined; readonly mapBounds: string | undefined },
  file: OutFile | null,
  io: Io,
): Promise<LevelMap | null> {
  if (map === undefined && mapBounds === undefined) return null;
  if (map === undefined || mapBounds === undefined) {
    throw fail("usage", {
      message: "--map and --map-bounds must be used together",
      hint: "For example: --map level.png --map-bounds xMin,yMin,xMax,yMax",
    });
  }
  if (file === null || file.kind === "json" || file.kind === "csv") {
    throw fail("usage", {
      message: "--map requires an image file as output",
      hint: "Add --out with a .svg, .png or .html file.",
    });
  }
  const { parseMapBounds, loadLevelMap } = await import("../../image-files/level-map.ts");
  return await loadLevelMap(
    { file: map, bounds: parseMapBounds(mapBounds), forPng: file.kind === "png" },
    io,
  );
}

export const commands = [heatmapCommand];
