/** admin keys list: lists the keys of an account by hash prefix. */
import { findAccountKeys } from "../../../../server/accounts/key-queries.ts";
import { command } from "../../../command.ts";
import { createListTable } from "../../constant-columns.ts";
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
      table: await createListTable(
        context,
        keys,
        context.settings.format.value === "table" ? keyTableColumns : keyColumns,
        "No keys. `playtest admin keys rotate` creates the first management key.",
      ),
    };
  },
});
