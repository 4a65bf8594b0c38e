/** Experiments: list, comparison of variants, and assignment of devices. */
import type {
  assignExperiments,
  getExperimentComparison,
  listGameExperiments,
} from "../../contract/experiments.ts";
import type { Handler } from "../accounts/handler.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import { requireIngestGame, toIngestScope } from "../games/key-game.ts";
import { assignVariants } from "./bucketing.ts";
import { compareVariants } from "./comparison.ts";
import { findDigest, findExperiments, requireExperiment, toExperiment } from "./experiment-queries.ts";

export const handleListGameExperiments: Handler<typeof listGameExperiments> = async (
  { id },
  { db, accountId },
) => {
  const game = await requireGame(db, accountId, id);
  const rows = await findExperiments(db, game.id);
  return { game: toGame(game), experiments: rows.map(toExperiment) };
};

export const handleGetExperimentComparison: Handler<typeof getExperimentComparison> = async (
  { id: given, crashMargin },
  { db, accountId, service: { now } },
) => {
  const experiment = await requireExperiment(db, accountId, given);
  const options = { now: now(), crashMargin: crashMargin === undefined ? undefined : Number(crashMargin) };
  const { comparison } = await compareVariants(db, experiment, options);
  return { comparison, digest: await findDigest(db, experiment.game_id, experiment.id) };
};

export const handleAssignExperiments: Handler<typeof assignExperiments> = async (
  { gameId, deviceId, buildVersion },
  { db, key },
) => {
  const game = await requireIngestGame(db, toIngestScope(key), gameId);
  return await assignVariants(db, { gameId: game.id, deviceId, build: buildVersion ?? null });
};
