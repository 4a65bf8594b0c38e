/** Fills in the demo studio: its play, what it has set up beside it, and what is written once all is analysed. */
import { demoGames } from "../../../demo/index.ts";
import { findForms } from "../../../server/feedback/queries.ts";
import { findGame } from "../../../server/games/queries.ts";
import { seedSessions } from "./demo-sessions.ts";
import { finishStudio, setUpStudio } from "./demo-studio.ts";
import type { LocalService } from "./local.ts";

/**
 * The whole demo studio: its play; once a database what it has set up beside it; and, when all is analysed, what is
 * written of it. Answers how much was new.
 */
export async function seedDemo(local: LocalService): Promise<{ sessions: number; events: number }> {
  const { service, accountId } = local;
  const { sessions, events } = await seedSessions(local);
  const game = await findGame(service.store.readDb, accountId, demoGames[0]?.slug ?? "");
  const isSetUp = game === undefined || (await findForms(service.store.readDb, game.id)).length > 0;
  const experiments = game && !isSetUp ? await setUpStudio(local, game, [...sessions.values()]) : null;
  await local.analysis.drain();
  if (game && experiments) await finishStudio(local, game, experiments);
  return { sessions: sessions.size, events };
}
