/** heatmap: where players were, drawn room by room. */

import * as builds from "../../../contract/builds.ts";
import { fail } from "../../../contract/errors.ts";
import type { Heatmap, HeatmapRoom } from "../../../contract/heatmaps.ts";
import * as heatmaps from "../../../contract/heatmaps.ts";
import type { Picture, RoomPicture } from "../../../pictures/picture.ts";
import type { Column } from "../../../render/columns.ts";
import { imageProtocols } from "../../../render/images/protocols.ts";
import { paletteNames } from "../../../render/palettes/index.ts";
import type { LevelMap } from "../../../render/svg/heatmap-frame.ts";
import { command, type Table, tableOf } from "../../command.ts";
import type { Context } from "../../context.ts";
import { choice, integer, text, toggle } from "../../flags.ts";
import type { Io } from "../../io.ts";
import { imageProtocol } from "./image.ts";
import { type OutFile, outFile, writeOut } from "./out.ts";
import { checkSides } from "./sides.ts";
import { drawPicture } from "./view.ts";

const columns: readonly Column<HeatmapRoom>[] = [
  { key: "room", header: "ROOM", value: ({ room }) => room, shrink: 1 },
  { key: "totalEvents", header: "POSITIONS", value: ({ totalEvents }) => totalEvents },
  { key: "cells", header: "CELLS", value: ({ cells }) => cells.length },
  { key: "bounds.xMin", header: "X MIN", value: ({ bounds }) => bounds.xMin },
  { key: "bounds.xMax", header: "X MAX", value: ({ bounds }) => bounds.xMax },
  { key: "bounds.yMin", header: "Y MIN", value: ({ bounds }) => bounds.yMin },
  { key: "bounds.yMax", header: "Y MAX", value: ({ bounds }) => bounds.yMax },
];

const differenceColumns: readonly Column<RoomPicture>[] = [
  { key: "room", header: "ROOM", value: ({ room }) => room, shrink: 1 },
  { key: "positionsA", header: "POSITIONS A", value: ({ before }) => before },
  { key: "positionsB", header: "POSITIONS B", value: ({ total }) => total },
  { key: "most", header: "LARGEST CHANGE", value: ({ most }) => most },
  { key: "resampled", header: "COMMON BOUNDS", value: ({ resampled }) => (resampled ? "spread" : "same") },
];

/** Cells that --cells lists unless told. */
const CELLS = 20;

export const heatmapCommand = command({
  path: "heatmap",
  summary: "Draw where players were, room by room",
  details:
    "From player_pos events of Unity sessions, the 12 rooms with the most of them. Without colour an ASCII ramp is drawn. `--cells` lists the densest cells instead, for a screen reader or a program.",
  args: [],
  flags: {
    build: text("--build <version>", "build version, exactly"),
    env: text("--env <slug>", "environment"),
    room: text("--room <room>", "this room alone"),
    palette: choice("--palette <palette>", "viridis, cividis or magma; default viridis", paletteNames),
    cells: toggle("--cells", "list the densest cells instead of drawing"),
    top: integer("--top <n>", `cells that --cells lists, default ${CELLS}`, 1, 100_000),
    image: choice(
      "--image <kind>",
      "draw an image, where the terminal shows such: auto or one of its kinds",
      ["auto", ...imageProtocols],
    ),
    diff: text("--diff <build>", "draw how --build differs from this build"),
    out: text("--out <file>", "write to this file: .svg, .png, .html, .json or .csv"),
    scale: integer("--scale <n>", "pixels of a PNG to one of the picture's own, default 2", 1, 4),
    map: text("--map <image>", "the level behind the cells of a room in a file: PNG, JPEG or WebP"),
    mapBounds: text("--map-bounds <bounds>", "the world that it shows: xMin,yMin,xMax,yMax"),
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
      throw fail("usage", { message: "--top goes with --cells", hint: "--cells --top 5 lists five cells." });
    }
    const protocol = await imageProtocol(flags.image, context);
    const { build, env, room, diff, palette } = flags;
    checkSides(diff, build);
    const file = await outFile(flags, context.io);
    if (file !== null && (flags.cells || flags.image !== undefined)) {
      throw fail("usage", {
        message: `--out does not go with ${flags.cells ? "--cells" : "--image"}`,
        hint: "A file holds the picture; --out cells.csv every cell of it.",
      });
    }
    const map = await mapOf(flags, file, context.io);
    const asked = await ask(context, { build, env, room, diff });
    const count = asked.rooms.length;
    if (map !== null && count > 1)
      throw fail("usage", {
        message: `--map is of one room, and there are ${count}`,
        hint: "Name the room with --room.",
      });
    if (flags.cells)
      return (await import("./cells.ts")).cellsResult(await asked.picture(), flags.top ?? CELLS);
    if (file !== null) {
      return await writeOut(
        file,
        { picture: await asked.picture(), data: asked.data, palette, map },
        context.io,
      );
    }
    return {
      data: asked.data,
      table: asked.table,
      view: async (options) => drawPicture(await asked.picture(), { palette, protocol }, options, context),
    };
  },
});

interface Asked {
  readonly build: string | undefined;
  readonly env: string | undefined;
  readonly room: string | undefined;
  readonly diff: string | undefined;
}

interface Found {
  readonly data: unknown;
  readonly rooms: readonly unknown[];
  readonly table: Table;
  picture(): Promise<Picture>;
}

/** What the service tells, of one build or two. Throws `not_found` for a build, or a room that has no positions. */
async function ask(context: Context, { build, env, room, diff }: Asked): Promise<Found> {
  const client = await context.client({ ...heatmaps, ...builds });
  const game = await context.game();
  const heatmapOf = async (version: string | undefined) => {
    const answer = await client.getHeatmap({ game, build: version, env });
    // A build that is not there has no positions either, and a picture of that would be believed.
    if (version !== undefined && answer.eventCount === 0) await client.getBuild({ game, version });
    return answer;
  };
  const all = await heatmapOf(build);
  const before = diff === undefined ? null : await heatmapOf(diff);
  const shown = (heatmap: Heatmap) => (room === undefined ? heatmap : only(heatmap, room));
  const heatmap = shown(all);
  const other = before && shown(before);
  if (room !== undefined && heatmap.rooms.length === 0 && !other?.rooms.length) {
    throw unknownRoom(room, [...all.rooms, ...(before?.rooms ?? [])]);
  }
  if (other === null || diff === undefined || build === undefined) {
    return {
      data: heatmap,
      rooms: heatmap.rooms,
      table: tableOf(heatmap.rooms, columns, "No positions match."),
      picture: async () =>
        (await import("../../../pictures/heatmap.ts")).densityPicture(heatmap, aboutFilters(build, env)),
    };
  }
  const { differenceOf } = await import("./difference.ts");
  const { picture, data } = differenceOf(
    { build: diff, heatmap: other },
    { build, heatmap },
    aboutFilters(undefined, env),
  );
  const table = tableOf(picture.rooms, differenceColumns, "No positions match.");
  return { data, rooms: picture.rooms, table, picture: async () => picture };
}

const only = (heatmap: Heatmap, room: string): Heatmap => ({
  ...heatmap,
  rooms: heatmap.rooms.filter((one) => one.room === room),
});

/** The level behind the cells; null without one. Throws where flags do not go together, or the file is no image. */
async function mapOf(
  { map, mapBounds }: { readonly map: string | undefined; readonly mapBounds: string | undefined },
  file: OutFile | null,
  io: Io,
): Promise<LevelMap | null> {
  if (map === undefined && mapBounds === undefined) return null;
  if (map === undefined || mapBounds === undefined) {
    throw fail("usage", {
      message: "--map and --map-bounds go together",
      hint: "--map level.png --map-bounds xMin,yMin,xMax,yMax",
    });
  }
  if (file === null || file.kind === "json" || file.kind === "csv") {
    throw fail("usage", {
      message: "--map goes with a picture in a file",
      hint: "Name one with --out: .svg, .png or .html.",
    });
  }
  const { readBounds, readMap } = await import("../../picture-files/level-map.ts");
  return await readMap({ file: map, bounds: readBounds(mapBounds), forPng: file.kind === "png" }, io);
}

/** What was asked for, such as `build 0.9.0, environment production`; empty for all there is. */
function aboutFilters(build: string | undefined, env: string | undefined): string {
  const parts = [build === undefined ? "" : `build ${build}`, env === undefined ? "" : `environment ${env}`];
  return parts.filter((part) => part !== "").join(", ");
}

function unknownRoom(room: string, rooms: readonly HeatmapRoom[]): Error {
  const known = rooms.map((one) => one.room).join(", ");
  return fail("not_found", {
    message: `No positions in room ${JSON.stringify(room)}`,
    hint: known ? `The rooms are ${known}.` : "No room has positions here.",
  });
}
