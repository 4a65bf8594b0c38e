/** The command about events. */
import { eventsCommand } from "./events.ts";

export const commands = [eventsCommand];
