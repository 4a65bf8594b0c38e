/** batches keys: the keys of a batch and how each was redeemed. */
import * as batches from "../../../contract/batches.ts";
import { command, createTable } from "../../command.ts";
import { keyColumns } from "./columns.ts";

export const listBatchKeysCommand = command({
  path: "batches keys",
  summary: "List a batch's playtest keys and who redeemed them, without the key values",
  args: [{ name: "<batch>", describe: "batch id" }],
  flags: {},
  examples: ["batches keys ptb_0123 --game ember", "batches keys ptb_0123 --json --jq '.keys[].status'"],
  async run(context, { args }) {
    const client = await context.client(batches);
    const data = await client.listBatchKeys({ game: await context.requireGame(), batchId: args[0] ?? "" });
    return { data, table: createTable(data.keys, keyColumns, "No keys yet.") };
  },
});
