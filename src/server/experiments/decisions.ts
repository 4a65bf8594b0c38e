/** Announces that an experiment is decided: once, in the transaction that decides it. */
import type { Dependencies } from "../core/dependencies.ts";
import type { Db } from "../db/schema.ts";
import { type DecidedBy, experimentDecided } from "../notifications/events.ts";
import { queueEvent } from "../notifications/outbox.ts";
import { recordDecision } from "./decision-queries.ts";
import { type ExperimentWithAudience, parseVariants } from "./experiment-queries.ts";

/**
 * Records the decision and adds it to the outbox of webhooks, unless the experiment was decided before. Returns whether
 * an event was added.
 */
export async function announceDecision(
  db: Db,
  deps: Pick<Dependencies, "now" | "newId">,
  experiment: ExperimentWithAudience,
  variantKey: string,
  decidedBy: DecidedBy,
): Promise<boolean> {
  if (!(await recordDecision(db, experiment, variantKey, deps.now()))) return false;
  const name = parseVariants(experiment).find(({ key }) => key === variantKey)?.name ?? variantKey;
  return await queueEvent(db, deps, experiment, "experiment.decided", () =>
    experimentDecided(experiment, { key: variantKey, name }, decidedBy),
  );
}
