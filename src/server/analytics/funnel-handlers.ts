/** Funnels: the testers who reach each step, all together, by build or by variant. */
import { HttpError } from "../../contract/errors.ts";
import { DEFAULT_ENV } from "../../contract/fields.ts";
import { type getFunnel, MAX_FUNNEL_GROUPS } from "../../contract/funnels.ts";
import type { Handler } from "../accounts/handler.ts";
import type { Db } from "../db/schema.ts";
import { groupIntoCohorts } from "../experiments/cohorts.ts";
import { parseVariants, requireExperiment } from "../experiments/experiment-queries.ts";
import { readExposedSessions } from "../experiments/exposure-queries.ts";
import { requireGame, toGame } from "../games/game-queries.ts";
import { requireKnownScope } from "../games/scope-queries.ts";
import { findCompleteSince } from "../sessions/complete-since.ts";
import { countFunnel, parseSteps, type StepTimes } from "./funnel.ts";
import { requireSteps } from "./funnel-queries.ts";
import { type GroupedSession, readProgress } from "./read-progress.ts";
import { readScopedSessions, type ScopedSession } from "./session-queries.ts";

export const handleGetFunnel: Handler<typeof getFunnel> = async (input, { db, accountId }) => {
  const { build, env: environment = DEFAULT_ENV, by, experiment, from, to } = input;
  const game = await requireGame(db, accountId, input.game);
  await requireKnownScope(db, game.id, { build, env: environment });
  const steps = parseSteps(input.steps);
  const scope = { gameId: game.id, build, environment, from, to };
  const sessions = await readScopedSessions(db, scope);
  const variants = experiment === undefined ? null : await readVariants(db, accountId, game.id, experiment);
  const grouped = sessions.flatMap((session): GroupedSession[] => {
    if (variants !== null) {
      const group = variants.bySession.get(session.id);
      return group === undefined ? [] : [{ group, session }];
    }
    return [{ group: by === "build" ? session.build : null, session }];
  });
  const progress = await readProgress(db, game.id, steps, grouped);
  await requireSteps(db, scope, progress.unseen);
  const keys = variants?.keys ?? (by === "build" ? listBuilds(sessions) : [null]);
  const shown = keys.slice(0, MAX_FUNNEL_GROUPS);
  return {
    game: toGame(game),
    environment,
    completeSince: findCompleteSince(grouped.map(({ session }) => session)),
    by: variants ? "variant" : (by ?? null),
    sessions: progress.sessions,
    testers: progress.testers,
    groups: shown.map((key) => countFunnel(key, steps, progress.groups.get(key) ?? ([] as StepTimes[]))),
    groupsOmitted: keys.length - shown.length,
  };
};

/** The builds of the sessions, the one with the newest session first. */
const listBuilds = (sessions: readonly ScopedSession[]): string[] => [
  ...new Set(sessions.map(({ build }) => build)),
];

/** The variant of each exposed session. Players who were seen in several variants are left out, as in comparisons. */
async function readVariants(db: Db, accountId: string, gameId: string, id: string) {
  const experiment = await requireExperiment(db, accountId, id);
  if (experiment.game_id !== gameId) throw new HttpError("not_found");
  const { byVariant } = groupIntoCohorts(await readExposedSessions(db, experiment));
  const bySession = new Map<string, string>();
  for (const [key, players] of byVariant)
    for (const { sessions } of players) for (const session of sessions) bySession.set(session.id, key);
  return { keys: parseVariants(experiment).map(({ key }) => key), bySession };
}
