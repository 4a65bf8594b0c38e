/** Imports an archive into the local database. */
import { afterRestore } from "../../../server/archive/after-restore.ts";
import type { ArchiveChecksum, ArchiveHeader } from "../../../server/archive/format.ts";
import { requireKnownVersion, withCurrentArchive } from "../../../server/archive/older.ts";
import { restoreArchive } from "../../../server/archive/restore.ts";
import { ServiceError } from "../../../server/core/errors.ts";
import { openStore } from "../../../server/db/open.ts";
import type { Db } from "../../../server/db/schema.ts";
import type { Durability } from "../../../server/db/sqlite.ts";
import type { Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError } from "../../errors.ts";
import type { FlagValues } from "../../flags.ts";
import { archiveResult } from "./archive-result.ts";
import type { OpenedFile } from "./import-files.ts";
import { type databaseFlags, databasePath, reportUpgrade, watchDatabaseCreation } from "./local.ts";

/** Throws `config` if the archive is damaged or of a newer version, or if the database is not empty. */
export async function importArchive(
  context: Context,
  opened: OpenedFile,
  header: ArchiveHeader,
  flags: Pick<FlagValues<typeof databaseFlags>, "database" | "durability">,
): Promise<Result> {
  const database = databasePath(context.io, flags.database);
  const durability = flags.durability === "normal" ? "NORMAL" : "FULL";
  const onOpen = watchDatabaseCreation(context, database);
  const target = { database, durability, previous: null, onOpen } as const;
  const { checksum, location } = await loadArchive(context, opened, header, target);
  const conclusion = `Imported and verified ${checksum.tables.length} tables.`;
  return archiveResult(opened.file, location, checksum, conclusion);
}

export interface ArchiveTarget {
  /** An empty or new database. */
  readonly database: string;
  readonly durability?: Durability;
  /** The database that it will replace. */
  readonly previous: Db | null;
  /** Called when the database has been opened or created. */
  readonly onOpen?: () => Promise<void>;
}

/** Loads an archive into a database. Throws `unusable` like `importArchive`. */
export async function loadArchive(
  context: Context,
  { file, lines }: OpenedFile,
  header: ArchiveHeader,
  { database, durability = "FULL", previous, onOpen }: ArchiveTarget,
): Promise<{ checksum: ArchiveChecksum; location: string }> {
  requireKnownVersion(header, file);
  const archive = { source: file, lines: withArchiveErrors(lines) };
  const options = { signal: context.io.signal, onStep: (step: string) => context.progress(step) };
  return await withCurrentArchive(header, archive, options, async (current) => {
    const store = await openStore({ database, durability, onUpgrade: reportUpgrade(context) });
    try {
      await onOpen?.();
      const checksum = await restoreArchive(store, current, options);
      await afterRestore({ restored: store, previous });
      return { checksum, location: store.location };
    } finally {
      await store.close();
    }
  });
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
