/** The commands about playtest batches. */
import { batches, playtestKeys, testerInvites } from "../../../contract/batches.ts";
import { createListCommand } from "../resource-commands.ts";
import { getBatchCommand } from "./get.ts";

export const commands = [
  createListCommand(batches),
  getBatchCommand,
  createListCommand(playtestKeys),
  createListCommand(testerInvites),
];
