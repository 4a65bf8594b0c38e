/** admin batches redeem: notes that a tester has redeemed a key. */
import type { PlaytestBatchRow, PlaytestKeyRow } from "../../../../server/db/schema.ts";
import { redeemPlaytestKey, requirePlaytestKey } from "../../../../server/playtests/batches.ts";
import { findAvailableKey, findPlaytestKey, toPlaytestKey } from "../../../../server/playtests/queries.ts";
import { command, createTable } from "../../../command.ts";
import { fail } from "../../../errors.ts";
import { type FlagValues, text } from "../../../flags.ts";
import { keyColumns } from "../../batches/columns.ts";
import { type AdminContext, adminFlags, administer } from "../administer.ts";
import { batchArgument, requireBatch } from "./batch.ts";

const flags = {
  ...adminFlags,
  key: text("--key <key>", "key id or key value"),
  invite: text("--invite <id>", "id of the invite whose reserved key is redeemed"),
  email: text("--email <address>", "email address of the tester (default: the invited address)"),
  handle: text("--handle <handle>", "tester handle, created if it does not exist"),
  country: text("--country <code>", "country of the tester (ISO 3166 alpha-2)"),
  userAgent: text("--user-agent <text>", "browser user agent of the tester"),
  ip: text("--ip <address>", "IP address of the tester; stored but never shown"),
} as const;

export const redeemCommand = command({
  path: "admin batches redeem",
  summary: "Redeem a specific key, an invite's key or the next available key",
  args: [batchArgument],
  flags,
  examples: [
    "admin batches redeem ptb_0123 --email wren@example.com --handle wren",
    "admin batches redeem ptb_0123 --game ember --invite tvi_0123",
  ],
  async run(context, { args, flags: given }) {
    if (given.country !== undefined && !/^[A-Z]{2}$/.test(given.country))
      throw fail("usage", {
        message: `--country ${JSON.stringify(given.country)} is not an ISO 3166 alpha-2 code, such as DE`,
      });
    const key = await administer(context, given, async (admin) => {
      const { db, service } = admin;
      const batch = await requireBatch(admin, args[0]);
      const row = await redeemPlaytestKey(db, service, batch, await selectKey(admin, batch, given), {
        email: given.email ?? null,
        handle: given.handle ?? null,
        country: given.country ?? null,
        userAgent: given.userAgent ?? null,
        ip: given.ip ?? null,
      });
      return toPlaytestKey(row, batch, service.now());
    });
    return { data: { key }, table: createTable([key], keyColumns, "") };
  },
});

async function selectKey(
  { db }: AdminContext,
  batch: PlaytestBatchRow,
  { key, invite }: FlagValues<typeof flags>,
): Promise<PlaytestKeyRow> {
  if (key !== undefined && invite !== undefined)
    throw fail("usage", { message: "--key and --invite exclude each other" });
  if (key !== undefined) return await requirePlaytestKey(db, batch, key);
  if (invite !== undefined) {
    const reserved = await findPlaytestKey(db, batch.game_id, "tester_invite_id", invite);
    if (reserved?.batch_id === batch.id) return reserved;
    throw fail("not_found", {
      message: `The batch has no invite ${JSON.stringify(invite)}`,
      hint: "`playtest batches invites <batch>` shows those there are.",
    });
  }
  const next = await findAvailableKey(db, batch);
  if (next) return next;
  throw fail("conflict", {
    message: `The batch ${batch.id} has no key left`,
    hint: "Add some with `playtest admin batches add-keys`.",
  });
}
