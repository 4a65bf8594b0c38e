/** The commands about bug reports. */
import { listBugReportsCommand } from "./list.ts";

export const commands = [listBugReportsCommand];
