/** server export --skip-damaged: exports what can be read of a damaged database file. */
import { join } from "node:path";
import { type Salvage, salvageSqlite } from "../../../server/archive/salvage.ts";
import { isPostgres, type Store, withStore } from "../../../server/db/open.ts";
import { removeSqlite } from "../../../server/db/sqlite-copy.ts";
import { createFolder } from "../../../shared/create-folder.ts";
import type { Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";

/** Copies the readable rows to a temporary file in a folder, which `write` then exports. */
export async function exportReadable(
  context: Context,
  { database, folder }: { readonly database: string; readonly folder: string },
  write: (store: Store) => Promise<Result>,
): Promise<Result> {
  const { io } = context;
  if (isPostgres(database) || database === ":memory:") {
    throw fail("usage", {
      message: "--skip-damaged only reads database files",
      hint: "Leave out --skip-damaged.",
    });
  }
  createFolder(folder);
  const copy = join(folder, `playtest-salvage-${io.pid}.tmp`);
  await removeSqlite(copy);
  try {
    const salvage = await salvageSqlite(database, copy, {
      signal: io.signal,
      now: io.now(),
      onTable: (table) => context.progress(`Reading ${table}`),
    });
    return await withStore({ database: copy, durability: "OFF" }, async (store) =>
      addSkipped(await write(store), database, salvage),
    );
  } finally {
    await removeSqlite(copy);
  }
}

function addSkipped(result: Result, database: string, { skipped, sessionsWithoutEvents }: Salvage): Result {
  const data =
    result.data === undefined
      ? undefined
      : { ...(result.data as object), database, skipped, sessionsWithoutEvents };
  if (skipped.length === 0 && sessionsWithoutEvents === 0) return { ...result, data };
  const rows = skipped.map(({ table, rows }) => `${rows ?? "an unknown number"} of ${table}`);
  const parts = [
    ...(rows.length === 0 ? [] : [`Skipped rows: ${rows.join(", ")}`]),
    ...(sessionsWithoutEvents === 0 ? [] : [`Sessions that lost their events: ${sessionsWithoutEvents}`]),
  ];
  return {
    ...result,
    data,
    verdict: {
      code: "incomplete",
      message: parts.join(". "),
      hint: "Everything else is in the archive. Import it with `playtest server import <archive> --database <new file>`.",
    },
  };
}
