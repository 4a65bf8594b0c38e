/** A service that exists only while some work runs. */
import type { ApiKeyKind } from "../../../contract/define.ts";
import { requireValidSlug } from "../../../server/games/games.ts";
import { listen } from "../../../server/http/listen.ts";
import type { Context } from "../../context.ts";
import type { FlagValues } from "../../flags.ts";
import { requireReadable } from "../../telemetry-files/lines.ts";
import { type serviceFlags, withLocal } from "./local.ts";
import { populateDatabase } from "./seed.ts";

/** How programs reach the service: its URL, and keys that are not stored. */
export interface ServiceVariables {
  readonly PLAYTEST_BASE_URL: string;
  readonly PLAYTEST_KEY: string;
  readonly PLAYTEST_INGEST_KEY: string;
}

/** Runs work against a service on a free port, by default with a temporary database, and stops the service. */
export async function withTemporaryService<T>(
  context: Context,
  flags: FlagValues<typeof serviceFlags>,
  work: (variables: ServiceVariables) => Promise<T>,
): Promise<T> {
  flags.games.forEach(requireValidSlug);
  await requireReadable(flags.seed, context.io);
  return await withLocal(context, { ...flags, database: flags.database ?? ":memory:" }, async (local) => {
    await populateDatabase(context, local, flags);
    await local.analysis.drain();
    const { service, accountId } = local;
    const issueKey = (kind: ApiKeyKind) => service.temporaryKeys.issue(accountId, kind, service.now());
    local.useWorkers();
    const listening = await listen(local.app, { host: "127.0.0.1", port: 0 });
    try {
      return await work({
        PLAYTEST_BASE_URL: listening.url,
        PLAYTEST_KEY: issueKey("management"),
        PLAYTEST_INGEST_KEY: issueKey("ingest"),
      });
    } finally {
      await listening.close();
    }
  });
}
