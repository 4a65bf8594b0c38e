/** The commands about bug reports. */
import { getBugReportCommand } from "./get.ts";
import { listBugReportsCommand } from "./list.ts";

export const commands = [listBugReportsCommand, getBugReportCommand];
