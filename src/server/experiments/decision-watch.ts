/**
 * Compares the variants of running experiments from time to time, and announces the first verdict to ship or to stop to
 * webhooks. Without webhooks, nothing is compared.
 */

import type { Dependencies } from "../core/dependencies.ts";
import { isStopping } from "../core/task-stopped.ts";
import type { Db } from "../db/schema.ts";
import type { Service } from "../db/service.ts";
import { type Decision, experimentDecided } from "../notifications/events.ts";
import { queueEvent } from "../notifications/outbox.ts";
import { compareVariantsTask } from "./comparison.ts";
import { claimCheck, findUndecided, recordDecision } from "./decision-queries.ts";
import { type ExperimentWithAudience, parseVariants, requireExperiment } from "./experiment-queries.ts";
import { describeVerdict } from "./recommendation.ts";

/** Time between two comparisons of an experiment, in ms. The always-valid intervals allow any number of them. */
const CHECK_INTERVAL_MS = 10 * 60_000;
/** Time between two searches for experiments to compare, in ms. */
const SEARCH_INTERVAL_MS = 60_000;
/** Maximum number of experiments per search. The others follow in the next one. */
const MAX_CHECKS = 20;

export interface DecisionWatch {
  start(): void;
  /** Compares the experiments that are due now. */
  check(): Promise<void>;
  stop(): Promise<void>;
}

export function createDecisionWatch(service: Service): DecisionWatch {
  let timer: NodeJS.Timeout | undefined;
  let checking: Promise<void> = Promise.resolve();
  const check = async () => {
    const since = service.now() - CHECK_INTERVAL_MS;
    for (const found of await findUndecided(service.store.readDb, since, MAX_CHECKS)) {
      if (service.stopping.aborted) return;
      await checkExperiment(service, found, since);
    }
  };
  return {
    start() {
      timer = setInterval(() => {
        checking = checking.then(check).catch((error: unknown) => {
          if (!isStopping(error)) service.report("the decisions of experiments", error);
        });
      }, SEARCH_INTERVAL_MS);
      timer.unref();
    },
    check,
    async stop() {
      clearInterval(timer);
      await checking;
    },
  };
}

async function checkExperiment(
  service: Service,
  key: { readonly game_id: string; readonly id: string; readonly account_id: string },
  since: number,
): Promise<void> {
  const { store } = service;
  const now = service.now();
  // Several servers may find the same experiment. Only one of them compares it.
  if (!(await store.write((db) => claimCheck(db, key, since, now)))) return;
  const found = await store.read((db) => requireExperiment(db, key.account_id, key.id));
  const compared = await service.work.run(compareVariantsTask, { experiment: found, options: { now } });
  const { verdict } = compared.comparison;
  const variant = verdict?.decision === "keep running" ? null : verdict?.variant;
  if (verdict == null || variant == null) return;
  const isQueued = await store.write(async (db) => {
    const experiment = await requireExperiment(db, key.account_id, key.id);
    const reason = `${describeVerdict(verdict)}.`;
    return await announceDecision(db, service, experiment, variant, { by: "comparison", reason });
  });
  if (isQueued) service.wakeDeliveries();
}

/**
 * Records the decision and adds it to the outbox of webhooks, unless the experiment was decided before. Returns whether
 * an event was added.
 */
export async function announceDecision(
  db: Db,
  deps: Pick<Dependencies, "now" | "newId" | "observer">,
  experiment: ExperimentWithAudience,
  variantKey: string,
  decision: Decision,
): Promise<boolean> {
  if (!(await recordDecision(db, experiment, variantKey, deps.now()))) return false;
  const name = parseVariants(experiment).find(({ key }) => key === variantKey)?.name ?? variantKey;
  return await queueEvent(db, deps, experiment, "experiment.decided", () =>
    experimentDecided(experiment, { key: variantKey, name }, decision),
  );
}
