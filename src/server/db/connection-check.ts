/** Checks that a Postgres connection is usable: it is to a primary, and has the settings that the service asked for. */
import { type Kysely, sql } from "kysely";
import { ServiceError } from "../core/errors.ts";
import type { ConnectionSettings } from "./postgres.ts";
import type { Db, Schema } from "./schema.ts";

const TIMEOUTS = ["statement_timeout", "idle_in_transaction_session_timeout"];

/** Throws `unusable` if nothing can be stored in the database, because it is a standby or its connections are read-only. */
export async function requireWritable(db: Kysely<Schema>, location: string): Promise<void> {
  const { rows } = await sql<{ standby: boolean; readonly: string }>`
    select pg_is_in_recovery() as standby, current_setting('transaction_read_only') as readonly
  `.execute(db);
  if (rows[0]?.standby)
    throw new ServiceError("unusable", {
      message: `The database ${location} is a standby, which is read-only`,
      hint: "Specify the primary with --database. Only `playtest server export` and `server backup` can read a standby.",
    });
  if (rows[0]?.readonly === "on")
    throw new ServiceError("unusable", {
      message: `Connections to the database ${location} are read-only`,
      hint: "Turn off `default_transaction_read_only` for the role, the database and the Postgres server.",
    });
}

/**
 * Throws `unusable` if a connection lacks settings that it was opened with, because connection poolers may drop them.
 * Without its timeouts, a server would wait forever for a database that hangs.
 */
export async function requireSettings(
  db: Kysely<Schema>,
  location: string,
  settings: ConnectionSettings,
): Promise<void> {
  const names = Object.keys(settings);
  const { rows } = await sql<{ name: string; setting: string; role: string; database: string }>`
    select n.name, pg_catalog.current_setting(n.name, true) as setting,
      quote_ident(current_user) as role, quote_ident(current_database()) as database
    from unnest(${names}::text[]) as n(name)
  `.execute(db);
  const timeouts = await readTimeouts(db);
  const faults = rows.filter(
    ({ name, setting }) => !isSufficient(name, timeouts[name] ?? setting ?? "", settings[name] ?? ""),
  );
  const [fault] = faults;
  if (!fault) return;
  const differences = faults.map(({ name, setting }) => `${name} is ${setting || "not set"}`).join(", ");
  const statements = faults.map(
    ({ name }) =>
      `alter role ${fault.role} in database ${fault.database} set ${name} = ${quote(settings[name] ?? "")};`,
  );
  throw new ServiceError("unusable", {
    message: `Connections to the database ${location} lack settings that the service needs: ${differences}`,
    hint: `A connection pooler drops them. Set them in Postgres and reconnect the pooler: ${statements.join(" ")}`,
  });
}

/** Whether a setting is as good as the one that was asked for. A shorter timeout is, and so is a more durable commit. */
function isSufficient(name: string, actual: string, asked: string | number): boolean {
  if (TIMEOUTS.includes(name)) return Number(actual) > 0 && Number(actual) <= Number(asked);
  if (name === "synchronous_commit") return asked === "off" || actual !== "off";
  return actual === String(asked);
}

const quote = (value: string | number) => (typeof value === "number" ? String(value) : `'${value}'`);

/** The timeouts of a connection in ms, by name. */
async function readTimeouts(db: Kysely<Schema>): Promise<Record<string, string>> {
  const { rows } = await sql<{ name: string; setting: string }>`
    select name, setting from pg_catalog.pg_settings where name = any(${TIMEOUTS}::text[])
  `.execute(db);
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
}

/** Whether the role or the database sets timeouts. */
export async function hasTimeouts(db: Kysely<Schema>): Promise<boolean> {
  return Object.values(await readTimeouts(db)).some((setting) => setting !== "0");
}

/** Lifts the timeouts of the role or database until the transaction ends. A pooler may drop settings of a connection. */
export async function liftTimeouts(transaction: Db): Promise<void> {
  await sql`
    select set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)
  `.execute(transaction);
}

/** Explains why a connection pooler refused a connection or a transaction; null for other errors. */
export function explainPoolerError(cause: unknown, location: string): ServiceError | null {
  const message = cause instanceof Error ? cause.message : "";
  if (/unsupported startup parameter/i.test(message))
    return new ServiceError("unusable", {
      message: `The connection pooler of the database ${location} refuses connections with settings: ${message}`,
      hint: "Add `ignore_startup_parameters = options` to pgbouncer.ini, and set the settings of the role in Postgres.",
      cause,
    });
  if (/not allowed in statement pooling mode/i.test(message))
    return new ServiceError("unusable", {
      message: `The connection pooler of the database ${location} does not allow transactions: ${message}`,
      hint: "Set `pool_mode = transaction` or `pool_mode = session` in pgbouncer.ini.",
      cause,
    });
  return null;
}
