/** Reads and writes accounts. */
import { ServiceError } from "../core/errors.ts";
import type { AccountRow, Db } from "../db/schema.ts";

/** Returns the oldest account, or undefined in a new database. */
export async function findFirstAccount(db: Db): Promise<AccountRow | undefined> {
  return await db
    .selectFrom("accounts")
    .selectAll()
    .orderBy("created_at")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
}

export async function insertAccount(db: Db, row: AccountRow): Promise<void> {
  await db.insertInto("accounts").values(row).execute();
}

/** Finds an account by id or name. Throws `not_found` if there is none, and `invalid` if several have the name. */
export async function requireAccount(db: Db, idOrName: string): Promise<AccountRow> {
  const rows = await db
    .selectFrom("accounts")
    .selectAll()
    .where((eb) => eb.or([eb("id", "=", idOrName), eb("name", "=", idOrName)]))
    .orderBy("created_at")
    .execute();
  const account = rows.find((row) => row.id === idOrName) ?? rows[0];
  if (!account)
    throw new ServiceError("not_found", {
      message: `Account ${JSON.stringify(idOrName)} not found`,
      hint: "Run `playtest admin accounts list` to see all accounts.",
    });
  if (rows.length > 1 && account.id !== idOrName) {
    throw new ServiceError("invalid", {
      message: `${rows.length} accounts are named ${JSON.stringify(idOrName)}`,
      hint: "Use the id of the account. Run `playtest admin accounts list` to see it.",
    });
  }
  return account;
}

/** Returns all accounts with their number of games, oldest first. */
export async function listAccounts(db: Db): Promise<(AccountRow & { games: number })[]> {
  const rows = await db
    .selectFrom("accounts")
    .selectAll("accounts")
    .select((eb) =>
      eb
        .selectFrom("games")
        .select((games) => games.fn.countAll<number>().as("n"))
        .whereRef("games.account_id", "=", "accounts.id")
        .as("games"),
    )
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({ ...row, games: Number(row.games) }));
}
