/** batches list: a game's playtest batches. */
import * as batches from "../../../contract/batches.ts";
import { batchColumns } from "../../../render/tables/batches.ts";
import { command, createTable } from "../../command.ts";

export const listBatchesCommand = command({
  path: "batches list",
  summary: "List a game's playtest batches, newest first",
  details:
    "A batch is a set of playtest keys that are handed out together. A playtest key is a code that gives one tester " +
    "access to a playtest. It is not an API key.",
  args: [],
  flags: {},
  examples: ["batches list --game ember", "batches list --json --jq '.batches[] | {name, key_count}'"],
  async run(context) {
    const client = await context.client(batches);
    const data = await client.listBatches({ game: await context.requireGame() });
    return { data, table: createTable(data.batches, batchColumns, "No batches yet.") };
  },
});
