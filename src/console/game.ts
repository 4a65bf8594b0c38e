/** The game in an address. */
import { listGames } from "../contract/games.ts";
import { NotThere, type PageContext } from "./page.ts";

/** The game with this slug or id. Throws NotThere. Used where no other response shows that the game exists. */
export async function requireGame(game: string, call: PageContext["call"]) {
  const { games } = await call(listGames, {});
  const found = games.find(({ id, slug }) => slug === game || id === game);
  if (!found) throw new NotThere(`game ${JSON.stringify(game)}`);
  return found;
}
