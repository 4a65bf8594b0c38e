/** admin keys list: lists the keys of an account by hash prefix. */
import { renderTable } from "../../../../render/table.ts";
import { findAccountKeys } from "../../../../server/accounts/key-queries.ts";
import { command, createTable } from "../../../command.ts";
import { adminFlags, administer } from "../administer.ts";
import { keyColumns, keyTableColumns, toApiKeySummary } from "./columns.ts";

export const listKeysCommand = command({
  path: "admin keys list",
  summary: "List an account's API keys, oldest first",
  details: "Each key is shown as the first 12 characters of its hash.",
  args: [],
  flags: adminFlags,
  examples: ["admin keys list", "admin keys list --account studio"],
  async run(context, { flags }) {
    const rows = await administer(context, flags, ({ db, accountId }) => findAccountKeys(db, accountId));
    const keys = rows.map(toApiKeySummary);
    return {
      data: { keys },
      table: createTable(
        keys,
        keyColumns,
        "No keys. `playtest admin keys rotate` creates the first management key.",
      ),
      view: (options) => (keys.length === 0 ? "" : renderTable(keys, keyTableColumns, options)),
    };
  },
});
