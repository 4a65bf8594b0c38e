/** admin event-config list: lists the event settings of a game. */
import { findEventConfig } from "../../../../server/telemetry/event-config-queries.ts";
import { command, createTable } from "../../../command.ts";
import { adminFlags, administer } from "../administer.ts";
import { settingColumns, toEventSetting } from "./columns.ts";

export const listEventConfigCommand = command({
  path: "admin event-config list",
  summary: "List events whose settings have been changed",
  args: [],
  flags: adminFlags,
  examples: ["admin event-config list --game ember"],
  async run(context, { flags }) {
    const rows = await administer(context, flags, async ({ db, game }) =>
      findEventConfig(db, (await game()).id),
    );
    const events = rows.map(toEventSetting);
    return {
      data: { events },
      table: createTable(events, settingColumns, "No events have changed settings."),
    };
  },
});
