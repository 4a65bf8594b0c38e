/** The `admin experiments` commands. */

import { listExperimentsCommand } from "../lists.ts";
import { createExperimentCommand } from "./create.ts";
import { deleteExperimentCommand } from "./delete.ts";
import {
  allocateExperimentCommand,
  configureExperimentCommand,
  declareWinnerCommand,
  resumeExperimentCommand,
  startExperimentCommand,
  stopExperimentCommand,
} from "./lifecycle.ts";

export const experimentCommands = [
  createExperimentCommand,
  startExperimentCommand,
  stopExperimentCommand,
  resumeExperimentCommand,
  declareWinnerCommand,
  allocateExperimentCommand,
  configureExperimentCommand,
  deleteExperimentCommand,
  listExperimentsCommand,
];
