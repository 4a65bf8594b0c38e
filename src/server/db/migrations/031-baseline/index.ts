/**
 * The whole schema of the first release. Databases of development versions, whose schema came from thirty migrations, are
 * converted to it (`convert-030.ts`).
 */
import { type Kysely, PostgresAdapter, sql } from "kysely";
import { postgresTypes } from "../../tables/define.ts";
import { accounts } from "./accounts.ts";
import { playtests } from "./playtests.ts";
import { coveringIndexes, sessions } from "./sessions.ts";

export const up = (db: Kysely<unknown>): Promise<void> =>
  runScript(db, [accounts, playtests, sessions, coveringIndexes]);

/** Runs the statements of scripts, which name the types of SQLite. */
export async function runScript(db: Kysely<unknown>, scripts: readonly string[]): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  for (const statement of scripts.flatMap(splitStatements)) {
    const text = isPostgres ? translate(statement) : statement;
    await sql.raw(text).execute(db);
  }
}

export const splitStatements = (script: string): string[] => script.trim().split(/;\s*/).filter(Boolean);

const translate = (statement: string): string =>
  statement.replace(/\b(text|integer|blob)\b/g, (type) => postgresTypes[type] ?? type);
