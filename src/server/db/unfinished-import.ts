/**
 * The import of an archive into a SQLite file that has not finished. Its table exists from the first stored row until all rows
 * are stored and checked, so that no other command uses a part of a database.
 */
import { type Kysely, sql } from "kysely";
import { quoteForShell } from "../../render/shell.ts";
import { ServiceError } from "../core/errors.ts";
import type { Db, Schema } from "./schema.ts";

const TABLE = "unfinished_import";

export interface UnfinishedImport {
  /** The path of the archive, for messages. */
  readonly path: string;
  /** The first line of the archive, which has its creation time in milliseconds. */
  readonly header: string;
  /** The line of the last stored row; 0 before the first. */
  readonly line: number;
  /** 1 if --erasures-from says what is erased again at the end, so that the import cannot continue without it. */
  readonly erases: 0 | 1;
}

type ImportTable = Readonly<Record<typeof TABLE, UnfinishedImport>>;

export async function findUnfinishedImport(db: Kysely<Schema>): Promise<UnfinishedImport | undefined> {
  const { rows } = await sql`select name from sqlite_schema where name = ${TABLE}`.execute(db);
  if (rows.length === 0) return undefined;
  return await db.withTables<ImportTable>().selectFrom(TABLE).selectAll().executeTakeFirst();
}

export async function beginImport(
  db: Db,
  { path, header, erases }: Omit<UnfinishedImport, "line">,
): Promise<void> {
  await db.schema
    .createTable(TABLE)
    .addColumn("path", "text", (column) => column.notNull())
    .addColumn("header", "text", (column) => column.notNull())
    .addColumn("line", "integer", (column) => column.notNull())
    .addColumn("erases", "integer", (column) => column.notNull())
    .execute();
  await db.withTables<ImportTable>().insertInto(TABLE).values({ path, header, line: 0, erases }).execute();
}

/** Moves the position from one line to another. Throws `in_use` if another process has moved it. */
export async function advanceImport(db: Db, from: number, to: number): Promise<void> {
  const moved = await db
    .withTables<ImportTable>()
    .updateTable(TABLE)
    .set({ line: to })
    .where("line", "=", from)
    .executeTakeFirst();
  if (moved.numUpdatedRows === 1n) return;
  throw new ServiceError("in_use", {
    message: "Another process is importing the same archive into the same database",
    hint: "Wait until it has finished.",
  });
}

export async function endImport(db: Db): Promise<void> {
  await db.schema.dropTable(TABLE).execute();
}

/** The error for a database that contains only a part of an archive. */
export function unfinishedImportError(
  location: string,
  { path, erases }: UnfinishedImport,
  isCurrent = true,
): ServiceError {
  const [archive, database] = [path, location].map((word) => quoteForShell(word) ?? word);
  const again = `playtest server import ${archive}${erases === 1 ? " --erasures-from <archive>" : ""} --database ${database}`;
  return new ServiceError("unusable", {
    message: `The database ${location} is incomplete: the import of ${path} has not finished`,
    hint:
      `Continue it with \`${again}\`${isCurrent ? "" : " and the version of playtest that began it"}, or discard it with ` +
      `\`playtest server reset --database ${database}\`.`,
  });
}
