/** admin audiences list: lists the audiences of a game. */
import { findAudiences } from "../../../../server/experiments/queries.ts";
import { command, createTable } from "../../../command.ts";
import { adminFlags, administer } from "../administer.ts";
import { audienceColumns, toAudience } from "./columns.ts";

export const listAudiencesCommand = command({
  path: "admin audiences list",
  summary: "List a game's audiences, newest first",
  args: [],
  flags: adminFlags,
  examples: ["admin audiences list --game ember"],
  async run(context, { flags }) {
    const rows = await administer(context, flags, async ({ db, game }) =>
      findAudiences(db, (await game()).id),
    );
    const audiences = rows.map(toAudience);
    return { data: { audiences }, table: createTable(audiences, audienceColumns, "No audiences yet.") };
  },
});
