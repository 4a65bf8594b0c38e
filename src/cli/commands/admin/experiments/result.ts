/** The shared parts of commands that change an experiment. */

import type { Experiment } from "../../../../contract/experiments.ts";
import { experiments } from "../../../../contract/experiments.ts";
import { toColumns } from "../../../../render/tables/resource-columns.ts";
import type { Db } from "../../../../server/db/schema.ts";
import type { ExperimentWithAudience } from "../../../../server/experiments/experiment-queries.ts";
import {
  findAudiences,
  requireExperiment,
  toExperiment,
} from "../../../../server/experiments/experiment-queries.ts";
import { createTable, type Result } from "../../../command.ts";
import type { Context } from "../../../context.ts";
import { fail } from "../../../errors.ts";
import type { FlagValues } from "../../../flags.ts";
import { translateError } from "../../../translate-error.ts";
import { type AdminContext, type adminFlags, administer } from "../administer.ts";

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
    throw fail("not_found", {
      message: `Experiment ${JSON.stringify(id)} not found`,
      hint: "Run `playtest admin experiments list` to list experiments and their ids.",
      cause,
    });
  }
}

/** Throws `not_found` if the game has no audience with this id. */
export async function requireNamedAudience(db: Db, gameId: string, id: string): Promise<void> {
  const audiences = await findAudiences(db, gameId);
  if (audiences.some((audience) => audience.id === id)) return;
  throw fail("not_found", {
    message: `Audience ${JSON.stringify(id)} not found`,
    hint: "Run `playtest admin audiences list` to list audiences and their ids.",
  });
}

export const experimentArgument = { name: "<experiment>", describe: "experiment id (exp_...)" } as const;

/** The result of a command about one experiment. */
export function experimentResult(experiment: Experiment): Result {
  return { data: { experiment }, table: createTable([experiment], toColumns(experiments), "") };
}

/** Changes an experiment of the local account. The result is the changed experiment. */
export async function changeExperiment(
  context: Context,
  flags: FlagValues<typeof adminFlags>,
  id: string,
  change: (admin: AdminContext, row: ExperimentWithAudience) => Promise<ExperimentWithAudience>,
): Promise<Result> {
  const row = await administer(context, flags, async (admin) => {
    const experiment = await requireNamedExperiment(admin, id);
    admin.note.target = experiment.id;
    return await change(admin, experiment);
  });
  return experimentResult(toExperiment(row));
}
