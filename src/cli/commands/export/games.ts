/** The games of an export: one, several, or all of the account. */
import type { Game } from "../../../contract/games.ts";
import { type MissingSeries, rethrowFatal } from "../../../export/export-plan.ts";
import type { ExportReader } from "../../../export/reader.ts";
import type { Context } from "../../context.ts";

const GAME_HINT = "Use --game for one game, --games for several or --all-games for all of them.";

/** Resolves --game, --games or --all-games. A game that cannot be read is reported as missing from every dataset. */
export async function resolveGames(
  context: Context,
  reader: ExportReader,
  given: { readonly games: string | undefined; readonly allGames: boolean },
  datasets: readonly string[],
): Promise<{ readonly games: readonly Game[]; readonly missing: readonly MissingSeries[] }> {
  if (given.allGames) {
    const { games } = await reader.send(() => reader.client.listGames());
    return { games, missing: [] };
  }
  const names = given.games === undefined ? [await context.requireGame(GAME_HINT)] : given.games.split(",");
  const games = new Map<string, Game>();
  const missing: MissingSeries[] = [];
  for (const name of names.map((entry) => entry.trim())) {
    try {
      const { game } = await reader.send(() => reader.client.getGame({ id: name }));
      games.set(game.id, game);
    } catch (error) {
      const cause = rethrowFatal(error);
      missing.push(...datasets.map((dataset) => ({ dataset, game: name, error: cause })));
    }
  }
  return { games: [...games.values()], missing };
}
