/** Reads and writes accounts. */
import { ServiceError } from "../core/errors.ts";
import type { AccountRow, Db } from "../db/schema.ts";

/** The first account of a database, or undefined in a new one. */
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

/** The account of an id, or the one of a name. Throws `not_found` for none, `invalid` where several have the name. */
export async function requireAccount(db: Db, idOrName: string): Promise<AccountRow> {
  const found = await db
    .selectFrom("accounts")
    .selectAll()
    .where((eb) => eb.or([eb("id", "=", idOrName), eb("name", "=", idOrName)]))
    .orderBy("created_at")
    .execute();
  const account = found.find((row) => row.id === idOrName) ?? found[0];
  if (!account)
    throw new ServiceError("not_found", {
      message: `There is no account ${JSON.stringify(idOrName)}`,
      hint: "`playtest admin accounts list` shows those there are.",
    });
  if (found.length > 1 && account.id !== idOrName) {
    throw new ServiceError("invalid", {
      message: `${found.length} accounts are named ${JSON.stringify(idOrName)}`,
      hint: "Name it by its id: `playtest admin accounts list` shows it.",
    });
  }
  return account;
}

/** Every account with the number of its games, oldest first. */
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
