/** The export command. */
import { exportCommand } from "./export.ts";

export const commands = [exportCommand];
