/** The commands about sessions. */
import { listSessionEventsCommand } from "./events.ts";
import { getSessionCommand } from "./get.ts";
import { listSessionsCommand } from "./list.ts";

export const commands = [listSessionsCommand, getSessionCommand, listSessionEventsCommand];
