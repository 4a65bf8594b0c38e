/** The games and environments that a key can access. */

import { GAME_REQUIRED, HttpError } from "../../contract/errors.ts";
import { badRequest, unknownName } from "../core/http-errors.ts";
import type { ApiKeyRow, Db, GameRow } from "../db/schema.ts";
import { findGame, requireGame } from "./game-queries.ts";

/** The account of the key, and the game to which the key is limited, if any. */
export interface IngestScope {
  readonly accountId: string;
  readonly boundGameId: string | null;
  /** The environment to which the key is limited, if any. */
  readonly boundEnvironment?: string | null;
}

export const toIngestScope = (key: ApiKeyRow): IngestScope => ({
  accountId: key.account_id,
  boundGameId: key.game_id,
  boundEnvironment: key.environment,
});

/** The requested environment, or else the only one of the key. Throws `forbidden` if the key cannot send to it. */
export function requireIngestEnvironment<E extends string | undefined>(
  { boundEnvironment }: IngestScope,
  requested: E,
): E | string {
  if (!boundEnvironment) return requested;
  if (requested === undefined || requested === boundEnvironment) return boundEnvironment;
  throw new HttpError("forbidden", {
    message: `This key only accepts data of the environment ${JSON.stringify(boundEnvironment)}, not of ${JSON.stringify(requested)}`,
    extra: { reason: "wrong_environment", requiredEnvironment: boundEnvironment },
  });
}

/**
 * Finds the requested game, or else the only game of the key. Throws `not_found` for a game that the key cannot
 * access, and `bad_request` if no game is specified.
 */
export async function requireIngestGame(
  db: Db,
  { accountId, boundGameId }: IngestScope,
  requested?: string,
): Promise<GameRow> {
  const gameRef = requested ?? boundGameId;
  if (gameRef === null) throw gameRequired();
  const game = await findGame(db, accountId, gameRef);
  if (!game || (boundGameId !== null && game.id !== boundGameId)) throw unknownName("unknown_game", gameRef);
  return game;
}

/** Finds a game that a key of any kind can access. Throws `not_found` for all other games. */
export async function requireKeyGame(db: Db, key: ApiKeyRow, idOrSlug: string): Promise<GameRow> {
  return key.kind === "ingest"
    ? await requireIngestGame(db, toIngestScope(key), idOrSlug)
    : await requireGame(db, key.account_id, idOrSlug);
}

function gameRequired(): HttpError {
  const message = "is required, because this key is not limited to one game";
  const error = badRequest([{ path: ["gameId"], code: "invalid_type", message }]);
  return new HttpError("bad_request", {
    message: error.message,
    issues: error.issues,
    extra: { reason: GAME_REQUIRED },
  });
}
