/** The commands about experiments. */
import { assignExperimentsCommand } from "./assign.ts";
import { compareExperimentCommand } from "./compare.ts";
import { listExperimentsCommand } from "./list.ts";

export const commands = [listExperimentsCommand, compareExperimentCommand, assignExperimentsCommand];
