/** The `admin event-config` commands for rooms: in which plane their positions are drawn, and where their floors are. */

import {
  AUTO_PLANE,
  type Floor,
  MAX_FLOORS,
  planeChoices,
  planes,
  thirdAxis,
} from "../../../contract/heatmap-planes.ts";
import { MAX_ROOM_NAME } from "../../../contract/heatmaps.ts";
import { toColumns } from "../../../render/tables/resource-columns.ts";
import {
  findRoomSettings,
  putRoomSettings,
  type RoomSettings,
} from "../../../server/positions/room-settings-queries.ts";
import { command, createTable } from "../../command.ts";
import { fail } from "../../errors.ts";
import { choice, text } from "../../flags.ts";
import { adminFlags, administer } from "./administer.ts";
import { createAdminListCommand } from "./list-command.ts";

/** The value of `--floors` that removes the floors. */
const NONE = "none";

const formatFloors = (floors: readonly Floor[]) => floors.map(([min, max]) => `${min}..${max}`).join(", ");

const roomColumns = toColumns<RoomSettings>({
  columns: {
    room: { header: "ROOM", tone: "strong", shrink: 1 },
    plane: { header: "PLANE", value: ({ plane }) => plane ?? AUTO_PLANE },
    sentPlane: { header: "SENT BY THE GAME" },
    floors: { header: "FLOORS", value: ({ floors }) => formatFloors(floors) },
  },
});

export const setRoomCommand = command({
  path: "admin event-config set-room",
  summary: "Set the plane and the floors in which the positions of a room are drawn",
  details:
    "For games whose positions have x, y and z. A plane names the horizontal and the vertical axis of the picture. Floors " +
    "are ranges of the third axis, such as y for the plane xz. A floor contains its lower end, but not its upper end. " +
    "Settings that you omit are kept. They apply to positions that are already stored.",
  args: [{ name: "<room>", describe: "room name" }],
  flags: {
    ...adminFlags,
    plane: choice(
      "--plane <plane>",
      `${planes.join(", ")}, or auto to use the plane that the game sends, or else the axes with the largest spread`,
      planeChoices,
    ),
    floors: text("--floors <ranges>", "ranges separated by commas, such as 0..3,3..6, or none"),
  },
  examples: [
    "admin event-config set-room furnace --game ember --plane xz",
    "admin event-config set-room tower --game ember --plane xz --floors=-1..3,3..6",
  ],
  async run(context, { args, flags }) {
    const room = args[0] ?? "";
    if (room === "" || room.length > MAX_ROOM_NAME)
      throw fail("usage", { message: `The room name must have 1 to ${MAX_ROOM_NAME} characters` });
    if (flags.plane === undefined && flags.floors === undefined) {
      throw fail("usage", {
        message: "Nothing to set: --plane and --floors are both missing",
        hint: "For example, --plane xz --floors 0..3,3..6.",
      });
    }
    const floors = flags.floors === undefined ? undefined : parseFloors(flags.floors);
    const settings = await administer(context, flags, async ({ db, game }) => {
      const { id } = await game();
      const current = (await findRoomSettings(db, id)).get(room);
      const changed: RoomSettings = {
        room,
        plane: flags.plane === AUTO_PLANE ? null : (flags.plane ?? current?.plane ?? null),
        floors: floors ?? current?.floors ?? [],
        sentPlane: current?.sentPlane ?? null,
      };
      await putRoomSettings(db, id, changed);
      return changed;
    });
    if (settings.floors.length > 0 && settings.plane === null && settings.sentPlane === null)
      await context.notify("The floors apply to the plane that is guessed. Set it with --plane.");
    return { data: { room: settings }, table: createTable([settings], roomColumns, "") };
  },
});

/** Parses ranges, which must follow each other from the lowest to the highest. Throws `usage`. */
function parseFloors(given: string): Floor[] {
  if (given === NONE) return [];
  const floors = given.split(",").map((part): Floor => {
    const [min, max, ...rest] = part.split("..").map((end) => (end.trim() === "" ? Number.NaN : Number(end)));
    const isRange = min !== undefined && max !== undefined && rest.length === 0 && min < max;
    if (isRange && Number.isFinite(min) && Number.isFinite(max)) return [min, max];
    throw invalidFloors(given, `${JSON.stringify(part)} is not a range`);
  });
  const [overlap] = floors.filter(([min], at) => at > 0 && min < (floors[at - 1]?.[1] ?? min));
  if (overlap)
    throw invalidFloors(given, `${overlap.join("..")} begins below the end of the floor before it`);
  if (floors.length > MAX_FLOORS) throw invalidFloors(given, `there are more than ${MAX_FLOORS} floors`);
  return floors;
}

const invalidFloors = (given: string, problem: string) =>
  fail("usage", {
    message: `--floors ${JSON.stringify(given)}: ${problem}`,
    hint: `List the ranges of the third axis (${planes.map((plane) => `${thirdAxis[plane]} for ${plane}`).join(", ")}) from the lowest to the highest, for example --floors 0..3,3..6.`,
  });

export const listRoomsCommand = createAdminListCommand({
  path: "admin event-config list-rooms",
  summary: "List rooms with a plane or floors",
  examples: ["admin event-config list-rooms --game ember"],
  field: "rooms",
  columns: roomColumns,
  empty: "No rooms have a plane or floors.",
  read: async ({ db, game }) => [...(await findRoomSettings(db, (await game()).id)).values()],
});
