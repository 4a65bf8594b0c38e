/** The `admin testers` commands. */
import { eraseTesterCommand } from "./erase.ts";

export const testerCommands = [eraseTesterCommand];
