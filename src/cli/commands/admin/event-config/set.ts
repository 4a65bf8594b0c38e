/** admin event-config set: changes how SDKs and the analysis treat an event. */

import { eventMeanings } from "../../../../contract/event-config.ts";
import { telemetryEvent } from "../../../../contract/telemetry.ts";
import { findEventConfig, putEventConfig } from "../../../../server/telemetry/event-config-queries.ts";
import {
  FAILURE_EVENTS,
  FAILURE_STATE_EVENTS,
  GIVING_UP_EVENTS,
  RESET_EVENTS,
  START_EVENTS,
  SUCCESS_EVENTS,
  SUCCESS_STATE_EVENTS,
} from "../../../../shared/event-names.ts";
import { command, createTable } from "../../../command.ts";
import { fail } from "../../../errors.ts";
import { choice } from "../../../flags.ts";
import { adminFlags, administer } from "../administer.ts";
import { onOff, resolveOnOff } from "../on-off.ts";
import { settingColumns, toEventSetting } from "./columns.ts";

export const setEventConfigCommand = command({
  path: "admin event-config set",
  summary: "Change the settings of an event. Other settings are kept",
  details:
    "The meaning tells the analysis what an event says about an attempt in a room. Defaults: " +
    `failure: ${FAILURE_EVENTS.join(", ")}; failure-state: ${FAILURE_STATE_EVENTS.join(", ")}; ` +
    `success: ${SUCCESS_EVENTS.join(", ")}; success-state: ${SUCCESS_STATE_EVENTS.join(", ")}; ` +
    `start: ${START_EVENTS.join(", ")}; reset: ${RESET_EVENTS.join(", ")}; ` +
    `giving-up: ${GIVING_UP_EVENTS.join(", ")}. A failure or success ends the attempt. A state only describes it, such as ` +
    "in a puzzle that is evaluated continuously. Setting a meaning for one event of a game replaces all default events of " +
    "that meaning, and failure and success also replace the default events of their states. The change applies to " +
    "sessions that are analyzed from now on.",
  args: [{ name: "<event>", describe: "event name" }],
  flags: {
    ...adminFlags,
    sdkIgnore: onOff("--sdk-ignore", "on: SDKs do not send the event"),
    linkToSummary: onOff("--link-to-summary", "on: the session summary links to the event"),
    hideFromAi: onOff("--hide-from-ai", "on: AI models do not see the event"),
    meaning: choice("--meaning <meaning>", `${eventMeanings.join(", ")}, or none to remove the meaning`, [
      ...eventMeanings,
      "none",
    ]),
  },
  examples: [
    "admin event-config set wiped --game ember --meaning failure",
    "admin event-config set player_pos --game ember --hide-from-ai on",
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
      };
      await putEventConfig(db, changed);
      return changed;
    });
    const event = toEventSetting(row);
    return { data: { event }, table: createTable([event], settingColumns, "") };
  },
});
