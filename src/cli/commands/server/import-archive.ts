/** Imports an archive into the local database. */
import type { ArchiveHeader } from "../../../server/archive/format.ts";
import { requireSameVersion, restoreArchive } from "../../../server/archive/restore.ts";
import { ServiceError } from "../../../server/core/errors.ts";
import { openStore } from "../../../server/db/open.ts";
import type { Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError } from "../../errors.ts";
import type { FlagValues } from "../../flags.ts";
import { archiveResult } from "./archive-result.ts";
import type { OpenedFile } from "./import-files.ts";
import { type databaseFlags, databasePath, watchDatabaseCreation } from "./local.ts";

/** Throws `config` if the archive is damaged or of another version, or if the database is not empty. */
export async function importArchive(
  context: Context,
  { file, lines }: OpenedFile,
  header: ArchiveHeader,
  flags: Pick<FlagValues<typeof databaseFlags>, "database" | "durability">,
): Promise<Result> {
  const { io } = context;
  requireSameVersion(header, file);
  const database = databasePath(io, flags.database);
  const notifyIfCreated = watchDatabaseCreation(context, database);
  const store = await openStore({
    database,
    durability: flags.durability === "normal" ? "NORMAL" : "FULL",
  });
  try {
    await notifyIfCreated();
    const archive = { source: file, lines: withArchiveErrors(lines) };
    const onStep = (step: string) => context.progress(step);
    const checksum = await restoreArchive(store, archive, { signal: io.signal, onStep });
    const conclusion = `Imported and verified ${checksum.tables.length} tables.`;
    return archiveResult(file, store.location, checksum, conclusion);
  } finally {
    await store.close();
  }
}

/** Yields the lines. Replaces the hints of read errors, which are about telemetry files. */
async function* withArchiveErrors<T>(lines: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* lines;
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    throw new ServiceError("unusable", {
      message: cause.message,
      hint: "Nothing was imported. Copy the archive again, or export it again.",
      cause,
    });
  }
}
