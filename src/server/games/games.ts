/** Creates games. */

import type { CreationDeps } from "../accounts/accounts.ts";
import { ServiceError } from "../core/errors.ts";
import { insertRow } from "../db/rows.ts";
import type { Db, GameRow } from "../db/schema.ts";
import { findGame } from "./game-queries.ts";

const SLUG = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Slugs that conflict with the path of an endpoint or look like the id of a game. */
const RESERVED_SLUG = /^(compare$|game_)/;

/** Throws `invalid` if a slug is not valid for a game. */
export function requireValidSlug(slug: string): void {
  if (SLUG.test(slug) && !RESERVED_SLUG.test(slug)) return;
  throw new ServiceError("invalid", {
    message: `${JSON.stringify(slug)} is not a valid slug for a game`,
    hint:
      "Use 1 to 64 of the characters a-z, 0-9, _ and -. Start with a letter or digit. `compare` and slugs that start " +
      "with game_ are reserved.",
  });
}

/** Returns the game with a slug, and creates it if necessary. Throws `invalid` if the slug is not valid. */
export async function ensureGame(
  db: Db,
  deps: CreationDeps,
  accountId: string,
  slug: string,
  details: { readonly name?: string; readonly createdAt?: number } = {},
): Promise<GameRow> {
  requireValidSlug(slug);
  const existing = await findGame(db, accountId, slug);
  if (existing) return existing;
  const row = {
    id: deps.newId("game"),
    account_id: accountId,
    slug,
    name: details.name ?? slug,
    sdk_settings: null,
    created_at: details.createdAt ?? deps.now(),
    deletions: 0,
  };
  await insertRow(db, "games", row);
  return row;
}
