/** The commands of the gate. */

import { gates } from "../../../contract/gates.ts";
import { createListCommand } from "../resource-commands.ts";
import { allowCommand } from "./allow.ts";
import { gateCommand } from "./gate.ts";
import { initCommand } from "./init.ts";
import { planCommand } from "./plan.ts";
import { runCommand } from "./run.ts";
import { saveCommand } from "./save.ts";

export const commands = [
  gateCommand,
  initCommand,
  allowCommand,
  planCommand,
  runCommand,
  saveCommand,
  createListCommand(gates),
];
