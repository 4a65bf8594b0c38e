/** admin experiments start, stop, resume, winner and allocate: change the state of an experiment. */
import {
  changeAllocations,
  changeRemoteConfig,
  declareWinner,
  resumeExperiment,
  startExperiment,
  stopExperiment,
} from "../../../../server/experiments/lifecycle.ts";
import { command } from "../../../command.ts";
import { adminFlags } from "../administer.ts";
import { changeExperiment, experimentArgument } from "./result.ts";
import { parseAllocations, parseConfig } from "./variants.ts";

export const startExperimentCommand = command({
  path: "admin experiments start",
  summary: "Start an experiment: assign devices to variants and lock the weights",
  args: [experimentArgument],
  flags: adminFlags,
  examples: ["admin experiments start exp_0123"],
  run: (context, { args, flags }) =>
    changeExperiment(context, flags, args[0] ?? "", ({ db, service }, row) =>
      startExperiment(db, row, service.now()),
    ),
});

export const stopExperimentCommand = command({
  path: "admin experiments stop",
  summary: "Stop an experiment. No more devices are assigned",
  args: [experimentArgument],
  flags: adminFlags,
  examples: ["admin experiments stop exp_0123"],
  run: (context, { args, flags }) =>
    changeExperiment(context, flags, args[0] ?? "", ({ db, service }, row) =>
      stopExperiment(db, row, service.now()),
    ),
});

export const resumeExperimentCommand = command({
  path: "admin experiments resume",
  summary: "Resume a stopped experiment and clear its winner",
  args: [experimentArgument],
  flags: adminFlags,
  examples: ["admin experiments resume exp_0123"],
  run: (context, { args, flags }) =>
    changeExperiment(context, flags, args[0] ?? "", ({ db }, row) => resumeExperiment(db, row)),
});

export const declareWinnerCommand = command({
  path: "admin experiments winner",
  summary: "Declare the winning variant",
  args: [experimentArgument, { name: "<variant>", describe: "variant key" }],
  flags: adminFlags,
  examples: ["admin experiments winner exp_0123 bright"],
  run: (context, { args, flags }) =>
    changeExperiment(context, flags, args[0] ?? "", ({ db, service }, row) =>
      declareWinner(db, service, row, args[1] ?? ""),
    ),
});

export const allocateExperimentCommand = command({
  path: "admin experiments allocate",
  summary: "Change the weights of the variants of an experiment that is not running",
  args: [
    experimentArgument,
    {
      name: "<key=weight...>",
      describe: "new weights (above 0, at most 100); other variants keep theirs",
    },
  ],
  flags: adminFlags,
  examples: ["admin experiments allocate exp_0123 control=90 bright=10"],
  run: (context, { args, flags }) => {
    const allocations = parseAllocations(args.slice(1));
    return changeExperiment(context, flags, args[0] ?? "", ({ db }, row) =>
      changeAllocations(db, row, allocations),
    );
  },
});

export const configureExperimentCommand = command({
  path: "admin experiments configure",
  summary: "Change the remote config values of an experiment that is not running",
  args: [
    experimentArgument,
    { name: "<value...>", describe: "new variant.key=value; without a value, removes the key" },
  ],
  flags: adminFlags,
  examples: ["admin experiments configure exp_0123 bright.speed=3 control.speed="],
  run: (context, { args, flags }) => {
    const changes = parseConfig(args.slice(1));
    return changeExperiment(context, flags, args[0] ?? "", ({ db }, row) =>
      changeRemoteConfig(db, row, changes),
    );
  },
});
