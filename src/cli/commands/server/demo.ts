/** Seeds the demo studio. */
import { demoGames } from "../../../demo/index.ts";
import { findForms } from "../../../server/feedback/form-queries.ts";
import { findGame } from "../../../server/games/game-queries.ts";
import { requireDemoSlugs, seedSessions } from "./demo-sessions.ts";
import { finishStudio, setUpStudio } from "./demo-studio.ts";
import type { LocalService } from "./local.ts";

/**
 * Seeds the sessions of the demo studio. The first time in a database, also sets up the studio and, after the analysis,
 * generates its summaries and digests. Returns the number of sessions and of new events. Throws `conflict`, before it
 * writes anything, if the database has another game with the slug of a demo game.
 */
export async function seedDemo(local: LocalService): Promise<{ sessions: number; events: number }> {
  const { service, accountId } = local;
  await requireDemoSlugs(local);
  const { sessions, events } = await seedSessions(local);
  const game = await findGame(service.store.readDb, accountId, demoGames[0]?.slug ?? "");
  const isSetUp = game === undefined || (await findForms(service.store.readDb, game.id)).length > 0;
  const experiments = game && !isSetUp ? await setUpStudio(local, game, [...sessions.values()]) : null;
  await local.analysis.drain();
  if (game && experiments) await finishStudio(local, game, experiments);
  return { sessions: sessions.size, events };
}
