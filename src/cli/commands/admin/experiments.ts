/** The `admin experiments` commands, and what they share with other commands about an experiment. */
import { type Experiment, experiments } from "../../../contract/experiments.ts";
import { toColumns } from "../../../render/tables/columns.ts";
import { cleanLine } from "../../../render/text.ts";
import type { Db } from "../../../server/db/schema.ts";
import {
  type ExperimentWithAudience,
  findAudiences,
  findExperiments,
  requireExperiment,
  toExperiment,
} from "../../../server/experiments/experiment-queries.ts";
import { createExperiment, deleteExperiment } from "../../../server/experiments/lifecycle.ts";
import { formatName } from "../../../shared/similar-names.ts";
import { command, createTable, type Result } from "../../command.ts";
import { list, text } from "../../flags.ts";
import { translateError } from "../../translate-error.ts";
import {
  type AdminContext,
  adminFlags,
  administer,
  administerConfirmed,
  destructiveAdminFlags,
  failNotFound,
} from "./administer.ts";
import { parseConfig, parseVariants } from "./experiment-variants.ts";
import { createAdminListCommand } from "./list-command.ts";

/** An experiment of the account. Throws `not_found` with the id, which the API omits. */
export async function requireNamedExperiment(
  { db, accountId, wholeId }: AdminContext,
  text: string,
): Promise<ExperimentWithAudience> {
  const id = await wholeId("exp", text);
  try {
    return await requireExperiment(db, accountId, id);
  } catch (cause) {
    if (translateError(cause)?.code !== "not_found") throw cause;
    const list = "`playtest admin experiments list` to list experiments and their ids";
    throw failNotFound(`experiment ${formatName(id)}`, list, cause);
  }
}

/** The experiment that a command changes, which the audit names. Throws `not_found`. */
export const requireTarget = async (admin: AdminContext, text: string): Promise<ExperimentWithAudience> =>
  admin.target(await requireNamedExperiment(admin, text));

/** Throws `not_found` if the game has no audience with this id. */
async function requireNamedAudience(db: Db, gameId: string, id: string): Promise<void> {
  const audiences = await findAudiences(db, gameId);
  if (audiences.some((audience) => audience.id === id)) return;
  throw failNotFound(
    `audience ${formatName(id)}`,
    "`playtest admin audiences list` to list audiences and their ids",
  );
}

export const experimentArgument = { name: "<experiment>", describe: "experiment id (exp_...)" } as const;

export function experimentResult(experiment: Experiment): Result {
  return { data: { experiment }, table: createTable([experiment], toColumns(experiments), "") };
}

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
    const row = await administer(context, flags, async ({ db, service, accountId, target, game }) => {
      const gameRow = await game();
      if (flags.audience !== undefined) await requireNamedAudience(db, gameRow.id, flags.audience);
      const created = await createExperiment(db, service, gameRow, {
        name: args[0] ?? "",
        variants,
        config,
        audienceId: flags.audience ?? null,
      });
      return await requireExperiment(db, accountId, target(created).id);
    });
    return experimentResult(toExperiment(row));
  },
});

export const deleteExperimentCommand = command({
  path: "admin experiments delete",
  summary: "Delete an experiment. Its data is kept but no longer shown",
  args: [experimentArgument],
  flags: destructiveAdminFlags,
  examples: ["admin experiments delete exp_0123", "admin experiments delete exp_0123 --yes"],
  async run(context, { args, flags }) {
    const find = (admin: AdminContext) => requireTarget(admin, args[0] ?? "");
    const row = await administerConfirmed(
      context,
      flags,
      async (admin) => `Delete the experiment ${JSON.stringify((await find(admin)).name)}?`,
      async (admin) => deleteExperiment(admin.db, await find(admin), admin.service.now()),
    );
    const deleted = toExperiment(row);
    return {
      data: { deleted },
      table: createTable([deleted], toColumns(experiments), ""),
      view: () => `Deleted the experiment ${cleanLine(deleted.name)} (${deleted.id}).\n`,
    };
  },
});

export const listExperimentsCommand = createAdminListCommand({
  path: "admin experiments list",
  summary: "List a game's experiments, newest first",
  examples: ["admin experiments list --game ember"],
  field: "experiments",
  columns: toColumns(experiments),
  empty: "No experiments yet.",
  read: async ({ db, game }) => (await findExperiments(db, (await game()).id)).map(toExperiment),
});
