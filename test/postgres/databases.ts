/** Databases of the tests' Postgres: copies of one that has been migrated, which a test holds alone and leaves to the next. */
import pg from "pg";
import { openStore } from "../../src/server/db/open.ts";

/** The address of a database on the server of another's address. */
export function addressOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

/** Runs one statement on a connection of its own. */
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

/** Makes a database without any table that no other test shares; `drop` ends whoever is connected to it. */
export async function ownDatabase(): Promise<{ address: string; drop(): Promise<unknown> }> {
  const server = process.env.PLAYTEST_TEST_POSTGRES ?? "";
  const name = `own_${process.pid}_${owned++}_${Date.now()}`;
  await runOn(server, `create database ${name}`);
  return {
    address: addressOf(server, name),
    drop: () => runOn(server, `drop database ${name} with (force)`),
  };
}

/** Makes the database that those of tests are copied from, and answers its name, with which theirs begin. */
export async function makeTemplate(server: string): Promise<string> {
  const template = `playtest_${process.pid}_${Date.now()}`;
  await runOn(server, `create database ${template}`);
  const store = await openStore({ database: addressOf(server, template) });
  await store.close();
  return template;
}

/** Drops the template and all that were made from it. */
export async function dropAll(server: string, template: string): Promise<void> {
  const { rows } = await runOn(
    server,
    `select datname from pg_database where starts_with(datname, '${template}')`,
  );
  for (const { datname } of rows) await runOn(server, `drop database if exists ${datname} with (force)`);
}

/** Empties the tables that hold something: much faster than a new copy. */
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
 * The databases of one process of tests. They are numbered; whoever holds the lock of a number has that database alone,
 * and the lock ends with its process, so that the next finds what is free without being told.
 */
export class TestDatabases {
  readonly #server: string;
  readonly #template: string;
  readonly #admin: Promise<pg.Client>;
  readonly #held = new Set<number>();
  readonly #files = new Map<string, Promise<string>>();

  constructor(server: string, template: string) {
    this.#server = server;
    this.#template = template;
    this.#admin = connected(server);
  }

  /** An empty database's address. */
  async take(): Promise<string> {
    for (let number = 0; ; number += 1) {
      if (this.#held.has(number)) continue;
      this.#held.add(number);
      const { rows } = await this.#ask(
        `select pg_try_advisory_lock(hashtext('${this.#template}'), ${number})`,
      );
      if (rows[0].pg_try_advisory_lock) return await this.#empty(`${this.#template}_${number}`);
      this.#held.delete(number);
    }
  }

  /** Leaves a database to others. */
  async leave(address: string): Promise<void> {
    const number = Number(address.slice(address.lastIndexOf("_") + 1));
    await this.#ask(`select pg_advisory_unlock(hashtext('${this.#template}'), ${number})`);
    this.#held.delete(number);
  }

  /** The database that stands for a file: the same one again for the same name. */
  ofFile(file: string): Promise<string> {
    const known = this.#files.get(file) ?? this.take();
    this.#files.set(file, known);
    return known;
  }

  /** Lets a file's name stand for a database without any table. */
  makeBare(file: string): Promise<string> {
    return this.#make(file, "template0");
  }

  /** Lets a file's name stand for a copy of what another's stands for now. */
  async copy(from: string, to: string): Promise<void> {
    const source = new URL(await this.ofFile(from)).pathname.slice(1);
    await this.#end(source);
    await this.#make(to, source);
  }

  async #make(file: string, from: string): Promise<string> {
    const database = `${this.#template}_${process.pid}_${this.#files.size}`;
    const made = this.#ask(`create database ${database} template ${from} strategy file_copy`).then(() =>
      addressOf(this.#server, database),
    );
    this.#files.set(file, made);
    return await made;
  }

  async #empty(database: string): Promise<string> {
    const address = addressOf(this.#server, database);
    const { rowCount } = await this.#ask(`select from pg_database where datname = '${database}'`);
    if (rowCount === 0) {
      await this.#ask(`create database ${database} template ${this.#template} strategy file_copy`);
      return address;
    }
    await this.#end(database);
    await runOn(address, WIPE);
    return address;
  }

  /** Ends the connections that a process left when it died. */
  async #end(database: string): Promise<void> {
    await this.#ask(
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${database}'`,
    );
  }

  async #ask(statement: string): Promise<pg.QueryResult> {
    return await (await this.#admin).query(statement);
  }
}

async function connected(server: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  // It lasts as long as its process, and keeps that from nothing.
  (client as pg.Client & { unref(): void }).unref();
  return client;
}
