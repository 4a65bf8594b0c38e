/** admin batches add-keys: adds keys from a file, or generated keys. */
import type { TableColumn } from "../../../../render/columns.ts";
import { textColumn } from "../../../../render/tables/columns.ts";
import { addPlaytestKeys, generatePlaytestKey } from "../../../../server/playtests/batches.ts";
import { command, createTable } from "../../../command.ts";
import type { Context } from "../../../context.ts";
import { fail } from "../../../errors.ts";
import { integer, text } from "../../../flags.ts";
import { adminFlags, administer } from "../administer.ts";
import { readText } from "../text-file.ts";
import { batchArgument, requireBatch } from "./batch.ts";

/** The maximum number of keys per run. */
const MAX_KEYS = 10_000;

interface AddedKey {
  readonly id: string;
  readonly key: string;
}

const columns: readonly TableColumn<AddedKey>[] = [
  textColumn("id", "ID", (added) => added.id),
  textColumn("key", "KEY", (added) => added.key),
];

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
