/** Imports an archive into the local database. */
import { type ArchiveHeader, parseHeader } from "../../../server/archive/format.ts";
import { readErasures } from "../../../server/archive/read-erasures.ts";
import { requireSameVersion, restoreArchive } from "../../../server/archive/restore.ts";
import { ServiceError } from "../../../server/core/errors.ts";
import { openStore } from "../../../server/db/open.ts";
import type { Erasures } from "../../../server/erasure/erase-again-queries.ts";
import type { Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError, fail } from "../../errors.ts";
import type { FlagValues } from "../../flags.ts";
import { listTables, sumRows } from "../admin/erasure-result.ts";
import { archiveResult } from "./archive-result.ts";
import { type OpenedFile, openFile } from "./import-files.ts";
import { type databaseFlags, databasePath, watchDatabaseCreation } from "./local.ts";

/** Throws `config` if the archive is damaged or of another version, or if the database is not empty. */
export async function importArchive(
  context: Context,
  { file, lines }: OpenedFile,
  header: ArchiveHeader,
  flags: Pick<FlagValues<typeof databaseFlags>, "database" | "durability"> & {
    readonly erasures: string | undefined;
  },
): Promise<Result> {
  const { io } = context;
  requireSameVersion(header, file);
  const erasures = flags.erasures === undefined ? null : await openErasures(context, flags.erasures);
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
    const options = { signal: io.signal, now: io.now(), erasures, onStep };
    const { erased, ...checksum } = await restoreArchive(store, archive, options);
    const again = sumRows(listTables(erased));
    const conclusion = `Imported and verified ${checksum.tables.length} tables.`;
    return archiveResult(
      file,
      store.location,
      checksum,
      again === 0 ? conclusion : `${conclusion} Erased ${again} rows again.`,
    );
  } finally {
    await store.close();
  }
}

/** Reads what was erased from the database of a newer archive. Throws `usage` if the file is not an archive. */
async function openErasures(context: Context, name: string): Promise<Erasures> {
  const { file, first, lines } = await openFile(name, context);
  const header = first && parseHeader(first.text, file);
  if (!header)
    throw fail("usage", {
      message: `--erasures ${file} is not an archive`,
      hint: "Use an archive from `playtest server export`.",
    });
  requireSameVersion(header, file);
  return await readErasures(withArchiveErrors(lines), file);
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
