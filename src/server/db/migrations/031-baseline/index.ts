/**
 * The whole schema of the first release. Databases of development versions, whose schema came from thirty migrations, are
 * converted to it (`convert-030.ts`).
 */
import { type Kysely, PostgresAdapter, sql } from "kysely";
import { accounts } from "./accounts.ts";
import { coveringIndexes } from "./covering-indexes.ts";
import { playtests } from "./playtests.ts";
import { sessions } from "./sessions.ts";

/** The types of Postgres: text sorts by its bytes, and integers have 64 bits, as in SQLite. */
const postgresTypes: Readonly<Record<string, string>> = {
  text: 'text collate "C"',
  integer: "bigint",
  blob: "bytea",
};

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  for (const statement of [accounts, playtests, sessions, coveringIndexes].flatMap(splitStatements)) {
    const text = isPostgres ? translate(statement) : statement;
    await sql.raw(text).execute(db);
  }
}

export const splitStatements = (script: string): string[] => script.trim().split(/;\s*/).filter(Boolean);

const translate = (statement: string): string =>
  statement.replace(/\b(text|integer|blob)\b/g, (type) => postgresTypes[type] ?? type);
