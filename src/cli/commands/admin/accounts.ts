/** The `admin accounts` commands: accounts with their keys. */
import { renderDetails } from "../../../render/details.ts";
import { defineColumns } from "../../../render/tables/columns.ts";
import { listAccounts } from "../../../server/accounts/account-queries.ts";
import { createAccount, issueKeys } from "../../../server/accounts/accounts.ts";
import type { AccountRow } from "../../../server/db/schema.ts";
import { command } from "../../command.ts";
import { fail } from "../../errors.ts";
import { databaseFlags } from "../server/local.ts";
import { administerNew } from "./administer.ts";
import { createAdminListCommand } from "./list-command.ts";

/** `games` is the number of games. Times are unix ms. */
function toAccount({ id, name, created_at }: AccountRow, games: number) {
  return { id, name, createdAt: created_at, games };
}

const accountColumns = defineColumns<ReturnType<typeof toAccount>>({
  name: { header: "NAME", tone: "strong", shrink: 1 },
  id: { header: "ID" },
  games: { header: "GAMES" },
  createdAt: { header: "CREATED", kind: "time" },
});

const MAX_NAME = 120;

export const createAccountCommand = command({
  path: "admin accounts create",
  summary: "Create an account and its keys (shown only once)",
  args: [
    { name: "<name>", describe: `account name, 1 to ${MAX_NAME} characters; does not have to be unique` },
  ],
  flags: databaseFlags,
  examples: ['admin accounts create "Second Studio"', 'admin accounts create "Second Studio" --json'],
  async run(context, { args, flags }) {
    const name = args[0] ?? "";
    if (name.trim() === "" || name.length > MAX_NAME) {
      throw fail("usage", {
        message: `An account name must have 1 to ${MAX_NAME} characters, not ${name.length}`,
      });
    }
    const { account, keys } = await administerNew(context, flags, async ({ db, service, note }) => {
      // The default account is the oldest, so a new one must be newer even if the clock has not advanced.
      const newest = (await listAccounts(db)).at(-1)?.created_at ?? 0;
      const now = () => Math.max(service.now(), newest + 1);
      const row = await createAccount(db, { ...service, now }, name);
      note.accountId = row.id;
      note.target = row.id;
      return { account: toAccount(row, 0), keys: await issueKeys(db, service, row.id) };
    });
    return {
      data: { account, managementKey: keys.management, ingestKey: keys.ingest },
      view: (options) =>
        `${renderDetails(
          [
            ["Account", account.name, "strong"],
            ["ID", account.id],
            ["Management key", keys.management],
            ["Ingest key", keys.ingest],
          ],
          options,
        )}\nThe keys are shown only once.\n`,
    };
  },
});

export const listAccountsCommand = createAdminListCommand({
  path: "admin accounts list",
  summary: "List accounts, oldest first",
  details: "The first account is the default for commands that take --account.",
  examples: ["admin accounts list", "admin accounts list --json"],
  field: "accounts",
  columns: accountColumns,
  empty: "No accounts.",
  allAccounts: true,
  read: async ({ db }) => (await listAccounts(db)).map((row) => toAccount(row, row.games)),
});
