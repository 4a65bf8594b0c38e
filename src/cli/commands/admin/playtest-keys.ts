/** The `admin batches` commands for the playtest keys of a batch. */
import { playtestKeys } from "../../../contract/batches.ts";
import { defineColumns, toColumns } from "../../../render/tables/columns.ts";
import type { PlaytestBatchRow, PlaytestKeyRow } from "../../../server/db/schema.ts";
import {
  addPlaytestKeys,
  generatePlaytestKey,
  redeemPlaytestKey,
  requirePlaytestKey,
  revokePlaytestKey,
} from "../../../server/playtests/batches.ts";
import {
  findAvailableKey,
  findPlaytestKey,
  toPlaytestKey,
} from "../../../server/playtests/playtest-queries.ts";
import { command, createTable } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { country, type FlagValues, integer, text } from "../../flags.ts";
import {
  type AdminContext,
  adminFlags,
  administer,
  administerConfirmed,
  destructiveAdminFlags,
} from "./administer.ts";
import { batchArgument, requireBatch, unknownInvite } from "./batches.ts";
import { readText } from "./text-file.ts";

/** The maximum number of keys per run. */
const MAX_KEYS = 10_000;

interface AddedKey {
  readonly id: string;
  readonly key: string;
}

const columns = defineColumns<AddedKey>({ id: { header: "ID" }, key: { header: "KEY" } });

export const addKeysCommand = command({
  path: "admin batches add-keys",
  summary: "Add playtest keys to a batch (shown only once; only fingerprints are stored)",
  details:
    "Keys that are repeated in the file or already exist in any batch of the game are skipped and counted.",
  args: [batchArgument],
  flags: {
    ...adminFlags,
    file: text("--file <file>", "file with one key per line, or - for standard input"),
    generate: integer("--generate <n>", "number of keys to generate", 1, MAX_KEYS),
  },
  examples: [
    "admin batches add-keys ptb_0123 --game ember --file steam-keys.txt",
    "admin batches add-keys ptb_0123 --generate 50 --json",
  ],
  async run(context, { args, flags }) {
    const keys = await readKeys(context, flags.file, flags.generate);
    const { batch, added } = await administer(context, flags, async (admin) => {
      const row = await requireBatch(admin, args[0]);
      return { batch: row, added: await addPlaytestKeys(admin.db, admin.service, row, keys) };
    });
    const rows = [...added].map(([key, id]) => ({ id, key }));
    const known = keys.length - rows.length;
    if (known > 0)
      await context.notify(
        known === 1
          ? "Skipped 1 key: it is repeated in the file or already exists in this game."
          : `Skipped ${known} keys: they are repeated in the file or already exist in this game.`,
      );
    return {
      data: { batch: { id: batch.id, name: batch.name }, added: rows, known },
      table: createTable(rows, columns, "No new keys."),
    };
  },
});

async function readKeys(
  { io }: Context,
  file: string | undefined,
  generate: number | undefined,
): Promise<string[]> {
  if ((file === undefined) === (generate === undefined))
    throw fail("usage", { message: "Specify either --file or --generate" });
  if (file === undefined) return Array.from({ length: generate ?? 0 }, generatePlaytestKey);
  const lines = (await readText(io, file)).split(/\r?\n/).map((line) => line.trim());
  const keys = lines.filter((line) => line !== "");
  if (keys.length === 0) throw fail("usage", { message: `${file} contains no keys` });
  if (keys.length > MAX_KEYS) throw fail("usage", { message: `${file} contains more than ${MAX_KEYS} keys` });
  return keys;
}

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

const redeemFlags = {
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
  flags: redeemFlags,
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
  { key, invite }: FlagValues<typeof redeemFlags>,
): Promise<PlaytestKeyRow> {
  if (key !== undefined && invite !== undefined)
    throw fail("usage", { message: "--key and --invite cannot be used together" });
  if (key !== undefined) return await requirePlaytestKey(db, batch, key);
  if (invite !== undefined) {
    const reserved = await findPlaytestKey(db, batch.game_id, "tester_invite_id", invite);
    if (reserved?.batch_id === batch.id) return reserved;
    throw unknownInvite(invite);
  }
  const next = await findAvailableKey(db, batch);
  if (next) return next;
  throw fail("conflict", {
    message: `Batch ${batch.id} has no available keys`,
    hint: `Run \`playtest admin batches add-keys ${batch.id}\` to add keys.`,
  });
}
