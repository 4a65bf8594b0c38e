/** batches list: a game's playtest batches. */
import * as batches from "../../../contract/batches.ts";
import { command, createTable } from "../../command.ts";
import { batchColumns } from "./columns.ts";

export const listBatchesCommand = command({
  path: "batches list",
  summary: "List a game's playtest batches, newest first",
  args: [],
  flags: {},
  examples: ["batches list --game ember", "batches list --json --jq '.batches[] | {name, key_count}'"],
  async run(context) {
    const client = await context.client(batches);
    const data = await client.listBatches({ game: await context.requireGame() });
    return { data, table: createTable(data.batches, batchColumns, "No batches yet.") };
  },
});
