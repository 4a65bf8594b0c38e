/** The `admin event-config` commands: how SDKs and the analysis treat an event. */

import { telemetryEvent } from "../../../contract/telemetry.ts";
import { toColumns } from "../../../render/tables/resource-columns.ts";
import type { EventConfigRow } from "../../../server/db/schema.ts";
import {
  findEventConfig,
  putEventConfig,
  toEventFlags,
} from "../../../server/telemetry/event-config-queries.ts";
import { defaultEventNames, eventMeanings } from "../../../shared/event-names.ts";
import { command, createTable } from "../../command.ts";
import { fail } from "../../errors.ts";
import { choice, number } from "../../flags.ts";
import { adminFlags, administer } from "./administer.ts";
import { createAdminListCommand } from "./list-command.ts";
import { onOff, resolveOnOff } from "./on-off.ts";

/** The settings of one event. If `meaning` is null, the defaults apply. */
function toEventSetting(row: EventConfigRow) {
  return { name: row.name, ...toEventFlags(row), meaning: row.meaning };
}

/** A rate of 1 is the default, which is not stored. */
function resolveSampleRate(flag: number | undefined, current: number | null): number | null {
  return flag === 1 ? null : (flag ?? current);
}

const formatYesNo = (value: boolean) => (value ? "yes" : "no");

const settingColumns = toColumns<ReturnType<typeof toEventSetting>>({
  columns: {
    name: { header: "EVENT", tone: "strong", shrink: 1 },
    sdkIgnore: { header: "IGNORED BY SDKS", value: ({ sdkIgnore }) => formatYesNo(sdkIgnore) },
    linkToSummary: { header: "LINKED IN SUMMARY", value: ({ linkToSummary }) => formatYesNo(linkToSummary) },
    hideFromAi: { header: "HIDDEN FROM AI", value: ({ hideFromAi }) => formatYesNo(hideFromAi) },
    sampleRate: { header: "SAMPLE RATE", value: ({ sampleRate }) => sampleRate ?? null },
    meaning: { header: "MEANING" },
  },
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
