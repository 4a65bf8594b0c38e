/** admin keys list: which keys an account has, not what they are. */
import { keysOf } from "../../../../server/accounts/key-queries.ts";
import { command, tableOf } from "../../../command.ts";
import { adminFlags, administer } from "../work.ts";
import { keyColumns, storedKeyOf } from "./columns.ts";

export const listKeysCommand = command({
  path: "admin keys list",
  summary: "List the account's keys by the first digits of their hashes, oldest first",
  args: [],
  flags: adminFlags,
  examples: ["admin keys list", "admin keys list --account studio"],
  async run(context, { flags }) {
    const rows = await administer(context, flags, ({ db, accountId }) => keysOf(db, accountId));
    const keys = rows.map(storedKeyOf);
    return {
      data: { keys },
      table: tableOf(keys, keyColumns, "No keys; `playtest admin keys rotate` makes one."),
    };
  },
});
