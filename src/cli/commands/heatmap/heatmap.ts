/** heatmap: draws player positions room by room. */
import { imageProtocols } from "../../../render/images/protocols.ts";
import { paletteNames } from "../../../render/palettes/index.ts";
import type { LevelMap } from "../../../render/svg/heatmap-frame.ts";
import { command } from "../../command.ts";
import { fail } from "../../errors.ts";
import { choice, integer, text, toggle } from "../../flags.ts";
import type { Io } from "../../io.ts";
import { checkDiffFlags } from "./diff-flags.ts";
import { chooseImageProtocol } from "./image.ts";
import { type OutFile, resolveOutFile, writeOutFile } from "./out-file.ts";
import { requestHeatmap } from "./request.ts";
import { drawHeatmap } from "./view.ts";

const DEFAULT_CELLS = 20;

export const heatmapCommand = command({
  path: "heatmap",
  summary: "Draw heatmaps of player positions by room",
  details:
    "Reads the player_pos events of Unity sessions and draws the 12 rooms with the most positions. Without " +
    "color, density is drawn with ASCII characters. For a screen reader or a program, use --cells to list " +
    "the densest cells.",
  args: [],
  flags: {
    build: text("--build <version>", "exact build version"),
    env: text("--env <slug>", "environment (default: all environments combined)"),
    room: text("--room <room>", "show only this room"),
    palette: choice(
      "--palette <palette>",
      "color palette: viridis, cividis or magma (default: viridis)",
      paletteNames,
    ),
    cells: toggle("--cells", "list the densest cells instead of drawing a heatmap"),
    top: integer("--top <n>", `number of cells to list with --cells (default: ${DEFAULT_CELLS})`, 1, 100_000),
    image: choice("--image <kind>", `draw an image in the terminal: auto, ${imageProtocols.join(", ")}`, [
      "auto",
      ...imageProtocols,
    ]),
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
    "heatmap --game ember --cells --top 5",
    "heatmap --game ember --room furnace --image auto",
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
    const protocol = await chooseImageProtocol(flags.image, context);
    const { build, env, room, diff, palette } = flags;
    checkDiffFlags(diff, build);
    const file = await resolveOutFile(flags, context.io);
    if (file !== null && (flags.cells || flags.image !== undefined)) {
      throw fail("usage", {
        message: `--out cannot be used with ${flags.cells ? "--cells" : "--image"}`,
        hint: "Use --out cells.csv to write all cells to a file.",
      });
    }
    const map = await readLevelMap(flags, file, context.io);
    const result = await requestHeatmap(context, { build, env, room, diff });
    const count = result.rooms.length;
    if (map !== null && count > 1)
      throw fail("usage", {
        message: `--map requires one room, but there are ${count}`,
        hint: "Select a room with --room.",
      });
    if (flags.cells)
      return (await import("./cells.ts")).cellsResult(await result.buildView(), flags.top ?? DEFAULT_CELLS);
    if (file !== null) {
      return await writeOutFile(
        file,
        { view: await result.buildView(), data: result.data, palette, map },
        context.io,
      );
    }
    return {
      data: result.data,
      table: result.table,
      view: async (options) => drawHeatmap(await result.buildView(), { palette, protocol }, options, context),
    };
  },
});

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
