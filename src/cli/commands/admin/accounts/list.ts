/** admin accounts list: lists the accounts in the database. */
import { listAccounts } from "../../../../server/accounts/queries.ts";
import { command, createTable } from "../../../command.ts";
import { databaseFlags, existingDatabaseFlag } from "../../server/local.ts";
import { administer } from "../administer.ts";
import { accountColumns, toAccount } from "./columns.ts";

export const listAccountsCommand = command({
  path: "admin accounts list",
  summary: "List accounts, oldest first",
  details: "The first account is the default for commands that take --account.",
  args: [],
  flags: { ...databaseFlags, database: existingDatabaseFlag },
  examples: ["admin accounts list", "admin accounts list --json"],
  async run(context, { flags }) {
    const rows = await administer(context, flags, ({ db }) => listAccounts(db));
    const accounts = rows.map((row) => toAccount(row, row.games));
    return { data: { accounts }, table: createTable(accounts, accountColumns, "No accounts.") };
  },
});
