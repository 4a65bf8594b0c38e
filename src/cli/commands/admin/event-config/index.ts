/** The `admin event-config` commands. */
import { listEventConfigCommand } from "../lists.ts";
import { setEventConfigCommand } from "./set.ts";

export const eventConfigCommands = [setEventConfigCommand, listEventConfigCommand];
