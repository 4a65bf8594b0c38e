/** The commands about playtest batches. */
import * as contract from "../../../contract/batches.ts";
import { batches, playtestKeys, testerInvites } from "../../../contract/batches.ts";
import { renderDetails } from "../../../render/details.ts";
import { toColumns } from "../../../render/tables/resource-columns.ts";
import { formatTime } from "../../../render/time.ts";
import { command, createTable } from "../../command.ts";
import { withWholeId } from "../../short-ids.ts";
import { createListCommand } from "../resource-commands.ts";

/** A value such as `claim_page` as people read it. */
const words = (value: string) => value.replaceAll("_", " ");

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
      view: (options) =>
        renderDetails(
          [
            ["Batch", batch.name, "strong"],
            ["ID", batch.id],
            ["Game", data.game.name],
            ["Playtest keys", batch.key_count],
            ["Redeemed", batch.redeemed_count],
            ["Revoked", batch.revoked_count],
            ["Distribution", words(batch.distribution_target)],
            ["Key source", words(batch.fulfillment_source)],
            ["Redemption", words(batch.redemption_mode)],
            ["Testers identified by", words(batch.identity_mode)],
            ["Share token", batch.share_token ?? null],
            ["Expires", batch.expires_at == null ? null : formatTime(batch.expires_at, options)],
            ["Created", formatTime(batch.created_at, options)],
            ["Instructions", batch.instructions ?? null],
          ],
          options,
        ),
    };
  },
});

export const commands = [
  createListCommand(batches),
  getBatchCommand,
  createListCommand(playtestKeys),
  createListCommand(testerInvites),
];
