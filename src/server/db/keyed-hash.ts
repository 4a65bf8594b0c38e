/** Keyed hashes: names for testers and sessions that only somebody with the database can connect to an id. */
import { createHmac, randomBytes } from "node:crypto";
import type { Db } from "./schema.ts";

const SECRET_NAME = "keyed-hash";

/** HMAC-SHA-256 of a text with the secret of the database, hex. Creates the secret on first use. */
export async function keyedHash(db: Db, text: string): Promise<string> {
  return createHmac("sha256", await findOrCreateSecret(db))
    .update(text)
    .digest("hex");
}

async function findOrCreateSecret(db: Db): Promise<string> {
  const existing = await findSecret(db);
  if (existing !== undefined) return existing;
  await db
    .insertInto("secrets")
    .values({ name: SECRET_NAME, value: randomBytes(32).toString("hex") })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await findSecret(db)) ?? "";
}

async function findSecret(db: Db): Promise<string | undefined> {
  const row = await db
    .selectFrom("secrets")
    .select("value")
    .where("name", "=", SECRET_NAME)
    .executeTakeFirst();
  return row?.value;
}
