/** Reads and writes the configured providers of accounts, and cached responses of their models. */
import type { Db, EmbeddingRow, ProviderRow, SuggestionAnswerRow } from "../../db/schema.ts";

export type ProviderKind = ProviderRow["kind"];

/** An account's provider of the given kind, or undefined. */
export async function findProvider(
  db: Db,
  accountId: string,
  kind: ProviderKind,
): Promise<ProviderRow | undefined> {
  return await db
    .selectFrom("providers")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("kind", "=", kind)
    .executeTakeFirst();
}

/** An account's providers ordered by kind, without their keys. */
export async function findProviders(db: Db, accountId: string): Promise<Omit<ProviderRow, "api_key">[]> {
  return await db
    .selectFrom("providers")
    .select(["account_id", "kind", "base_url", "model", "timeout_ms", "updated_at"])
    .where("account_id", "=", accountId)
    .orderBy("kind")
    .execute();
}

/** Stores a provider and replaces an existing one of the same kind. */
export async function storeProvider(db: Db, row: ProviderRow): Promise<void> {
  const { base_url, model, api_key, timeout_ms, updated_at } = row;
  const changed = { base_url, model, api_key, timeout_ms, updated_at };
  await db
    .insertInto("providers")
    .values(row)
    .onConflict((oc) => oc.columns(["account_id", "kind"]).doUpdateSet(changed))
    .execute();
}

/** Deletes a provider. Returns false if there was none. */
export async function deleteProvider(db: Db, accountId: string, kind: ProviderKind): Promise<boolean> {
  const [result] = await db
    .deleteFrom("providers")
    .where("account_id", "=", accountId)
    .where("kind", "=", kind)
    .execute();
  return Number(result?.numDeletedRows ?? 0) > 0;
}

/** Maximum number of values in one `in` clause. */
const MAX_IN_VALUES = 500;

/** The cached embeddings of an account, by hash. */
export async function findEmbeddings(
  db: Db,
  accountId: string,
  hashes: readonly string[],
): Promise<Map<string, Uint8Array>> {
  const byHash = new Map<string, Uint8Array>();
  for (let from = 0; from < hashes.length; from += MAX_IN_VALUES) {
    const rows = await db
      .selectFrom("embeddings")
      .select(["hash", "vector"])
      .where("account_id", "=", accountId)
      .where("hash", "in", hashes.slice(from, from + MAX_IN_VALUES))
      .execute();
    for (const { hash, vector } of rows) byHash.set(hash, vector);
  }
  return byHash;
}

/** Stores embeddings. Existing ones are not changed. */
export async function storeEmbeddings(db: Db, rows: readonly EmbeddingRow[]): Promise<void> {
  for (const row of rows) {
    await db
      .insertInto("embeddings")
      .values(row)
      .onConflict((oc) => oc.columns(["account_id", "hash"]).doNothing())
      .execute();
  }
}

/** The cached responses to questions about a game: JSON texts by hash. `hashes` must be few enough for one query. */
export async function findModelAnswers(
  db: Db,
  gameId: string,
  hashes: readonly string[],
): Promise<Map<string, string>> {
  if (hashes.length === 0) return new Map();
  const rows = await db
    .selectFrom("suggestion_answers")
    .select(["hash", "answer"])
    .where("game_id", "=", gameId)
    .where("hash", "in", hashes)
    .execute();
  return new Map(rows.map(({ hash, answer }) => [hash, answer]));
}

/** Stores responses to questions about a game. */
export async function storeModelAnswers(db: Db, rows: readonly SuggestionAnswerRow[]): Promise<void> {
  for (const row of rows) {
    const { answer, created_at } = row;
    await db
      .insertInto("suggestion_answers")
      .values(row)
      .onConflict((oc) => oc.columns(["game_id", "hash"]).doUpdateSet({ answer, created_at }))
      .execute();
  }
}
