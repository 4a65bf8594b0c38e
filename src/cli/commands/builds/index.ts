/** The commands about builds. */
import { blameCommand } from "./blame.ts";
import { compareBuildsCommand } from "./compare.ts";
import { dropoffCommand } from "./dropoff.ts";
import { getBuildCommand } from "./get.ts";
import { listBuildsCommand } from "./list.ts";
import { suggestionsCommand } from "./suggestions.ts";
import { trendCommand } from "./trend.ts";

export const commands = [
  listBuildsCommand,
  getBuildCommand,
  compareBuildsCommand,
  dropoffCommand,
  trendCommand,
  blameCommand,
  suggestionsCommand,
];
