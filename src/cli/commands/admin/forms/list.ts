/** admin forms list: a game's feedback forms. */
import { formsOf } from "../../../../server/feedback/queries.ts";
import { command, tableOf } from "../../../command.ts";
import { formColumns } from "../../games/form-columns.ts";
import { adminFlags, administer } from "../work.ts";

export const listFormsCommand = command({
  path: "admin forms list",
  summary: "List a game's feedback forms, newest first",
  args: [],
  flags: adminFlags,
  examples: ["admin forms list --game ember"],
  async run(context, { flags }) {
    const forms = await administer(context, flags, async ({ db, game }) => formsOf(db, (await game()).id));
    return { data: { forms }, table: tableOf(forms, formColumns, "No feedback forms yet.") };
  },
});
