/** The commands about sessions. */
import { sessions } from "../../../contract/sessions.ts";
import { createListCommand } from "../resource-commands.ts";
import { listSessionEventsCommand } from "./events.ts";
import { getSessionCommand } from "./get.ts";

export const commands = [createListCommand(sessions), getSessionCommand, listSessionEventsCommand];
