/** admin batches open-invite: records that a tester has opened an invite. */

import { testerInvites } from "../../../../contract/batches.ts";
import { toColumns } from "../../../../render/tables/resource-columns.ts";
import { openInvite } from "../../../../server/playtests/batches.ts";
import { findInvite, toTesterInvite } from "../../../../server/playtests/playtest-queries.ts";
import { command, createTable } from "../../../command.ts";
import { fail } from "../../../errors.ts";
import { adminFlags, administer } from "../administer.ts";
import { batchArgument, requireBatch } from "./batch.ts";

export const openInviteCommand = command({
  path: "admin batches open-invite",
  summary: "Record that an invite was opened; only the first time is stored",
  args: [batchArgument, { name: "<invite>", describe: "invite id" }],
  flags: adminFlags,
  examples: ["admin batches open-invite ptb_0123 tvi_0123 --game ember"],
  async run(context, { args, flags }) {
    const invite = await administer(context, flags, async (admin) => {
      const batch = await requireBatch(admin, args[0]);
      const row = await findInvite(admin.db, batch, "id", args[1] ?? "");
      if (!row)
        throw fail("not_found", {
          message: `Invite ${JSON.stringify(args[1])} not found in this batch`,
          hint: "Run `playtest batches invites <batch>` to list invites.",
        });
      return toTesterInvite(await openInvite(admin.db, row, admin.service.now()));
    });
    return { data: { invite }, table: createTable([invite], toColumns(testerInvites), "") };
  },
});
