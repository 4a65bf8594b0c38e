/** admin batches redeem: records that a tester has redeemed a key. */

import { playtestKeys } from "../../../../contract/batches.ts";
import { toColumns } from "../../../../render/tables/resource-columns.ts";
import type { PlaytestBatchRow, PlaytestKeyRow } from "../../../../server/db/schema.ts";
import { redeemPlaytestKey, requirePlaytestKey } from "../../../../server/playtests/batches.ts";
import {
  findAvailableKey,
  findPlaytestKey,
  toPlaytestKey,
} from "../../../../server/playtests/playtest-queries.ts";
import { command, createTable } from "../../../command.ts";
import { fail } from "../../../errors.ts";
import { country, type FlagValues, text } from "../../../flags.ts";
import { type AdminContext, adminFlags, administer } from "../administer.ts";
import { batchArgument, requireBatch } from "./batch.ts";

const flags = {
  ...adminFlags,
  key: text("--key <key>", "key id or key value"),
  invite: text("--invite <id>", "id of the invite whose reserved key is redeemed"),
  email: text("--email <address>", "email address of the tester (default: the invited address)"),
  handle: text("--handle <handle>", "tester handle, created if it does not exist"),
  country: country("--country <code>", "country of the tester (ISO 3166 alpha-2)"),
  userAgent: text("--user-agent <text>", "browser user agent of the tester"),
  ip: text("--ip <address>", "IP address of the tester; stored but never shown"),
} as const;

export const redeemCommand = command({
  path: "admin batches redeem",
  summary: "Redeem a playtest key: by default, the next available one",
  args: [batchArgument],
  flags,
  examples: [
    "admin batches redeem ptb_0123 --email wren@example.com --handle wren",
    "admin batches redeem ptb_0123 --game ember --invite tvi_0123",
  ],
  async run(context, { args, flags: values }) {
    const key = await administer(context, values, async (admin) => {
      const { db, service } = admin;
      const batch = await requireBatch(admin, args[0]);
      const row = await redeemPlaytestKey(db, service, batch, await selectKey(admin, batch, values), {
        email: values.email ?? null,
        handle: values.handle ?? null,
        country: values.country ?? null,
        userAgent: values.userAgent ?? null,
        ip: values.ip ?? null,
      });
      return toPlaytestKey(row, batch, service.now());
    });
    return { data: { key }, table: createTable([key], toColumns(playtestKeys), "") };
  },
});

async function selectKey(
  { db }: AdminContext,
  batch: PlaytestBatchRow,
  { key, invite }: FlagValues<typeof flags>,
): Promise<PlaytestKeyRow> {
  if (key !== undefined && invite !== undefined)
    throw fail("usage", { message: "--key and --invite cannot be used together" });
  if (key !== undefined) return await requirePlaytestKey(db, batch, key);
  if (invite !== undefined) {
    const reserved = await findPlaytestKey(db, batch.game_id, "tester_invite_id", invite);
    if (reserved?.batch_id === batch.id) return reserved;
    throw fail("not_found", {
      message: `Invite ${JSON.stringify(invite)} not found in this batch`,
      hint: "Run `playtest batches invites <batch>` to list invites.",
    });
  }
  const next = await findAvailableKey(db, batch);
  if (next) return next;
  throw fail("conflict", {
    message: `Batch ${batch.id} has no available keys`,
    hint: `Run \`playtest admin batches add-keys ${batch.id}\` to add keys.`,
  });
}
