/** Accounts and games: what must be there before play can be stored. */
import { fail } from "../contract/errors.ts";
import type { AccountRow, Db, GameRow } from "./db/schema.ts";
import { issueKey } from "./keys.ts";
import { insertAccount } from "./queries/accounts.ts";
import { findGame, insertGame } from "./queries/games.ts";
import type { Surroundings } from "./service.ts";

/** The keys of an account, in the only moment they are known. */
export interface NewKeys {
  readonly management: string;
  readonly ingest: string;
}

type Making = Pick<Surroundings, "now" | "newId">;

/** Makes an account. */
export async function createAccount(db: Db, making: Making, name: string): Promise<AccountRow> {
  const row = { id: making.newId("user"), name, created_at: making.now() };
  await insertAccount(db, row);
  return row;
}

/** Gives an account new keys; the management key it had stops working at once. */
export async function issueKeys(db: Db, making: Making, accountId: string): Promise<NewKeys> {
  const now = making.now();
  return {
    management: await issueKey(db, accountId, "management", now),
    ingest: await issueKey(db, accountId, "ingest", now),
  };
}

const SLUG = /^[a-z0-9][a-z0-9_-]{0,63}$/;
/** Slugs that an endpoint's path or a game's id could be taken for. */
const RESERVED = /^(compare$|game_)/;

/** The account's game of a slug, made where there is none. Throws `usage` for what cannot be a slug. */
export async function ensureGame(
  db: Db,
  making: Making,
  accountId: string,
  slug: string,
  details: { readonly name?: string; readonly createdAt?: number } = {},
): Promise<GameRow> {
  if (!SLUG.test(slug) || RESERVED.test(slug)) {
    throw fail("usage", {
      message: `${JSON.stringify(slug)} cannot be a game's slug`,
      hint: "Use a-z, 0-9, _ and -, beginning with a letter or digit; `compare` and what begins with game_ are taken.",
    });
  }
  const known = await findGame(db, accountId, slug);
  if (known) return known;
  const row = {
    id: making.newId("game"),
    account_id: accountId,
    slug,
    name: details.name ?? slug,
    created_at: details.createdAt ?? making.now(),
  };
  await insertGame(db, row);
  return row;
}
