/** The commands about testers. */
import { archetypesCommand } from "./archetypes.ts";
import { getTesterCommand } from "./get.ts";
import { journeyCommand } from "./journey.ts";
import { listTestersCommand } from "./list.ts";
import { retentionCommand } from "./retention.ts";

export const commands = [
  listTestersCommand,
  getTesterCommand,
  journeyCommand,
  archetypesCommand,
  retentionCommand,
];
