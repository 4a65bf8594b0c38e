/** The lifecycle of an experiment: create, start, stop, resume, declare a winner, delete. */

import type { ExperimentStatus, RemoteConfig, Variant } from "../../contract/experiments.ts";
import type { Dependencies } from "../core/dependencies.ts";
import { ServiceError } from "../core/errors.ts";
import { emptyColumns, insertRow, updateRow } from "../db/rows.ts";
import type { AudienceRow, Db, ExperimentRow, GameRow } from "../db/schema.ts";
import { type Predicate, serializePredicates } from "./audiences.ts";
import { forgetDecision } from "./decision-queries.ts";
import { announceDecision } from "./decision-watch.ts";
import { type ExperimentWithAudience, parseVariants, requireAudience } from "./experiment-queries.ts";

type ExperimentDependencies = Pick<Dependencies, "now" | "newId" | "observer">;

/** The key of a variant, as telemetry tags and game code use it. */
const VARIANT_KEY = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const MAX_VARIANTS = 20;

const MAX_NAME_LENGTH = 120;

/** Trims a name. Throws `invalid` if it is empty or too long. */
function parseName(text: string): string {
  const name = text.trim();
  if (name !== "" && name.length <= MAX_NAME_LENGTH) return name;
  throw new ServiceError("invalid", {
    message: `Invalid name ${JSON.stringify(text)}: a name must have 1 to ${MAX_NAME_LENGTH} characters`,
  });
}

/** Creates an audience of a game. Throws `invalid` if it has no conditions or an invalid name. */
export async function createAudience(
  db: Db,
  deps: ExperimentDependencies,
  game: GameRow,
  input: { readonly name: string; readonly predicates: readonly Predicate[] },
): Promise<AudienceRow> {
  const row = {
    game_id: game.id,
    id: deps.newId("aud"),
    name: parseName(input.name),
    predicates: serializePredicates(input.predicates),
    created_at: deps.now(),
  };
  await insertRow(db, "audiences", row);
  return row;
}

interface NewExperiment {
  readonly name: string;
  readonly variants: readonly Variant[];
  /** Remote config values of the variants. */
  readonly config?: readonly ConfigChange[];
  /** Null for all players. */
  readonly audienceId: string | null;
}

/** Creates an experiment as a draft. Throws `invalid` for invalid variants, `not_found` for an unknown audience. */
export async function createExperiment(
  db: Db,
  deps: ExperimentDependencies,
  game: GameRow,
  input: NewExperiment,
): Promise<ExperimentRow> {
  checkVariants(input.variants);
  for (const { variant } of input.config ?? []) requireVariantKey(input.variants, variant, "The experiment");
  if (input.audienceId !== null) await requireAudience(db, game.id, input.audienceId);
  const row: ExperimentRow = {
    ...emptyColumns("experiments"),
    game_id: game.id,
    id: deps.newId("exp"),
    account_id: game.account_id,
    name: parseName(input.name),
    status: "draft",
    variants: JSON.stringify(changeConfig(input.variants, input.config ?? [])),
    audience_id: input.audienceId,
    created_at: deps.now(),
  };
  await insertRow(db, "experiments", row);
  return row;
}

function checkVariants(variants: readonly Variant[]): void {
  const keys = variants.map(({ key }) => key);
  if (variants.length < 2 || variants.length > MAX_VARIANTS) {
    throw new ServiceError("invalid", {
      message: `An experiment must have 2 to ${MAX_VARIANTS} variants, but ${variants.length} ${variants.length === 1 ? "was" : "were"} given`,
    });
  }
  const duplicate = keys.find((key, at) => keys.indexOf(key) < at);
  if (duplicate !== undefined)
    throw new ServiceError("invalid", { message: `Duplicate variant key ${JSON.stringify(duplicate)}` });
  for (const { key, allocation } of variants) {
    if (!VARIANT_KEY.test(key)) {
      const hint = "Use 1 to 64 letters (a-z, A-Z), digits, _ or -, starting with a letter or digit.";
      throw new ServiceError("invalid", {
        message: `Invalid variant key ${JSON.stringify(key)}`,
        hint,
      });
    }
    if (!(allocation > 0 && allocation <= 100)) {
      throw new ServiceError("invalid", {
        message: `Invalid allocation ${allocation} for variant ${JSON.stringify(key)}: it must be greater than 0 and at most 100`,
      });
    }
  }
}

/** Throws `conflict` unless the experiment has one of the allowed statuses. `requirement` completes the message. */
function requireStatus(
  experiment: ExperimentRow,
  allowed: readonly ExperimentStatus[],
  requirement: string,
): void {
  if (allowed.includes(experiment.status)) return;
  throw new ServiceError("conflict", {
    message: `Experiment ${experiment.id} is ${experiment.status === "draft" ? "a draft" : experiment.status}: ${requirement}`,
    hint: "Run `playtest admin experiments list` to see the status of each experiment.",
  });
}

/** The columns that a change updates. */
type ExperimentUpdate = Partial<ExperimentRow>;

async function updateExperiment(
  db: Db,
  row: ExperimentWithAudience,
  update: ExperimentUpdate,
): Promise<ExperimentWithAudience> {
  await updateRow(db, "experiments", row, update);
  return { ...row, ...update };
}

/** Starts a draft: devices are assigned from now on, and allocations are locked. */
export async function startExperiment(db: Db, row: ExperimentWithAudience, now: number) {
  requireStatus(row, ["draft"], "only a draft can be started, and only a stopped experiment can be resumed");
  return await updateExperiment(db, row, { status: "running", started_at: now });
}

/** Stops a running experiment: devices are no longer assigned. */
export async function stopExperiment(db: Db, row: ExperimentWithAudience, now: number) {
  requireStatus(row, ["running"], "only a running experiment can be stopped");
  return await updateExperiment(db, row, { status: "stopped", stopped_at: now });
}

/** Resumes a stopped experiment. Devices keep their variants, and a declared winner is withdrawn. It can be decided again. */
export async function resumeExperiment(db: Db, row: ExperimentWithAudience) {
  requireStatus(row, ["stopped"], "only a stopped experiment can be resumed");
  await forgetDecision(db, row);
  return await updateExperiment(db, row, { status: "running", stopped_at: null, winner_variant_key: null });
}

/** Declares the winner of a running or stopped experiment. Throws `not_found` for an unknown variant. */
export async function declareWinner(
  db: Db,
  deps: ExperimentDependencies,
  row: ExperimentWithAudience,
  key: string,
) {
  requireStatus(
    row,
    ["running", "stopped"],
    "a winner can only be declared after the experiment was started",
  );
  requireVariant(row, key);
  await announceDecision(db, deps, row, key, {
    by: "declaration",
    reason: "It was declared the winner.",
  });
  return await updateExperiment(db, row, { winner_variant_key: key });
}

/** Sets the largest increase of the crash rate that does not matter, from 0 to 1. */
export const changeCrashMargin = (db: Db, row: ExperimentWithAudience, margin: number) =>
  updateExperiment(db, row, { crash_margin: margin });

const requireVariant = (row: ExperimentRow, key: string) =>
  requireVariantKey(parseVariants(row), key, `Experiment ${row.id}`);

function requireVariantKey(variants: readonly Variant[], key: string, experiment: string): void {
  const keys = variants.map((variant) => variant.key);
  if (keys.includes(key)) return;
  throw new ServiceError("not_found", {
    message: `${experiment} has no variant ${JSON.stringify(key)}`,
    hint: `Available variants: ${keys.join(", ")}.`,
  });
}

/**
 * Changes allocations (weights by variant key). Not allowed while the experiment runs, because players would change
 * variants.
 */
export async function changeAllocations(
  db: Db,
  row: ExperimentWithAudience,
  allocations: ReadonlyMap<string, number>,
) {
  requireStatus(row, ["draft", "stopped"], "allocations are locked while an experiment runs; stop it first");
  for (const key of allocations.keys()) requireVariant(row, key);
  const variants = parseVariants(row).map((variant) => ({
    ...variant,
    allocation: allocations.get(variant.key) ?? variant.allocation,
  }));
  checkVariants(variants);
  return await updateExperiment(db, row, { variants: JSON.stringify(variants) });
}

/** A remote config value of one variant; null to remove it. */
export interface ConfigChange {
  readonly variant: string;
  readonly key: string;
  readonly value: RemoteConfig[string] | null;
}

/** The maximum number of remote config values of a variant. */
const MAX_CONFIG_VALUES = 50;
const CONFIG_KEY = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;
const MAX_CONFIG_TEXT = 1000;

/** Returns the variants with changed remote config values. Throws `invalid` for invalid keys and values. */
function changeConfig(variants: readonly Variant[], changes: readonly ConfigChange[]): Variant[] {
  for (const { key, value } of changes) checkConfigValue(key, value);
  return variants.map((variant) => {
    const values = new Map(Object.entries(variant.config ?? {}));
    for (const { key, value } of changes.filter((change) => change.variant === variant.key)) {
      if (value === null) values.delete(key);
      else values.set(key, value);
    }
    if (values.size > MAX_CONFIG_VALUES)
      throw new ServiceError("invalid", {
        message: `Variant ${JSON.stringify(variant.key)} has ${values.size} config values, but at most ${MAX_CONFIG_VALUES} are allowed`,
      });
    const { config: _config, ...rest } = variant;
    return values.size === 0 ? rest : { ...rest, config: Object.fromEntries(values) };
  });
}

function checkConfigValue(key: string, value: ConfigChange["value"]): void {
  if (!CONFIG_KEY.test(key) || key === "__proto__")
    throw new ServiceError("invalid", {
      message: `Invalid config key ${JSON.stringify(key)}`,
      hint: "Use 1 to 64 letters (a-z, A-Z), digits, _, . or -, starting with a letter, digit or _.",
    });
  if (typeof value === "string" && value.length > MAX_CONFIG_TEXT)
    throw new ServiceError("invalid", {
      message: `The value of ${JSON.stringify(key)} has ${value.length} characters, but at most ${MAX_CONFIG_TEXT} are allowed`,
    });
}

/**
 * Changes the remote config values of variants. Not allowed while the experiment runs, because players of one variant
 * would see different games.
 */
export async function changeRemoteConfig(
  db: Db,
  row: ExperimentWithAudience,
  changes: readonly ConfigChange[],
) {
  requireStatus(
    row,
    ["draft", "stopped"],
    "config values are locked while an experiment runs; stop it first",
  );
  for (const { variant } of changes) requireVariant(row, variant);
  const variants = changeConfig(parseVariants(row), changes);
  return await updateExperiment(db, row, { variants: JSON.stringify(variants) });
}

/** Deletes an experiment. Its data is kept but no longer shown, and devices are no longer assigned. */
export async function deleteExperiment(db: Db, row: ExperimentWithAudience, now: number) {
  return await updateExperiment(db, row, { deleted_at: now });
}
