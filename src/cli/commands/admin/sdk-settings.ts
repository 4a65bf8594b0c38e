/** admin games sdk: shows and changes the settings of a game that SDKs read at startup. */
import { isDeepStrictEqual } from "node:util";
import { MAX_CRASH_EVENTS, type SdkSettings } from "../../../contract/event-config.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import { readSdkSettings, storeSdkSettings } from "../../../server/games/game-queries.ts";
import { command, createTable } from "../../command.ts";
import { type FlagValues, integer, number, text } from "../../flags.ts";
import { adminFlags, administer, requireNamedGame } from "./administer.ts";
import { formatYesNo, onOff } from "./on-off.ts";

const columns = defineColumns<SdkSettings>({
  crashesEnabled: { header: "CRASH REPORTS", value: (settings) => formatYesNo(settings.crashesEnabled) },
  crashRecentEventsCount: { header: "EVENTS PER CRASH" },
  crashSampleRate: { header: "CRASH SAMPLE RATE" },
  showBranding: { header: "BRANDING", value: (settings) => formatYesNo(settings.showBranding) },
  snapshotEventName: { header: "SNAPSHOT EVENT" },
});

const settingFlags = {
  crashes: onOff("--crashes", "on: SDKs report crashes (default: on)"),
  crashEvents: integer(
    "--crash-events <n>",
    "number of recent events in a crash report (default: 20)",
    0,
    MAX_CRASH_EVENTS,
  ),
  crashSampleRate: number(
    "--crash-sample-rate <rate>",
    "share of crashes that SDKs report (default: 1)",
    0,
    1,
  ),
  branding: onOff("--branding", "on: forms in the game show the name of the service (default: off)"),
  snapshotEvent: text("--snapshot-event <name>", "event whose data is the state snapshot, or none"),
} as const;

export const sdkSettingsCommand = command({
  path: "admin games sdk",
  summary: "Show or change the settings that SDKs read at startup. Other settings are kept",
  args: [{ name: "<slug>", describe: "game slug or id" }],
  flags: { ...adminFlags, ...settingFlags },
  examples: ["admin games sdk ember", "admin games sdk ember --crash-sample-rate 0.1 --branding off"],
  async run(context, { args, flags }) {
    const settings = await administer(context, flags, async ({ db, accountId, target }) => {
      const game = target(await requireNamedGame(db, accountId, args[0] ?? ""));
      const current = readSdkSettings(game);
      const changed = applyFlags(current, flags);
      if (!isDeepStrictEqual(changed, current)) await storeSdkSettings(db, game.id, changed);
      return changed;
    });
    return { data: { settings }, table: createTable([settings], columns, "") };
  },
});

function applyFlags(
  { snapshotEventName, ...current }: SdkSettings,
  flags: FlagValues<typeof settingFlags>,
): SdkSettings {
  const { crashes, crashEvents, crashSampleRate, branding, snapshotEvent = snapshotEventName } = flags;
  return {
    ...(snapshotEvent === undefined || snapshotEvent === "none" ? {} : { snapshotEventName: snapshotEvent }),
    crashesEnabled: crashes === undefined ? current.crashesEnabled : crashes === "on",
    crashRecentEventsCount: crashEvents ?? current.crashRecentEventsCount,
    crashSampleRate: crashSampleRate ?? current.crashSampleRate,
    showBranding: branding === undefined ? current.showBranding : branding === "on",
  };
}
