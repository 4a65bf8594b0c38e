/** admin forms create: a feedback form of a game. */
import { type FormField, formFieldKinds } from "../../../../contract/forms.ts";
import { createForm } from "../../../../server/feedback/forms.ts";
import { toFeedbackForm } from "../../../../server/feedback/queries.ts";
import { command, createTable } from "../../../command.ts";
import { fail } from "../../../errors.ts";
import { list, text, toggle } from "../../../flags.ts";
import { formColumns } from "../../games/form-columns.ts";
import { adminFlags, administer } from "../administer.ts";

export const createFormCommand = command({
  path: "admin forms create",
  summary: "Make a feedback form",
  details: `A field is id:kind:question, its kind one of ${formFieldKinds.join(", ")}; a ! after the id makes it required.`,
  args: [{ name: "<name>", describe: "its name" }],
  flags: {
    ...adminFlags,
    questions: list("--field <id:kind:question>", "a question; may be repeated, in the order they are asked"),
    trigger: text("--trigger <hint>", "when the game shows it, default session_end"),
    inactive: toggle("--inactive", "do not ask it yet"),
  },
  examples: ['admin forms create Boss --field "fun!:rating-1-5:Fun?"'],
  async run(context, { args, flags }) {
    const fields = flags.questions.map(parseField);
    const row = await administer(context, flags, async ({ db, service, game }) =>
      createForm(db, service, (await game()).id, {
        name: args[0] ?? "",
        fields,
        triggerHint: flags.trigger ?? "session_end",
        active: !flags.inactive,
      }),
    );
    const form = toFeedbackForm(row, 0);
    return { data: { form }, table: createTable([form], formColumns, "") };
  },
});

function parseField(given: string): FormField {
  const [, id, required, kind, label] = /^([^:!]+)(!?):([^:]+):(.+)$/s.exec(given) ?? [];
  if (id === undefined || kind === undefined || label === undefined) {
    throw fail("usage", {
      message: `--field ${JSON.stringify(given)} is not id:kind:question`,
      hint: 'Write it like "fun!:rating-1-5:Was it fun?".',
    });
  }
  return { id, label, kind, ...(required ? { required: true } : {}) };
}
