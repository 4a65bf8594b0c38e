/** games prompts: the feedback forms of a game. */
import * as forms from "../../../contract/forms.ts";
import { formColumns } from "../../../render/tables/forms.ts";
import { command, createTable } from "../../command.ts";

export const gamePromptsCommand = command({
  path: "games prompts",
  summary: "List a game's feedback forms and their response counts",
  details: "To read the responses, run `playtest sessions get` on a session.",
  args: [{ name: "[game]", describe: "game id or slug (default: the configured game)" }],
  flags: {},
  examples: ["games prompts ember", "games prompts ember --json --jq '.forms[].responseCount'"],
  async run(context, { args }) {
    const client = await context.client(forms);
    const data = await client.listGameFeedbackForms({ id: args[0] ?? (await context.requireGame()) });
    return { data, table: createTable(data.forms, formColumns, "No feedback forms yet.") };
  },
});
