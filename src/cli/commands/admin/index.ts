/** The commands that do what a dashboard does, on the local server's database. */
import { createGameCommand } from "./games/create.ts";

export const commands = [createGameCommand];
