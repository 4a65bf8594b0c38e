/** The `admin event-config` commands. */
import { listEventConfigCommand } from "./list.ts";
import { setEventConfigCommand } from "./set.ts";

export const eventConfigCommands = [setEventConfigCommand, listEventConfigCommand];
