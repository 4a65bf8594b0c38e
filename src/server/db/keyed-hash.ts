/** Keyed hashes of ids: the same id has the same hash in a database, but nobody without the database can test a guess. */
import { createHmac, randomBytes } from "node:crypto";
import { DAY_MS } from "../../shared/time-units.ts";
import { prepareQuery } from "./prepared.ts";
import { insertNew } from "./rows.ts";
import type { Db } from "./schema.ts";
import type { Store } from "./store.ts";

const SECRET_NAME = "keyed-hash";
const SECRET_BYTES = 32;
/** 128 bits: enough that two ids never share a hash. */
const HASH_DIGITS = 32;

/** Hashes one text, such as the device id of a tester. Call it in a write transaction. */
export async function keyedHash(db: Db, text: string): Promise<string> {
  return (await createKeyedHasher(db))(text);
}

/** Returns a function that hashes many texts. Call it in a write transaction, because the first use creates the secret. */
export async function createKeyedHasher(db: Db): Promise<(text: string) => string> {
  return withSecret(await findOrCreateSecret(db));
}

/** Creates the secret of a new database, so that reads can hash. `check` runs in the transaction that does so. */
export async function prepareKeyedHashes(store: Store, check: (db: Db) => Promise<void>): Promise<void> {
  if ((await readSecret(store.readDb)) !== undefined) return;
  await store.write(async (db) => {
    await check(db);
    await findOrCreateSecret(db);
  });
}

/** The same function as that of `createKeyedHasher`, for reading, in a database that a service has opened. */
export async function readKeyedHasher(db: Db): Promise<(text: string) => string> {
  const secret = await readSecret(db);
  if (secret === undefined) throw new Error("The database has no secret of keyed hashes");
  return withSecret(secret);
}

/** The same hash, for reading. Returns null if the database contains no hashes yet. */
export async function readKeyedHash(db: Db, text: string): Promise<string | null> {
  const secret = await readSecret(db);
  return secret === undefined ? null : withSecret(secret)(text);
}

/** The text to hash so that the hashes of a value can only be compared within a UTC day. */
export const toDailyText = (kind: "address" | "name", at: number, value: string) =>
  JSON.stringify([kind, Math.floor(at / DAY_MS), value]);

const withSecret = (secret: string) => (text: string) =>
  `hash_${createHmac("sha256", Buffer.from(secret, "hex")).update(text).digest("hex").slice(0, HASH_DIGITS)}`;

/** The secret, as part of the database: an archive contains it, so that its hashes can still be compared after an import. */
async function findOrCreateSecret(db: Db): Promise<string> {
  const value =
    (await readSecret(db)) ??
    (await insertNew(db, "secrets", {
      name: SECRET_NAME,
      value: randomBytes(SECRET_BYTES).toString("hex"),
    }).then(() => readSecret(db)));
  if (value === undefined) throw new Error("The secret of keyed hashes can be neither created nor found");
  return value;
}

async function readSecret(db: Db): Promise<string | undefined> {
  return (await secretQuery(db, {})).rows[0]?.value;
}

const secretQuery = prepareQuery((db) =>
  db.selectFrom("secrets").select("value").where("name", "=", SECRET_NAME),
);
