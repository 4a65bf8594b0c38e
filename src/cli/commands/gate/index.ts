/** The commands of the gate. */
import { gateCommand } from "./gate.ts";
import { initCommand } from "./init.ts";
import { saveCommand } from "./save.ts";

export const commands = [gateCommand, initCommand, saveCommand];
