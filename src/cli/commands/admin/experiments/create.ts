/** admin experiments create: creates an experiment as a draft. */

import { requireExperiment, toExperiment } from "../../../../server/experiments/experiment-queries.ts";
import { createExperiment } from "../../../../server/experiments/lifecycle.ts";
import { command } from "../../../command.ts";
import { list, text } from "../../../flags.ts";
import { adminFlags, administer } from "../administer.ts";
import { experimentResult, requireNamedAudience } from "./result.ts";
import { parseConfig, parseVariants } from "./variants.ts";

export const createExperimentCommand = command({
  path: "admin experiments create",
  summary: "Create an experiment as a draft",
  details:
    "The first variant is the baseline that the others are compared with. A weight is greater than 0 and at " +
    "most 100, and each variant gets its share of the sum of all weights. Without weights, all variants get the " +
    "same share.",
  args: [{ name: "<name>", describe: "experiment name" }],
  flags: {
    ...adminFlags,
    variant: list(
      "--variant <key[=weight][:name]>",
      "variant with its weight and name (repeatable; at least two)",
    ),
    config: list(
      "--config <variant.key=value>",
      "remote config value that the game reads (repeatable); quote text that looks like a number",
    ),
    audience: text("--audience <id>", "audience of the experiment (default: all players)"),
  },
  examples: [
    'admin experiments create Caves --variant control=50 --variant "lit=50:Lit"',
    "admin experiments create Intro --variant a --variant b --audience aud_0123",
    "admin experiments create Speed --variant a --variant b --config b.speed=3",
  ],
  async run(context, { args, flags }) {
    const variants = parseVariants(flags.variant);
    const config = parseConfig(flags.config);
    const row = await administer(context, flags, async ({ db, service, accountId, note, game }) => {
      const gameRow = await game();
      if (flags.audience !== undefined) await requireNamedAudience(db, gameRow.id, flags.audience);
      const created = await createExperiment(db, service, gameRow, {
        name: args[0] ?? "",
        variants,
        config,
        audienceId: flags.audience ?? null,
      });
      note.target = created.id;
      return await requireExperiment(db, accountId, created.id);
    });
    return experimentResult(toExperiment(row));
  },
});
