/** Counters of the testers, sessions and durations of each build, so that comparisons of builds need not read the sessions. */
import { type CreateTableBuilder, type Kysely, sql } from "kysely";
import { fillBuildCounts } from "./fill-build-counts.ts";

type Columns = Readonly<Record<string, "text" | "bigint" | "integer">>;

export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(db, "build_testers", ["game_id", "tester", "build"], {
    ...({ game_id: "text", tester: "text", build: "text", facts: "text" } as const),
  });
  await createTable(db, "build_counts", ["game_id", "build", "environment", "kind", "name"], {
    ...({ game_id: "text", build: "text", environment: "text" } as const),
    ...({ kind: "text", name: "text", amount: "bigint" } as const),
  });
  await createTable(db, "build_durations", ["game_id", "build", "kind", "level", "bucket"], {
    ...({ game_id: "text", build: "text", kind: "text" } as const),
    ...({ level: "integer", bucket: "bigint", sessions: "bigint" } as const),
  });
  // Deletions remove empty counters, without reading the others.
  await sql`create index build_counts_empty on build_counts (game_id) where amount = 0`.execute(db);
  await sql`create index build_durations_empty on build_durations (game_id) where sessions = 0`.execute(db);
  // The durations of these sessions still change with every batch, so that they are not in the counters.
  await sql`
    create index sessions_open on sessions (game_id, build) where status in ('pending', 'processing')
  `.execute(db);
  await fillBuildCounts(db);
}

async function createTable(
  db: Kysely<unknown>,
  name: string,
  key: readonly string[],
  columns: Columns,
): Promise<void> {
  let table: CreateTableBuilder<string, string> = db.schema.createTable(name);
  for (const [column, type] of Object.entries(columns))
    table = table.addColumn(column, type, (c) => c.notNull());
  await table.addPrimaryKeyConstraint(`${name}_key`, [...key]).execute();
}
