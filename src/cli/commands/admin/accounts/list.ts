/** admin accounts list: every account of the database. */
import { allAccounts } from "../../../../server/accounts/queries.ts";
import { command, tableOf } from "../../../command.ts";
import { databaseFlags } from "../../server/local.ts";
import { administer } from "../work.ts";
import { accountColumns, accountOf } from "./columns.ts";

export const listAccountsCommand = command({
  path: "admin accounts list",
  summary: "List the accounts, oldest first",
  details: "The first is the one that is meant where none is named.",
  args: [],
  flags: databaseFlags,
  examples: ["admin accounts list", "admin accounts list --json"],
  async run(context, { flags }) {
    const rows = await administer(context, flags, ({ db }) => allAccounts(db));
    const accounts = rows.map((row) => accountOf(row, row.games));
    return { data: { accounts }, table: tableOf(accounts, accountColumns, "No accounts.") };
  },
});
