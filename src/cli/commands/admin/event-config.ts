/** The `admin event-config` commands: how SDKs and the analysis treat an event. */
import {
  AUTO_PLANE,
  type Floor,
  MAX_FLOORS,
  planeChoices,
  planes,
  thirdAxis,
} from "../../../contract/heatmap-planes.ts";
import { MAX_ROOM_NAME } from "../../../contract/heatmaps.ts";
import { telemetryEvent } from "../../../contract/telemetry.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import type { EventConfigRow } from "../../../server/db/schema.ts";
import {
  findRoomSettings,
  putRoomSettings,
  type RoomSettings,
} from "../../../server/positions/room-settings-queries.ts";
import {
  findEventConfig,
  putEventConfig,
  toEventFlags,
} from "../../../server/telemetry/event-config-queries.ts";
import { defaultEventNames, eventMeanings } from "../../../shared/event-names.ts";
import { command, createTable } from "../../command.ts";
import { fail } from "../../errors.ts";
import { choice, number, text } from "../../flags.ts";
import { adminFlags, administer } from "./administer.ts";
import { createAdminListCommand } from "./list-command.ts";
import { formatYesNo, onOff, resolveOnOff } from "./on-off.ts";

/** The settings of one event. If `meaning` is null, the defaults apply. */
function toEventSetting(row: EventConfigRow) {
  return { name: row.name, ...toEventFlags(row), meaning: row.meaning };
}

/** A rate of 1 is the default, which is not stored. */
function resolveSampleRate(flag: number | undefined, current: number | null): number | null {
  return flag === 1 ? null : (flag ?? current);
}

const settingColumns = defineColumns<ReturnType<typeof toEventSetting>>({
  name: { header: "EVENT", tone: "strong", shrink: 1 },
  sdkIgnore: { header: "IGNORED BY SDKS", value: ({ sdkIgnore }) => formatYesNo(sdkIgnore) },
  linkToSummary: { header: "LINKED IN SUMMARY", value: ({ linkToSummary }) => formatYesNo(linkToSummary) },
  hideFromAi: { header: "HIDDEN FROM AI", value: ({ hideFromAi }) => formatYesNo(hideFromAi) },
  sampleRate: { header: "SAMPLE RATE", value: ({ sampleRate }) => sampleRate ?? null },
  meaning: { header: "MEANING" },
});

const defaults = eventMeanings
  .map((meaning) => `  ${meaning.padEnd(13)}  ${defaultEventNames[meaning].join(", ")}`)
  .join("\n");

export const setEventConfigCommand = command({
  path: "admin event-config set",
  summary: "Change the settings of an event. Other settings are kept",
  details:
    "`playtest help event-meanings` lists the default events of each meaning. Once you give an event a meaning, they no " +
    "longer count. The change applies to sessions that are analyzed from now on.",
  topic: {
    name: "event-meanings",
    summary: "How the analysis uses events, and the default meanings",
    text:
      "The analysis uses the meaning of an event to divide the time in a room into attempts, and to find failures and " +
      `successes. Default events:\n\n${defaults}\n\n` +
      "`failure` and `success` end the attempt. `failure-state` and `success-state` do not; use them if the game checks a " +
      "puzzle continuously.\n\nAs soon as you give any event of a game a meaning, the default events of that meaning no " +
      "longer count. Setting `failure` also disables the defaults of `failure-state`, and setting `success` those of " +
      "`success-state`. To keep a default event, set its meaning yourself.",
  },
  args: [{ name: "<event>", describe: "event name" }],
  flags: {
    ...adminFlags,
    sdkIgnore: onOff("--sdk-ignore", "on: SDKs do not send the event"),
    linkToSummary: onOff("--link-to-summary", "on: the session summary links to the event"),
    hideFromAi: onOff("--hide-from-ai", "on: AI models do not see the event"),
    sampleRate: number(
      "--sample-rate <rate>",
      "share of sessions in which SDKs record the event, 0 to 1 (default: 1)",
      0,
      1,
    ),
    meaning: choice("--meaning <meaning>", `${eventMeanings.join(", ")}, or none to remove the meaning`, [
      ...eventMeanings,
      "none",
    ]),
  },
  examples: [
    "admin event-config set wiped --game ember --meaning failure",
    "admin event-config set player_pos --game ember --hide-from-ai on",
    "admin event-config set footstep --game ember --sample-rate 0.1",
  ],
  async run(context, { args, flags }) {
    const name = args[0] ?? "";
    const { error } = telemetryEvent.shape.name.safeParse(name);
    if (error)
      throw fail("usage", { message: `Invalid event name: ${error.issues[0]?.message ?? "unknown reason"}` });
    const row = await administer(context, flags, async ({ db, game }) => {
      const { id: game_id } = await game();
      const current = (await findEventConfig(db, game_id)).find((event) => event.name === name);
      const meaning = flags.meaning === "none" ? null : (flags.meaning ?? current?.meaning ?? null);
      const changed = {
        game_id,
        name,
        sdk_ignore: resolveOnOff(flags.sdkIgnore, current?.sdk_ignore ?? 0),
        link_to_summary: resolveOnOff(flags.linkToSummary, current?.link_to_summary ?? 0),
        hide_from_ai: resolveOnOff(flags.hideFromAi, current?.hide_from_ai ?? 0),
        meaning,
        sample_rate: resolveSampleRate(flags.sampleRate, current?.sample_rate ?? null),
      };
      await putEventConfig(db, changed);
      return changed;
    });
    const event = toEventSetting(row);
    return { data: { event }, table: createTable([event], settingColumns, "") };
  },
});

export const listEventConfigCommand = createAdminListCommand({
  path: "admin event-config list",
  summary: "List events whose settings have been changed",
  examples: ["admin event-config list --game ember"],
  field: "events",
  columns: settingColumns,
  empty: "No events have changed settings.",
  read: async ({ db, game }) => (await findEventConfig(db, (await game()).id)).map(toEventSetting),
});

/** The value of `--floors` that removes the floors. */
const NONE = "none";

const formatFloors = (floors: readonly Floor[]) => floors.map(([min, max]) => `${min}..${max}`).join(", ");

const roomColumns = defineColumns<RoomSettings>({
  room: { header: "ROOM", tone: "strong", shrink: 1 },
  plane: { header: "PLANE", value: ({ plane }) => plane ?? AUTO_PLANE },
  sentPlane: { header: "SENT BY THE GAME" },
  floors: { header: "FLOORS", value: ({ floors }) => formatFloors(floors) },
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
