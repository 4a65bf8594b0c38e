/** testers get: the play time and sessions of one tester. */
import { sessions } from "../../../contract/sessions.ts";
import * as testers from "../../../contract/testers.ts";
import { renderDetails } from "../../../render/details.ts";
import { renderTable } from "../../../render/table.ts";
import { toColumns } from "../../../render/tables/resource-columns.ts";
import { testerDetails } from "../../../render/tables/tester-details.ts";
import { command } from "../../command.ts";
import { fail } from "../../errors.ts";
import { text } from "../../flags.ts";
import { withWholeId } from "../../short-ids.ts";
import { createListTable } from "../constant-columns.ts";

export const getTesterCommand = command({
  path: "testers get",
  summary: "Show a tester's play time, sessions and summary",
  details:
    "Finds the same sessions as `playtest testers journey`: those of the device that is linked to the handle, or those that " +
    "name the handle. A session without a device is its own tester, named by the id of the session. The location is that of the newest session with a place.",
  args: [{ name: "<tester>", describe: "tester handle, device id, or id of a session without a device" }],
  flags: { env: text("--env <slug>", "environment of the summary (default: production)") },
  examples: ["testers get theo-lag --game ember", "testers get dev_0123 --game ember"],
  async run(context, { args, flags }) {
    // The path of this tester is that of the archetypes.
    if (args[0] === "archetypes") {
      throw fail("usage", {
        message: "`archetypes` is reserved and cannot be a tester",
        hint: "Run `playtest testers archetypes` to see groups of similar testers.",
      });
    }
    const client = await context.client(testers);
    const game = await context.requireGame();
    const data = await withWholeId(context, "sess", args[0] ?? "", (deviceId) =>
      client.getTester({ game, deviceId, env: flags.env }),
    );
    if (!data.summary)
      await (await import("../../unknown-names.ts")).requireKnownNames(context, { env: flags.env });
    const table = await createListTable(context, data.sessions, toColumns(sessions), "No sessions.");
    return {
      data,
      table,
      view: (options) =>
        `${renderDetails(testerDetails(data, options), options)}\n${renderTable(data.sessions, table.columns, options)}`,
    };
  },
});
