/** The games of an export: one, several, or all of the account. */
import type { Game } from "../../../contract/games.ts";
import { type Missing, survivable } from "../../../export/plan.ts";
import type { Reader } from "../../../export/reader.ts";
import type { Context } from "../../context.ts";

/** The games that are meant; one that cannot be looked up is missing from every dataset. */
export async function gamesOf(
  context: Context,
  reader: Reader,
  given: { readonly games: string | undefined; readonly allGames: boolean },
  datasets: readonly string[],
): Promise<{ readonly games: readonly Game[]; readonly missing: readonly Missing[] }> {
  if (given.allGames) {
    const { games } = await reader.ask(() => reader.client.listGames());
    return { games, missing: [] };
  }
  const named = given.games === undefined ? [await context.game()] : given.games.split(",");
  const games = new Map<string, Game>();
  const missing: Missing[] = [];
  for (const name of named.map((one) => one.trim())) {
    try {
      const { game } = await reader.ask(() => reader.client.getGame({ id: name }));
      games.set(game.id, game);
    } catch (error) {
      const known = survivable(error);
      missing.push(...datasets.map((dataset) => ({ dataset, game: name, error: known })));
    }
  }
  return { games: [...games.values()], missing };
}
