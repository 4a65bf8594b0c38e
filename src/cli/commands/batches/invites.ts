/** batches invites: the invites of a batch and their status. */
import * as batches from "../../../contract/batches.ts";
import { command, createTable } from "../../command.ts";
import { inviteColumns } from "./columns.ts";

export const listBatchInvitesCommand = command({
  path: "batches invites",
  summary: "List a batch's invites, newest first",
  details: "OPENED stays empty if the mail client blocks tracking, even if the tester read the invite.",
  args: [{ name: "<batch>", describe: "batch id" }],
  flags: {},
  examples: ["batches invites ptb_0123 --game ember"],
  async run(context, { args }) {
    const client = await context.client(batches);
    const data = await client.listBatchInvites({ game: await context.requireGame(), batchId: args[0] ?? "" });
    return { data, table: createTable(data.invites, inviteColumns, "No invites yet.") };
  },
});
