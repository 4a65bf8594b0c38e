/** batches invites: the invites of a batch and their status. */
import * as batches from "../../../contract/batches.ts";
import { inviteColumns } from "../../../render/tables/batches.ts";
import { command, createTable } from "../../command.ts";
import { withWholeId } from "../../short-ids.ts";

export const listBatchInvitesCommand = command({
  path: "batches invites",
  summary: "List a batch's invites, newest first",
  details:
    "OPENED shows when the tester first opened the invite, if the service was informed of it. It can stay empty even if the tester read " +
    "the invite: a service that sends the email itself cannot notice it if the mail client blocks tracking. A server " +
    "on your machine sends no email; there, `playtest admin batches open-invite` records it. REDEEMED is always set " +
    "when the tester has redeemed the key.",
  args: [{ name: "<batch>", describe: "batch id, or its beginning" }],
  flags: {},
  examples: ["batches invites ptb_0123 --game ember"],
  async run(context, { args }) {
    const client = await context.client(batches);
    const game = await context.requireGame();
    const data = await withWholeId(context, "ptb", args[0] ?? "", (batchId) =>
      client.listBatchInvites({ game, batchId }),
    );
    return { data, table: createTable(data.invites, inviteColumns, "No invites yet.") };
  },
});
