/** Finds ids by their beginning. */
import type { ShortIdKind } from "../../contract/id-kinds.ts";
import { MAX_MATCHING_IDS } from "../../contract/ids.ts";
import { isInGames, nameGames } from "../db/account-games.ts";
import type { Db } from "../db/schema.ts";

/** The tables of the kinds of ids, all with the primary key (game_id, id). */
const tables = {
  sess: "sessions",
  ins: "insights",
  exp: "experiments",
  ptb: "playtest_batches",
  sub: "feedback_submissions",
  bug: "bug_reports",
} as const satisfies Record<ShortIdKind, string>;

/** Finds the first ids of an account that begin with the text, and one more than the maximum if there are more. */
export async function findIdsByPrefix(db: Db, accountId: string, prefix: string) {
  const games = await nameGames(db, accountId);
  // All of the tables have the columns that the query uses.
  const table = tables[prefix.slice(0, prefix.indexOf("_")) as ShortIdKind] as "sessions";
  return await db
    .selectFrom("games")
    .innerJoin(`${table} as named`, "named.game_id", "games.id")
    .select(["named.id as id", "named.game_id as gameId"])
    .where("games.account_id", "=", accountId)
    .where(isInGames(games, "named.game_id"))
    .where("named.id", ">=", prefix)
    .where("named.id", "<", findUpperBound(prefix))
    .orderBy("named.id")
    .limit(MAX_MATCHING_IDS + 1)
    .execute();
}

/** The first text after all texts that begin with the prefix, in the order of bytes. Its characters are ASCII. */
function findUpperBound(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}
