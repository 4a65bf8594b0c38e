/** The commands about tester handles. */
import { listHandlesCommand } from "./list.ts";

export const commands = [listHandlesCommand];
