/** The commands about sessions. */
import { getSessionCommand } from "./get.ts";
import { listSessionsCommand } from "./list.ts";

export const commands = [listSessionsCommand, getSessionCommand];
