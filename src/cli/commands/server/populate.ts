/** Populates the local database before the server starts. */
import { ensureGame } from "../../../server/games/games.ts";
import type { Context } from "../../context.ts";
import type { FlagValues } from "../../flags.ts";
import { recordImport, recordWork, runAudited } from "./audited.ts";
import type { LocalService, serviceFlags } from "./local.ts";

/** Creates games, adds the demo studio and imports telemetry files, as the flags request. */
export async function populateDatabase(
  context: Context,
  local: LocalService,
  flags: FlagValues<typeof serviceFlags>,
): Promise<void> {
  const { service, accountId } = local;
  // The demo comes first, because it does not accept a game of its own slug that --create-game has just created.
  if (flags.demo) {
    const { seedDemo } = await import("./seed.ts");
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
