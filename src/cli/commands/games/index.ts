/** The commands about games. */
import { getGameCommand } from "./get.ts";
import { listGamesCommand } from "./list.ts";
import { gamePromptsCommand } from "./prompts.ts";

export const commands = [listGamesCommand, getGameCommand, gamePromptsCommand];
