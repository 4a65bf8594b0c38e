/** What is administered of events. */
import { listEventConfigCommand } from "./list.ts";
import { setEventConfigCommand } from "./set.ts";

export const eventConfigCommands = [setEventConfigCommand, listEventConfigCommand];
