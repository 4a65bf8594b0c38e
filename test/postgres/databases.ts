/** Databases for tests on Postgres: copies of a migrated template, which a test locks, uses and releases for the next test. */
import pg from "pg";
import { openStore } from "../../src/server/db/open.ts";

/** Returns the URL of a database on the same server as another URL. */
export function withDatabase(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

/** Runs a statement on a new connection. */
export async function runOn(address: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}

let owned = 0;

/** Creates a database without tables that no other test uses. `drop` also closes all connections to it. */
export async function ownDatabase(): Promise<{ address: string; drop(): Promise<unknown> }> {
  const server = process.env.PLAYTEST_TEST_POSTGRES ?? "";
  const name = `own_${process.pid}_${owned++}_${Date.now()}`;
  await runOn(server, `create database ${name}`);
  return {
    address: withDatabase(server, name),
    drop: () => runOn(server, `drop database ${name} with (force)`),
  };
}

/** Creates the template of all test databases, and returns its name. The names of the copies begin with it. */
export async function makeTemplate(server: string): Promise<string> {
  const template = `playtest_${process.pid}_${Date.now()}`;
  await runOn(server, `create database ${template}`);
  const store = await openStore({ database: withDatabase(server, template) });
  await store.close();
  return template;
}

/** Drops the template and all its copies. */
export async function dropAll(server: string, template: string): Promise<void> {
  const { rows } = await runOn(
    server,
    `select datname from pg_database where starts_with(datname, '${template}')`,
  );
  for (const { datname } of rows) await runOn(server, `drop database if exists ${datname} with (force)`);
}

/** Empties all tables that have rows, which is much faster than a new copy. */
const WIPE = `do $$
  declare name text; filled boolean; found text[] := '{}';
  begin
    for name in select tablename from pg_tables where schemaname = 'public' and tablename not like 'kysely%' loop
      execute format('select exists (select from %I)', name) into filled;
      if filled then found := found || quote_ident(name); end if;
    end loop;
    if cardinality(found) > 0 then execute 'truncate ' || array_to_string(found, ', ') || ' cascade'; end if;
  end $$`;

/**
 * The databases of one test process. They are numbered, and a process locks the number of each database that it uses.
 * Postgres releases the locks when a process exits, so no other coordination between processes is required.
 */
export class TestDatabases {
  readonly #server: string;
  readonly #template: string;
  readonly #admin: Promise<pg.Client>;
  readonly #locked = new Set<number>();
  readonly #files = new Map<string, Promise<string>>();

  constructor(server: string, template: string) {
    this.#server = server;
    this.#template = template;
    this.#admin = connect(server);
  }

  /** Locks an empty database, and returns its URL. */
  async take(): Promise<string> {
    for (let number = 0; ; number += 1) {
      if (this.#locked.has(number)) continue;
      this.#locked.add(number);
      const { rows } = await this.#query(
        `select pg_try_advisory_lock(hashtext('${this.#template}'), ${number})`,
      );
      if (rows[0].pg_try_advisory_lock) return await this.#empty(`${this.#template}_${number}`);
      this.#locked.delete(number);
    }
  }

  /** Unlocks a database, so that other tests can use it. */
  async release(address: string): Promise<void> {
    const number = Number(address.slice(address.lastIndexOf("_") + 1));
    await this.#query(`select pg_advisory_unlock(hashtext('${this.#template}'), ${number})`);
    this.#locked.delete(number);
  }

  /** Returns the URL of the database for a file name, always the same for the same name. */
  ofFile(file: string): Promise<string> {
    const known = this.#files.get(file) ?? this.take();
    this.#files.set(file, known);
    return known;
  }

  /** Maps a file name to a new database without tables, and returns its URL. */
  makeBare(file: string): Promise<string> {
    return this.#make(file, "template0");
  }

  /** Maps a file name to a copy of the current database of another file name. */
  async copy(from: string, to: string): Promise<void> {
    const source = new URL(await this.ofFile(from)).pathname.slice(1);
    await this.#end(source);
    await this.#make(to, source);
  }

  async #make(file: string, from: string): Promise<string> {
    const database = `${this.#template}_${process.pid}_${this.#files.size}`;
    const made = this.#query(`create database ${database} template ${from} strategy file_copy`).then(() =>
      withDatabase(this.#server, database),
    );
    this.#files.set(file, made);
    return await made;
  }

  async #empty(database: string): Promise<string> {
    const address = withDatabase(this.#server, database);
    const { rowCount } = await this.#query(`select from pg_database where datname = '${database}'`);
    if (rowCount === 0) {
      await this.#query(`create database ${database} template ${this.#template} strategy file_copy`);
      return address;
    }
    await this.#end(database);
    await runOn(address, WIPE);
    return address;
  }

  /** Closes the connections to a database, for example those of killed processes. */
  async #end(database: string): Promise<void> {
    await this.#query(
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${database}'`,
    );
  }

  async #query(statement: string): Promise<pg.QueryResult> {
    return await (await this.#admin).query(statement);
  }
}

/** Opens a connection that stays open until the process exits. */
async function connect(server: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  // The connection is never closed, but does not keep the process from exiting.
  (client as pg.Client & { unref(): void }).unref();
  return client;
}
