/** admin forms list: lists the feedback forms of a game. */

import { formColumns } from "../../../../render/tables/forms.ts";
import { findForms } from "../../../../server/feedback/queries.ts";
import { command, createTable } from "../../../command.ts";
import { adminFlags, administer } from "../administer.ts";

export const listFormsCommand = command({
  path: "admin forms list",
  summary: "List a game's feedback forms, newest first",
  args: [],
  flags: adminFlags,
  examples: ["admin forms list --game ember"],
  async run(context, { flags }) {
    const forms = await administer(context, flags, async ({ db, game }) => findForms(db, (await game()).id));
    return { data: { forms }, table: createTable(forms, formColumns, "No feedback forms yet.") };
  },
});
