/** The `admin experiments` commands that change the state of an experiment. */
import type { ExperimentWithAudience } from "../../../server/experiments/experiment-queries.ts";
import { toExperiment } from "../../../server/experiments/experiment-queries.ts";
import {
  changeAllocations,
  changeCrashMargin,
  changeRemoteConfig,
  declareWinner,
  resumeExperiment,
  startExperiment,
  stopExperiment,
} from "../../../server/experiments/lifecycle.ts";
import { command } from "../../command.ts";
import type { CommandArgument } from "../../flags.ts";
import { type AdminContext, adminFlags, administer } from "./administer.ts";
import { parseAllocations, parseConfig, parseMargin } from "./experiment-variants.ts";
import { experimentArgument, experimentResult, requireTarget } from "./experiments.ts";

interface ExperimentChange {
  readonly verb: string;
  readonly summary: string;
  readonly argument?: CommandArgument;
  /** The example's arguments after the experiment. */
  readonly example?: string;
  /** Checks the other arguments, and returns what changes the experiment. */
  readonly prepare: (
    args: readonly string[],
  ) => (admin: AdminContext, row: ExperimentWithAudience) => Promise<ExperimentWithAudience>;
}

const changes: readonly ExperimentChange[] = [
  {
    verb: "start",
    summary: "Start an experiment: assign devices to variants and lock the weights",
    prepare: () => (admin, row) => startExperiment(admin.db, row, admin.service.now()),
  },
  {
    verb: "stop",
    summary: "Stop an experiment. No more devices are assigned",
    prepare: () => (admin, row) => stopExperiment(admin.db, row, admin.service.now()),
  },
  {
    verb: "resume",
    summary: "Resume a stopped experiment and clear its winner",
    prepare: () => (admin, row) => resumeExperiment(admin.db, row),
  },
  {
    verb: "winner",
    summary: "Declare the winning variant",
    argument: { name: "<variant>", describe: "variant key" },
    example: "bright",
    prepare:
      ([variant = ""]) =>
      (admin, row) =>
        declareWinner(admin.db, admin.service, row, variant),
  },
  {
    verb: "allocate",
    summary: "Change the weights of the variants of an experiment that is not running",
    argument: {
      name: "<key=weight...>",
      describe: "new weights (above 0, at most 100); other variants keep theirs",
    },
    example: "control=90 bright=10",
    prepare(texts) {
      const allocations = parseAllocations(texts);
      return (admin, row) => changeAllocations(admin.db, row, allocations);
    },
  },
  {
    verb: "configure",
    summary: "Change the remote config values of an experiment that is not running",
    argument: { name: "<value...>", describe: "new variant.key=value; without a value, removes the key" },
    example: "bright.speed=3 control.speed=",
    prepare(texts) {
      const values = parseConfig(texts);
      return (admin, row) => changeRemoteConfig(admin.db, row, values);
    },
  },
  {
    verb: "margin",
    summary: "Set the largest increase of the crash rate that does not matter",
    argument: { name: "<points>", describe: "percentage points of the sessions, 0 to 100" },
    example: "3",
    prepare([points = ""]) {
      const margin = parseMargin(points);
      return (admin, row) => changeCrashMargin(admin.db, row, margin);
    },
  },
];

export const lifecycleCommands = changes.map(({ verb, summary, argument, example = "", prepare }) =>
  command({
    path: `admin experiments ${verb}`,
    summary,
    args: argument ? [experimentArgument, argument] : [experimentArgument],
    flags: adminFlags,
    examples: [`admin experiments ${verb} exp_0123 ${example}`.trimEnd()],
    async run(context, { args: [text = "", ...rest], flags }) {
      const change = prepare(rest);
      const row = await administer(context, flags, async (admin) =>
        change(admin, await requireTarget(admin, text)),
      );
      return experimentResult(toExperiment(row));
    },
  }),
);
