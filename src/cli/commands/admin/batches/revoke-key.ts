/** admin batches revoke-key: revokes a playtest key. */
import { requirePlaytestKey, revokePlaytestKey } from "../../../../server/playtests/batches.ts";
import { toPlaytestKey } from "../../../../server/playtests/queries.ts";
import { command, createTable } from "../../../command.ts";
import { keyColumns } from "../../batches/columns.ts";
import { adminFlags, administer } from "../administer.ts";
import { batchArgument, requireBatch } from "./batch.ts";

export const revokeKeyCommand = command({
  path: "admin batches revoke-key",
  summary: "Revoke a playtest key, even if it was redeemed",
  args: [batchArgument, { name: "<key>", describe: "key id or key value" }],
  flags: adminFlags,
  examples: ["admin batches revoke-key ptb_0123 ptk_0123 --game ember"],
  async run(context, { args, flags }) {
    const key = await administer(context, flags, async (admin) => {
      const { db, service } = admin;
      const batch = await requireBatch(admin, args[0]);
      const row = await revokePlaytestKey(db, await requirePlaytestKey(db, batch, args[1] ?? ""));
      return toPlaytestKey(row, batch, service.now());
    });
    return { data: { key }, table: createTable([key], keyColumns, "") };
  },
});
