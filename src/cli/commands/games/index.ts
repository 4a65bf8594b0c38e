/** The commands about games. */
import { forms } from "../../../contract/forms.ts";
import { games } from "../../../contract/games.ts";
import { createListCommand } from "../resource-commands.ts";
import { getGameCommand } from "./get.ts";

export const commands = [createListCommand(games), getGameCommand, createListCommand(forms)];
