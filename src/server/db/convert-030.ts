/**
 * Databases and archives of development versions. Their schema came from thirty migrations, which the baseline has replaced.
 * Those at the last of the thirty are converted; older ones must be brought there by the version that still has them.
 */
import { type Kysely, sql } from "kysely";
import { ServiceError } from "../core/errors.ts";
import { splitStatements } from "./migrations/031-baseline/index.ts";
import { coveringIndexes } from "./migrations/031-baseline/sessions.ts";
import { storeProgramVersion } from "./migrations/index.ts";
import type { Schema } from "./schema.ts";

/** Every database of a development version has the first of the thirty migrations. */
const FIRST = "001-play";
const LAST = "030-console-sessions";
const BASELINE = "031-baseline";
/** The last commit with the thirty migrations. */
const LAST_COMMIT = "3613cebd";

/** Tables of these databases that the baseline does not have. Archives contain them too. */
export const droppedTables: readonly string[] = [
  "session_rollups",
  "session_counts",
  "account_session_counts",
  "account_session_day_counts",
  "insight_counts",
  "account_insight_counts",
  "insight_day_counts",
  "account_insight_day_counts",
  "game_devices",
  "game_counts",
  "build_testers",
  "build_counts",
  "build_durations",
  "event_totals",
];

/** Whether a database or archive has some of the thirty migrations. */
export const isDevelopment = (applied: readonly string[]): boolean => applied.includes(FIRST);

/** Whether this version can read a database or archive, as far as the thirty migrations matter. */
const isConvertible = (applied: readonly string[]): boolean =>
  !isDevelopment(applied) || applied.includes(LAST);

/** Throws `unusable` for a database or archive of a development version before the last of the thirty migrations. */
export function requireConvertible(
  applied: readonly string[],
  source: string,
  kind: "database" | "archive",
): void {
  if (isConvertible(applied)) return;
  const at = [...applied].sort().at(-1) ?? FIRST;
  throw new ServiceError("unusable", {
    message: `${source} is of an early development version of playtest (migration ${at})`,
    hint:
      kind === "database"
        ? `Check out commit ${LAST_COMMIT} of playtest and run its \`playtest server export\` on this database. Then import the archive with this version.`
        : `Check out commit ${LAST_COMMIT} of playtest, and import and export the archive with it. Then import the new archive with this version.`,
  });
}

/** The names of the migrations with the thirty replaced by the baseline. */
export function toBaseline(applied: readonly string[]): string[] {
  if (!isDevelopment(applied)) return [...applied];
  return [BASELINE, ...applied.filter((name) => name > LAST)];
}

/** Converts a database at the last of the thirty migrations to the baseline, in one transaction. */
export async function convertToBaseline(db: Kysely<Schema>): Promise<void> {
  for (const table of droppedTables) await db.schema.dropTable(table).execute();
  await db.schema.dropIndex("sessions_open").execute();
  for (const statement of splitStatements(coveringIndexes)) {
    const [, name = ""] = /^create index (\w+)/.exec(statement) ?? [];
    await db.schema.dropIndex(name).execute();
    await sql.raw(statement).execute(db);
  }
  const names = db.withTables<{ kysely_migration: { name: string; timestamp: string } }>();
  await names.deleteFrom("kysely_migration").execute();
  const timestamp = new Date().toISOString();
  await names.insertInto("kysely_migration").values({ name: BASELINE, timestamp }).execute();
  await storeProgramVersion(db);
}
