/** The commands about builds. */
import { compareBuildsCommand } from "./compare.ts";
import { getBuildCommand } from "./get.ts";

export const commands = [getBuildCommand, compareBuildsCommand];
