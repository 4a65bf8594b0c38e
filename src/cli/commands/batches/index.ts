/** The commands about playtest batches. */
import * as contract from "../../../contract/batches.ts";
import { batches, playtestKeys, testerInvites } from "../../../contract/batches.ts";
import { renderDetails } from "../../../render/details.ts";
import { batchDetails } from "../../../render/tables/batch-details.ts";
import { toColumns } from "../../../render/tables/columns.ts";
import { command, createTable } from "../../command.ts";
import { withWholeId } from "../../short-ids.ts";
import { createListCommand } from "../resource-commands.ts";

const getBatchCommand = command({
  path: "batches get",
  summary: "Show a batch's settings and its instructions for testers",
  args: [{ name: "<batch>", describe: "batch id, or its beginning" }],
  examples: ["batches get ptb_0123 --game ember"],
  async run(context, { args }) {
    const client = await context.client(contract);
    const game = await context.requireGame();
    const data = await withWholeId(context, "ptb", args[0] ?? "", (batchId) =>
      client.getBatch({ game, batchId }),
    );
    const { batch } = data;
    return {
      data,
      table: createTable([batch], toColumns(contract.batches), ""),
      view: (options) => renderDetails(batchDetails(data, options), options),
    };
  },
});

export const commands = [
  createListCommand(batches),
  getBatchCommand,
  createListCommand(playtestKeys),
  createListCommand(testerInvites),
];
