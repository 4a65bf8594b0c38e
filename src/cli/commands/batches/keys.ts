/** batches keys: the keys of a batch and how each was redeemed. */
import * as batches from "../../../contract/batches.ts";
import { keyColumns } from "../../../render/tables/batches.ts";
import { command } from "../../command.ts";
import { withWholeId } from "../../short-ids.ts";
import { createListTable } from "../constant-columns.ts";

export const listBatchKeysCommand = command({
  path: "batches keys",
  summary: "List a batch's playtest keys and who redeemed them, without the key values",
  args: [{ name: "<batch>", describe: "batch id, or its beginning" }],
  flags: {},
  examples: ["batches keys ptb_0123 --game ember", "batches keys ptb_0123 --json --jq '.keys[].status'"],
  async run(context, { args }) {
    const client = await context.client(batches);
    const game = await context.requireGame();
    const data = await withWholeId(context, "ptb", args[0] ?? "", (batchId) =>
      client.listBatchKeys({ game, batchId }),
    );
    return { data, table: await createListTable(context, data.keys, keyColumns, "No keys yet.") };
  },
});
