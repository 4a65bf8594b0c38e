/** The `admin forms` commands: feedback forms. */
import { type FormField, formFieldKinds, forms } from "../../../contract/forms.ts";
import { toColumns } from "../../../render/tables/columns.ts";
import { updateRow } from "../../../server/db/rows.ts";
import { findForm, findForms, toFeedbackForm } from "../../../server/feedback/form-queries.ts";
import { createForm } from "../../../server/feedback/forms.ts";
import { formatName } from "../../../shared/similar-names.ts";
import { command, createTable } from "../../command.ts";
import { fail } from "../../errors.ts";
import { list, text, toggle } from "../../flags.ts";
import { adminFlags, administer, failNotFound } from "./administer.ts";
import { createAdminListCommand } from "./list-command.ts";
import { onOff, resolveOnOff } from "./on-off.ts";

const TRIGGER_HELP =
  "when your game shows the form: any text that your game understands, such as session_end or level_completed:dock";

export const createFormCommand = command({
  path: "admin forms create",
  summary: "Create a feedback form",
  details:
    `Write each field as id:kind:question. The kind is one of ${formFieldKinds.join(", ")}. Add ! after the ` +
    "id to make the field required.",
  args: [{ name: "<name>", describe: "form name" }],
  flags: {
    ...adminFlags,
    questions: list("--field <id:kind:question>", "question (repeatable; questions are asked in this order)"),
    trigger: text("--trigger <hint>", `${TRIGGER_HELP} (default: session_end)`),
    inactive: toggle("--inactive", "create the form without showing it to players yet"),
  },
  examples: ['admin forms create Boss --field "fun!:rating-1-5:Fun?"'],
  async run(context, { args, flags }) {
    const fields = flags.questions.map(parseField);
    const row = await administer(context, flags, async ({ db, service, target, game }) =>
      target(
        await createForm(db, service, (await game()).id, {
          name: args[0] ?? "",
          fields,
          triggerHint: flags.trigger ?? "session_end",
          active: !flags.inactive,
        }),
      ),
    );
    const form = toFeedbackForm(row, 0);
    return { data: { form }, table: createTable([form], toColumns(forms), "") };
  },
});

function parseField(text: string): FormField {
  const [, id, required, kind, label] = /^([^:!]+)(!?):([^:]+):(.+)$/s.exec(text) ?? [];
  if (id === undefined || kind === undefined || label === undefined) {
    throw fail("usage", {
      message: `--field ${JSON.stringify(text)} is not id:kind:question`,
      hint: 'For example: --field "fun!:rating-1-5:Was it fun?".',
    });
  }
  return { id, label, kind, ...(required ? { required: true } : {}) };
}

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
    const changed = await administer(context, flags, async ({ db, target, game }) => {
      const { id: gameId } = await game();
      const [id = ""] = args;
      const row = await findForm(db, gameId, id);
      if (!row) throw failNotFound(`form ${formatName(id)}`, "`playtest admin forms list` to list forms");
      target(row);
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

export const listFormsCommand = createAdminListCommand({
  path: "admin forms list",
  summary: "List a game's feedback forms, newest first",
  examples: ["admin forms list --game ember"],
  field: "forms",
  columns: toColumns(forms),
  empty: "No feedback forms yet.",
  read: async ({ db, game }) => await findForms(db, (await game()).id),
});
