/** The commands about builds. */
import { compareBuildsCommand } from "./compare.ts";
import { dropoffCommand } from "./dropoff.ts";
import { getBuildCommand } from "./get.ts";
import { listBuildsCommand } from "./list.ts";
import { suggestionsCommand } from "./suggestions.ts";

export const commands = [listBuildsCommand, getBuildCommand, compareBuildsCommand, dropoffCommand, suggestionsCommand];
