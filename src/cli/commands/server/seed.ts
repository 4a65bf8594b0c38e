/** server seed, and what `server start` adds to the local database before it starts. */
import { demoGames, findDemoTime } from "../../../demo/index.ts";
import { findForms } from "../../../server/feedback/form-queries.ts";
import { findGame } from "../../../server/games/game-queries.ts";
import { ensureGame } from "../../../server/games/games.ts";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import type { FlagValues } from "../../flags.ts";
import { recordImport, recordWork, runAudited } from "./audited.ts";
import { requireDemoSlugs, seedSessions } from "./demo-sessions.ts";
import { finishStudio, setUpStudio } from "./demo-studio.ts";
import { databaseFlags, type LocalService, type serviceFlags, withLocal } from "./local.ts";

/**
 * Seeds the sessions of the demo studio. The first time in a database, also sets up the studio and, after the analysis,
 * generates its summaries and digests. Returns the number of sessions and of new events. Throws `conflict`, before it
 * writes anything, if the database has another game with the slug of a demo game.
 */
export async function seedDemo(local: LocalService): Promise<{ sessions: number; events: number }> {
  await requireDemoSlugs(local);
  return await local.service.store.syncLater(() => seedStudio(local));
}

async function seedStudio(running: LocalService): Promise<{ sessions: number; events: number }> {
  const { service, accountId } = running;
  const demoTime = findDemoTime(service.now());
  const local = { ...running, service: { ...service, now: () => demoTime } };
  const { sessions, events } = await seedSessions(local);
  const game = await findGame(service.store.readDb, accountId, demoGames[0]?.slug ?? "");
  const isSetUp = game === undefined || (await findForms(service.store.readDb, game.id)).length > 0;
  const experiments = game && !isSetUp ? await setUpStudio(local, game, [...sessions.values()]) : null;
  await running.analysis.drain();
  if (experiments) await finishStudio(running, experiments);
  await running.summaries.writeAll();
  return { sessions: sessions.size, events };
}

export const seedCommand = command({
  path: "server seed",
  summary: "Add demo data to the local database",
  details:
    "Adds two demo games with sessions, feedback, playtest keys and experiments, and analyzes the sessions. The " +
    "times are relative to the start of the day in UTC. Running this command again adds nothing, and does not change the " +
    "times of the first run. It fails if you have a game of your own with the slug of a demo game. The built-in AI model " +
    "provider is set up if you have none; a provider that you configured is kept. To add your own telemetry files, use `playtest server import`.",
  flags: databaseFlags,
  examples: ["server seed", "server seed --database demo.db --now 2026-03-01"],
  async run(context, { flags }) {
    return await withLocal(context, flags, async (local) => {
      const seeded = await seedDemo(local);
      if (seeded.events > 0) await recordWork(context, local, { demo: true });
      const games = demoGames.map(({ slug }) => slug).join(" and ");
      const message =
        seeded.events === 0
          ? `The demo data is already in ${local.database}. Nothing was added.\n`
          : `Added the demo games ${games} to ${local.database}.\n`;
      return { data: { database: local.database, ...seeded }, view: () => message };
    });
  },
});

/** Creates games, adds the demo studio and imports telemetry files, as the flags request. */
export async function populateDatabase(
  context: Context,
  local: LocalService,
  flags: FlagValues<typeof serviceFlags>,
): Promise<void> {
  const { service, accountId } = local;
  // The demo comes first, because it does not accept a game of its own slug that --create-game has just created.
  if (flags.demo) {
    const { events } = await seedDemo(local);
    if (events > 0) await recordWork(context, local, { demo: true });
  }
  for (const slug of flags.games)
    await runAudited(service, context.command, accountId, async (db, note) => {
      note.target = (await ensureGame(db, service, accountId, slug)).id;
    });
  if (flags.seed.length > 0) {
    const { importFiles } = await import("./import-files.ts");
    const reports = await importFiles(context, local, flags.seed, true);
    await recordImport(context, local, reports);
  }
}
