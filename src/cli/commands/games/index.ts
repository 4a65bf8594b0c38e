/** The commands about games. */
import { getGameCommand } from "./get.ts";
import { listGamesCommand } from "./list.ts";

export const commands = [listGamesCommand, getGameCommand];
