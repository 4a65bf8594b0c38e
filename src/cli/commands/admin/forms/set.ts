/** admin forms set: changes a form's name or trigger, or turns it on or off. */

import { forms } from "../../../../contract/forms.ts";
import { toColumns } from "../../../../render/tables/resource-columns.ts";
import { updateRow } from "../../../../server/db/update-row.ts";
import { findForm, findForms } from "../../../../server/feedback/form-queries.ts";
import { command, createTable } from "../../../command.ts";
import { fail } from "../../../errors.ts";
import { text } from "../../../flags.ts";
import { adminFlags, administer } from "../administer.ts";
import { onOff, resolveOnOff } from "../on-off.ts";
import { TRIGGER_HELP } from "./trigger.ts";

export const setFormCommand = command({
  path: "admin forms set",
  summary: "Change a feedback form. Other settings are kept",
  details:
    "You cannot change the questions, because players may have answered them. Create a new form instead.",
  args: [{ name: "<form>", describe: "form id" }],
  flags: {
    ...adminFlags,
    active: onOff("--active", "whether players see the form"),
    name: text("--name <name>", "form name"),
    trigger: text("--trigger <hint>", TRIGGER_HELP),
  },
  examples: ["admin forms set ff_0123 --game ember --active off"],
  async run(context, { args, flags }) {
    const changed = await administer(context, flags, async ({ db, note, game }) => {
      const { id: gameId } = await game();
      const row = await findForm(db, gameId, args[0] ?? "");
      if (!row)
        throw fail("not_found", {
          message: `Form ${JSON.stringify(args[0])} not found`,
          hint: "Run `playtest admin forms list` to list forms.",
        });
      note.target = row.id;
      await updateRow(db, "feedback_forms", row, {
        active: resolveOnOff(flags.active, row.active),
        name: flags.name ?? row.name,
        trigger_hint: flags.trigger ?? row.trigger_hint,
      });
      return (await findForms(db, gameId)).filter((form) => form.id === row.id);
    });
    return { data: { form: changed[0] }, table: createTable(changed, toColumns(forms), "") };
  },
});
