/** handles list: the tester handles of a game. */
import * as handles from "../../../contract/handles.ts";
import { handleColumns, looksShared } from "../../../render/tables/handles.ts";
import { command, createTable } from "../../command.ts";

export const listHandlesCommand = command({
  path: "handles list",
  summary: "List a game's tester handles, most recently seen first",
  details:
    "A handle is the name that a tester goes by in one game. This lists the handles that your studio created or that were " +
    "named when a playtest key was redeemed. Names that only your game sends with its sessions are not handles; " +
    "`playtest sessions list --wide` shows them. Handles that were seen in " +
    `${handles.SHARED_KEY_COUNTRIES} or more countries are marked, because their playtest keys are probably shared.`,
  args: [],
  flags: {},
  examples: [
    "handles list --game ember",
    "handles list --json --jq '.handles[] | select(.distinct_countries > 2)'",
  ],
  async run(context) {
    const client = await context.client(handles);
    const data = await client.listHandles({ game: await context.requireGame() });
    const shared = data.handles.filter(looksShared).length;
    if (shared > 0 && context.settings.format.value === "table") {
      await context.notify(
        `${shared} ${shared === 1 ? "handle was" : "handles were"} seen in ${handles.SHARED_KEY_COUNTRIES} or more countries. ${shared === 1 ? "Its playtest key is" : "Their playtest keys are"} probably shared.`,
      );
    }
    return { data, table: createTable(data.handles, handleColumns, "No handles yet.") };
  },
});
