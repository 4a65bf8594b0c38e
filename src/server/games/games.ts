/** Creates games. */

import type { CreationDeps } from "../accounts/accounts.ts";
import { ServiceError } from "../core/errors.ts";
import type { Db, GameRow } from "../db/schema.ts";
import { findGame, insertGame } from "./queries.ts";

const SLUG = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Slugs that an endpoint's path or a game's id could be taken for. */
const RESERVED_SLUG = /^(compare$|game_)/;

/** The account's game of a slug, made where there is none. Throws `invalid` for what cannot be a slug. */
export async function ensureGame(
  db: Db,
  making: CreationDeps,
  accountId: string,
  slug: string,
  details: { readonly name?: string; readonly createdAt?: number } = {},
): Promise<GameRow> {
  if (!SLUG.test(slug) || RESERVED_SLUG.test(slug)) {
    throw new ServiceError("invalid", {
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
