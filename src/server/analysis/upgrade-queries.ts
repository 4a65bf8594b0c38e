/** What an upgrade to this version changes in a database: its schema, and the stored values that are computed again. */
import { sql } from "kysely";
import { emptyDatabase, readSchemaVersion } from "../db/migrate.ts";
import { migrations as allMigrations, type Migrations } from "../db/migrations/index.ts";
import { countRows } from "../db/rows.ts";
import type { Db } from "../db/schema.ts";
import { ANALYSIS_VERSION, SUMMARY_VERSION } from "./version.ts";

/** The stored values of a kind that older rules have computed. */
interface OutdatedValues {
  /** What they are, such as `insights`. */
  readonly kind: string;
  /** Those that are computed again in the background. */
  readonly recomputed: number;
  /** Those that are kept, because the events of their sessions are pruned. */
  readonly kept: number;
}

export interface UpgradePlan {
  /** The names of the migrations that are not applied yet. */
  readonly migrations: readonly string[];
  readonly outdated: readonly OutdatedValues[];
}

/** The tables with values of sessions, with the column of the session. */
const tables = [
  { kind: "sessions", table: "sessions", session: "id" },
  { kind: "insights", table: "insights", session: "session_id" },
  { kind: "times in rooms", table: "room_times", session: "session_id" },
  { kind: "crash reports", table: "crash_reports", session: "session_id" },
] as const;

/** Changes nothing. Throws `unusable` if this version cannot use the database, or if it is empty. */
export async function planUpgrade(
  db: Db,
  location: string,
  migrations: Migrations = allMigrations,
): Promise<UpgradePlan> {
  const applied = await readSchemaVersion(db, location, migrations);
  if (applied.length === 0) throw emptyDatabase(location);
  const pending = Object.keys(migrations).filter((name) => !applied.includes(name));
  const outdated: OutdatedValues[] = [];
  for (const { kind, table, session } of tables)
    outdated.push({ kind, ...(await countOutdatedRows(db, table, session)) });
  const hasVersions = applied.includes("050-summary-versions");
  const summaries = hasVersions ? await countOutdatedTexts(db) : 0;
  outdated.push({ kind: "summaries", recomputed: summaries, kept: 0 });
  return { migrations: pending, outdated };
}

/** Counts the rows of sessions that older rules have analyzed. */
async function countOutdatedRows(
  db: Db,
  table: (typeof tables)[number]["table"],
  session: "id" | "session_id",
): Promise<Pick<OutdatedValues, "recomputed" | "kept">> {
  const { rows } = await sql<{ pruned: number; count: number }>`
    select case when s.events_pruned_at is null then 0 else 1 end as pruned, count(*) as count
    from sessions s join ${sql.table(table)} t on t.game_id = s.game_id and t.${sql.ref(session)} = s.id
    where s.analysis_version < ${ANALYSIS_VERSION} group by 1
  `.execute(db);
  const counts = new Map(rows.map(({ pruned, count }) => [Number(pruned), Number(count)]));
  return { recomputed: counts.get(0) ?? 0, kept: counts.get(1) ?? 0 };
}

async function countOutdatedTexts(db: Db): Promise<number> {
  let total = 0;
  for (const table of ["build_summaries", "tester_summaries"] as const)
    total += await countRows(db.selectFrom(table).where("rules_version", "<", SUMMARY_VERSION));
  return total;
}
