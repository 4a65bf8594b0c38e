/** Imports an archive into the local database. */
import { resolve } from "node:path";
import { type ArchiveChecksum, type ArchiveHeader, parseHeader } from "../../../server/archive/format.ts";
import { requireKnownVersion, withCurrentArchive } from "../../../server/archive/older.ts";
import { readErasures } from "../../../server/archive/reader.ts";
import { restoreArchive } from "../../../server/archive/restore.ts";
import { ServiceError } from "../../../server/core/errors.ts";
import { type Store, withStore } from "../../../server/db/open.ts";
import type { Durability } from "../../../server/db/sqlite.ts";
import type { Erasures } from "../../../server/erasure/erase-again-queries.ts";
import type { RowCounts } from "../../../server/erasure/row-queries.ts";
import type { Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CliError, fail } from "../../errors.ts";
import type { FlagValues } from "../../flags.ts";
import { formatFlag } from "../../suggested-commands.ts";
import { STDIN } from "../../telemetry-files/bytes.ts";
import { listTables, sumRows } from "../admin/erasure-result.ts";
import { archiveResult } from "./export.ts";
import { type OpenedFile, openFile } from "./import-files.ts";
import { type databaseFlags, databasePath, reportUpgrade, watchDatabaseCreation } from "./local.ts";

/** Throws `config` if the archive is damaged or of a newer version, or if the database is not empty. */
export async function importArchive(
  context: Context,
  opened: OpenedFile,
  header: ArchiveHeader,
  flags: Pick<FlagValues<typeof databaseFlags>, "database" | "durability"> & {
    readonly erasures: string | undefined;
  },
): Promise<Result> {
  const erasures = flags.erasures === undefined ? null : await readArchiveErasures(context, flags.erasures);
  const database = databasePath(context.io, flags.database);
  const durability = flags.durability === "normal" ? "NORMAL" : "FULL";
  const onOpen = watchDatabaseCreation(context, database);
  const target = { database, durability, erasures, previous: null, onOpen } as const;
  const { checksum, erased, location } = await loadArchive(context, opened, header, target);
  const again = sumRows(listTables(erased));
  const conclusion = `Imported and verified ${checksum.tables.length} tables.`;
  return archiveResult(
    opened.file,
    location,
    checksum,
    again === 0 ? conclusion : `${conclusion} Erased ${again} rows again.`,
  );
}

export interface ArchiveTarget {
  /** An empty or new database. */
  readonly database: string;
  readonly durability?: Durability;
  /** What a newer archive of the same database says was erased since. */
  readonly erasures?: Erasures | null;
  /** What was erased from the database that it will replace. */
  readonly previous: Erasures | null;
  readonly onOpen?: () => Promise<void>;
  /** Called when the archive has been loaded, before the database is closed. */
  readonly onLoaded?: (store: Store, erased: RowCounts) => Promise<void>;
}

/** Loads an archive into a database, and erases again what was erased since. Throws `unusable` like `importArchive`. */
export async function loadArchive(
  context: Context,
  { file, first, lines }: OpenedFile,
  header: ArchiveHeader,
  { database, durability = "FULL", erasures = null, previous, onOpen, onLoaded }: ArchiveTarget,
): Promise<{ checksum: ArchiveChecksum; erased: RowCounts; location: string }> {
  requireKnownVersion(header, file);
  const { io } = context;
  const path = file === STDIN ? file : resolve(io.cwd, file);
  const archive = { source: file, path, header: first?.text ?? "", lines: withArchiveErrors(lines) };
  const onStep = (step: string) => context.progress(step);
  const onContinue = (line: number) =>
    context.notify(
      `${file}: continuing after line ${line} (use \`playtest server reset${formatFlag("--database", database)}\` to start over)`,
    );
  const options = { signal: io.signal, now: io.now(), erasures, previous, onContinue, onStep };
  return await withCurrentArchive(header, archive, options, async (current) => {
    const onUpgrade = reportUpgrade(context);
    return await withStore({ database, durability, continuesImport: true, onUpgrade }, async (store) => {
      await onOpen?.();
      const { erased, ...checksum } = await restoreArchive(store, current, options);
      await onLoaded?.(store, erased);
      return { checksum, erased, location: store.location };
    });
  });
}

/** Reads what was erased from the database of a newer archive. Throws `usage` if the file is not an archive. */
export async function readArchiveErasures(context: Context, name: string): Promise<Erasures> {
  const { file, first, lines } = await openFile(name, context);
  const header = first && parseHeader(first.text, file);
  if (!header)
    throw fail("usage", {
      message: `--erasures-from ${file} is not an archive`,
      hint: "Use an archive from `playtest server export`.",
    });
  requireKnownVersion(header, file);
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
