/** admin audiences list: every audience of a game. */
import { audiencesOf } from "../../../../server/experiments/queries.ts";
import { command, tableOf } from "../../../command.ts";
import { adminFlags, administer } from "../work.ts";
import { audienceColumns, audienceOf } from "./columns.ts";

export const listAudiencesCommand = command({
  path: "admin audiences list",
  summary: "List a game's audiences, newest first",
  args: [],
  flags: adminFlags,
  examples: ["admin audiences list --game ember"],
  async run(context, { flags }) {
    const rows = await administer(context, flags, async ({ db, game }) => audiencesOf(db, (await game()).id));
    const audiences = rows.map(audienceOf);
    return { data: { audiences }, table: tableOf(audiences, audienceColumns, "No audiences yet.") };
  },
});
