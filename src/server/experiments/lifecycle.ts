/** The life of an experiment: made as a draft, running, stopped, running again, with a winner, deleted. */

import type { ExperimentStatus, Variant } from "../../contract/experiments.ts";
import type { Dependencies } from "../core/dependencies.ts";
import { ServiceError } from "../core/errors.ts";
import type { AudienceRow, Db, ExperimentRow, GameRow } from "../db/schema.ts";
import { updateRow } from "../db/update-row.ts";
import { type Predicate, serializePredicates } from "./audiences.ts";
import {
  type ExperimentWithAudience,
  insertAudience,
  insertExperiment,
  parseVariants,
  requireAudience,
} from "./queries.ts";

type ExperimentDependencies = Pick<Dependencies, "now" | "newId">;

/** A variant's key: what telemetry tags carry, and what a game's code tells apart. */
const VARIANT_KEY = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const MAX_VARIANTS = 20;

const MAX_NAME_LENGTH = 120;

/** The name without blanks around it. Throws `invalid` where nothing is left, or too much. */
function parseName(given: string): string {
  const name = given.trim();
  if (name !== "" && name.length <= MAX_NAME_LENGTH) return name;
  throw new ServiceError("invalid", {
    message: `${JSON.stringify(given)} is no name: it takes 1 to ${MAX_NAME_LENGTH} characters`,
  });
}

/** Makes an audience of a game. Throws `invalid` for one without conditions or name. */
export async function createAudience(
  db: Db,
  making: ExperimentDependencies,
  game: GameRow,
  given: { readonly name: string; readonly predicates: readonly Predicate[] },
): Promise<AudienceRow> {
  const row = {
    game_id: game.id,
    id: making.newId("aud"),
    name: parseName(given.name),
    predicates: serializePredicates(given.predicates),
    created_at: making.now(),
  };
  await insertAudience(db, row);
  return row;
}

/** What an experiment is made from. */
export interface NewExperiment {
  readonly name: string;
  readonly variants: readonly Variant[];
  /** Null for everybody. */
  readonly audienceId: string | null;
}

/** Makes an experiment of a game, as a draft. Throws `invalid` for variants that cannot be, `not_found` for the audience. */
export async function createExperiment(
  db: Db,
  making: ExperimentDependencies,
  game: GameRow,
  given: NewExperiment,
): Promise<ExperimentRow> {
  checkVariants(given.variants);
  if (given.audienceId !== null) await requireAudience(db, game.id, given.audienceId);
  const row: ExperimentRow = {
    game_id: game.id,
    id: making.newId("exp"),
    account_id: game.account_id,
    name: parseName(given.name),
    status: "draft",
    variants: JSON.stringify(given.variants),
    audience_id: given.audienceId,
    winner_variant_key: null,
    created_at: making.now(),
    started_at: null,
    stopped_at: null,
    deleted_at: null,
  };
  await insertExperiment(db, row);
  return row;
}

function checkVariants(variants: readonly Variant[]): void {
  const keys = variants.map(({ key }) => key);
  if (variants.length < 2 || variants.length > MAX_VARIANTS) {
    throw new ServiceError("invalid", {
      message: `An experiment has 2 to ${MAX_VARIANTS} variants, not ${variants.length}`,
    });
  }
  if (new Set(keys).size < keys.length)
    throw new ServiceError("invalid", { message: "Two variants have the same key" });
  for (const { key, allocation } of variants) {
    if (!VARIANT_KEY.test(key)) {
      const hint = "Use up to 64 of a-z, A-Z, 0-9, _ and -, beginning with a letter or digit.";
      throw new ServiceError("invalid", {
        message: `${JSON.stringify(key)} cannot be a variant's key`,
        hint,
      });
    }
    if (!(allocation > 0 && allocation <= 100)) {
      throw new ServiceError("invalid", {
        message: `The allocation of ${key} must be above 0 and at most 100, in percent`,
      });
    }
  }
}

/** Throws `conflict` unless the experiment is in one of the statuses. */
function requireStatus(experiment: ExperimentRow, allowed: readonly ExperimentStatus[], what: string): void {
  if (allowed.includes(experiment.status)) return;
  throw new ServiceError("conflict", {
    message: `${experiment.id} is ${experiment.status}: ${what}`,
    hint: "See `playtest admin experiments list` for the status of each.",
  });
}

/** What a change makes of the experiment's row. */
type ExperimentUpdate = Partial<ExperimentRow>;

async function updateExperiment(
  db: Db,
  row: ExperimentWithAudience,
  changed: ExperimentUpdate,
): Promise<ExperimentWithAudience> {
  await updateRow(db, "experiments", row, changed);
  return { ...row, ...changed };
}

/** Starts a draft: from now on its allocations are locked and devices are assigned. */
export async function startExperiment(db: Db, row: ExperimentWithAudience, now: number) {
  requireStatus(row, ["draft"], "only a draft can be started; a stopped one can be resumed");
  return await updateExperiment(db, row, { status: "running", started_at: now });
}

/** Stops a running experiment: no device is assigned any more. */
export async function stopExperiment(db: Db, row: ExperimentWithAudience, now: number) {
  requireStatus(row, ["running"], "only a running one can be stopped");
  return await updateExperiment(db, row, { status: "stopped", stopped_at: now });
}

/** Lets a stopped experiment run again, every device in its variant of before. A winner it had is one no more. */
export async function resumeExperiment(db: Db, row: ExperimentWithAudience) {
  requireStatus(row, ["stopped"], "only a stopped one can be resumed");
  return await updateExperiment(db, row, { status: "running", stopped_at: null, winner_variant_key: null });
}

/** Declares the winner of an experiment that ran or runs. Throws `not_found` for what is no variant of it. */
export async function declareWinner(db: Db, row: ExperimentWithAudience, key: string) {
  requireStatus(row, ["running", "stopped"], "it has not been started, so it has no winner");
  requireVariant(row, key);
  return await updateExperiment(db, row, { winner_variant_key: key });
}

function requireVariant(row: ExperimentRow, key: string): void {
  const keys = parseVariants(row).map((variant) => variant.key);
  if (keys.includes(key)) return;
  throw new ServiceError("not_found", {
    message: `${row.id} has no variant ${JSON.stringify(key)}`,
    hint: `Its variants are ${keys.join(", ")}.`,
  });
}

/** Changes allocations, in percent by variant key. Locked while it runs: players would move to other variants. */
export async function changeAllocations(
  db: Db,
  row: ExperimentWithAudience,
  allocations: ReadonlyMap<string, number>,
) {
  requireStatus(row, ["draft", "stopped"], "its allocations are locked while it runs; stop it first");
  for (const key of allocations.keys()) requireVariant(row, key);
  const variants = parseVariants(row).map((variant) => ({
    ...variant,
    allocation: allocations.get(variant.key) ?? variant.allocation,
  }));
  checkVariants(variants);
  return await updateExperiment(db, row, { variants: JSON.stringify(variants) });
}

/** Deletes an experiment: nothing tells of it any more, and its players are assigned to it no longer. */
export async function deleteExperiment(db: Db, row: ExperimentWithAudience, now: number) {
  return await updateExperiment(db, row, { deleted_at: now });
}
