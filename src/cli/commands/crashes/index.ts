/** The commands about crashes. */
import { listCrashesCommand } from "./list.ts";

export const commands = [listCrashesCommand];
