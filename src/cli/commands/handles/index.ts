/** The `handles` commands. */
import { listHandlesCommand } from "./list.ts";

export const commands = [listHandlesCommand];
