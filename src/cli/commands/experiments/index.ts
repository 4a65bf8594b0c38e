/** The commands about experiments. */
import { experiments } from "../../../contract/experiments.ts";
import { createListCommand } from "../resource-commands.ts";
import { assignExperimentsCommand } from "./assign.ts";
import { compareExperimentCommand } from "./compare.ts";

export const commands = [createListCommand(experiments), compareExperimentCommand, assignExperimentsCommand];
