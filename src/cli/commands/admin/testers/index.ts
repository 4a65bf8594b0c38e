/** The `admin testers` commands. */
import { eraseTesterCommand } from "./erase.ts";
import { exportTesterCommand } from "./export.ts";

export const testerCommands = [eraseTesterCommand, exportTesterCommand];
