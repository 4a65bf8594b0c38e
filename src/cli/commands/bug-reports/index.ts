/** The commands about bug reports. */
import { bugReports } from "../../../contract/bug-reports.ts";
import { createGetCommand, createListCommand } from "../resource-commands.ts";

export const commands = [createListCommand(bugReports), createGetCommand(bugReports)];
