/** heatmap: where players were, drawn room by room. */

import { fail } from "../../contract/errors.ts";
import type { HeatmapRoom } from "../../contract/heatmaps.ts";
import * as heatmaps from "../../contract/heatmaps.ts";
import type { Column } from "../../render/columns.ts";
import { command, tableOf } from "../command.ts";
import { text } from "../flags.ts";

const columns: readonly Column<HeatmapRoom>[] = [
  { key: "room", header: "ROOM", value: ({ room }) => room, shrink: 1 },
  { key: "totalEvents", header: "POSITIONS", value: ({ totalEvents }) => totalEvents },
  { key: "cells", header: "CELLS", value: ({ cells }) => cells.length },
  { key: "bounds.xMin", header: "X MIN", value: ({ bounds }) => bounds.xMin },
  { key: "bounds.xMax", header: "X MAX", value: ({ bounds }) => bounds.xMax },
  { key: "bounds.yMin", header: "Y MIN", value: ({ bounds }) => bounds.yMin },
  { key: "bounds.yMax", header: "Y MAX", value: ({ bounds }) => bounds.yMax },
];

export const heatmapCommand = command({
  path: "heatmap",
  summary: "Draw where players were, room by room",
  details:
    "From player_pos events of Unity sessions, the 12 rooms with the most of them. Without colour an ASCII ramp is drawn.",
  args: [],
  flags: {
    build: text("--build <version>", "build version, exactly"),
    env: text("--env <slug>", "environment"),
    room: text("--room <room>", "this room alone"),
  },
  examples: ["heatmap --game ember --build 0.9.0", "heatmap --game ember --room furnace --json"],
  async run(context, { flags }) {
    const client = await context.client(heatmaps);
    const { build, env, room } = flags;
    const all = await client.getHeatmap({ game: await context.game(), build, env });
    const data = room === undefined ? all : { ...all, rooms: all.rooms.filter((one) => one.room === room) };
    if (room !== undefined && data.rooms.length === 0) throw unknownRoom(room, all.rooms);
    return {
      data,
      table: tableOf(data.rooms, columns, "No positions match."),
      view: async (options) =>
        data.rooms.length === 0 ? "" : (await import("../../render/heatmap.ts")).renderHeatmap(data, options),
    };
  },
});

function unknownRoom(room: string, rooms: readonly HeatmapRoom[]): Error {
  const known = rooms.map((one) => one.room).join(", ");
  return fail("not_found", {
    message: `No positions in room ${JSON.stringify(room)}`,
    hint: known ? `The rooms are ${known}.` : "No room has positions here.",
  });
}

export const commands = [heatmapCommand];
