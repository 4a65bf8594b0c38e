/** admin batches revoke-key: revokes a playtest key. */

import { playtestKeys } from "../../../../contract/batches.ts";
import { toColumns } from "../../../../render/tables/resource-columns.ts";
import { requirePlaytestKey, revokePlaytestKey } from "../../../../server/playtests/batches.ts";
import { toPlaytestKey } from "../../../../server/playtests/playtest-queries.ts";
import { command, createTable } from "../../../command.ts";
import { type AdminContext, administerConfirmed, destructiveAdminFlags } from "../administer.ts";
import { batchArgument, requireBatch } from "./batch.ts";

export const revokeKeyCommand = command({
  path: "admin batches revoke-key",
  summary: "Revoke a playtest key, even if it was redeemed",
  args: [batchArgument, { name: "<key>", describe: "key id or key value" }],
  flags: destructiveAdminFlags,
  examples: ["admin batches revoke-key ptb_0123 ptk_0123 --game ember --yes"],
  async run(context, { args, flags }) {
    const find = async (admin: AdminContext) => {
      const batch = await requireBatch(admin, args[0]);
      return { batch, key: await requirePlaytestKey(admin.db, batch, args[1] ?? "") };
    };
    const key = await administerConfirmed(
      context,
      flags,
      async (admin) => {
        const { batch, key: found } = await find(admin);
        return `Revoke the playtest key ${found.id} of the batch ${JSON.stringify(batch.name)}?`;
      },
      async (admin) => {
        const { batch, key: found } = await find(admin);
        admin.note.target = found.id;
        return toPlaytestKey(await revokePlaytestKey(admin.db, found), batch, admin.service.now());
      },
    );
    return { data: { key }, table: createTable([key], toColumns(playtestKeys), "") };
  },
});
