/** Databases for tests on Postgres: copies of a migrated template, which a test locks, uses and releases for the next test. */
import pg from "pg";
import { openStore } from "../../src/server/db/open.ts";
import {
  cloneDatabase,
  closeConnections,
  createDatabase,
  dropDatabase,
  readNodes,
  runOn,
  withDatabase,
} from "./nodes.ts";

export { runOn, withDatabase } from "./nodes.ts";

let owned = 0;

/** Creates a database without tables that no other test uses. `drop` also closes all connections to it. */
export async function ownDatabase(): Promise<{ address: string; drop(): Promise<unknown> }> {
  const nodes = readNodes();
  const name = `own_${process.pid}_${owned++}_${Date.now()}`;
  await createDatabase(nodes, name);
  return {
    address: withDatabase(nodes[0] ?? "", name),
    drop: () => dropDatabase(nodes, name),
  };
}

/** Creates the template of all test databases, and returns its name. The names of the copies begin with it. */
export async function makeTemplate(nodes: readonly string[]): Promise<string> {
  const template = `playtest_${process.pid}_${Date.now()}`;
  await createDatabase(nodes, template);
  const store = await openStore({ database: withDatabase(nodes[0] ?? "", template) });
  await store.close();
  return template;
}

/** Drops the template and all its copies. */
export async function dropAll(nodes: readonly string[], template: string): Promise<void> {
  const { rows } = await runOn(
    nodes[0] ?? "",
    `select datname from pg_database where starts_with(datname, '${template}')`,
  );
  for (const { datname } of rows) await dropDatabase(nodes, datname);
}

/** Empties the tables of a condition that have rows, which is much faster than a new copy. */
const wipe = (condition: string) => `do $$
  declare name text; filled boolean; found text[] := '{}';
  begin
    for name in select tablename from pg_tables where schemaname = 'public' and ${condition} loop
      execute format('select exists (select 1 from %I)', name) into filled;
      if filled then found := found || quote_ident(name); end if;
    end loop;
    if cardinality(found) > 0 then execute 'truncate ' || array_to_string(found, ', ') || ' cascade'; end if;
  end $$`;

const WIPE = wipe("tablename not like 'kysely%'");

/** The same on one node of a cluster: empties its shards, and the tables that are not distributed. */
const WIPE_NODE = `
  set citus.override_table_visibility = off;
  set citus.enable_manual_changes_to_shards = on;
  ${wipe(`tablename not like 'kysely%'
    and not exists (select 1 from pg_dist_partition where logicalrelid = tablename::regclass)`)}`;

/**
 * The databases of one test process. They are numbered, and a process locks the number of each database that it uses.
 * Postgres releases the locks when a process exits, so no other coordination between processes is required.
 */
export class TestDatabases {
  readonly #nodes: readonly string[];
  readonly #server: string;
  readonly #template: string;
  readonly #admin: Promise<pg.Client>;
  readonly #locked = new Set<number>();
  readonly #files = new Map<string, Promise<string>>();

  constructor(nodes: readonly string[], template: string) {
    this.#nodes = nodes;
    this.#server = nodes[0] ?? "";
    this.#template = template;
    this.#admin = connect(this.#server);
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
    return this.#make(file, (name) => createDatabase(this.#nodes, name));
  }

  /** Maps a file name to a copy of the current database of another file name. */
  async copy(from: string, to: string): Promise<void> {
    const source = new URL(await this.ofFile(from)).pathname.slice(1);
    await this.#make(to, (name) => cloneDatabase(this.#nodes, source, name));
  }

  async #make(file: string, create: (name: string) => Promise<void>): Promise<string> {
    const database = `${this.#template}_${process.pid}_${this.#files.size}`;
    const made = create(database).then(() => withDatabase(this.#server, database));
    this.#files.set(file, made);
    return await made;
  }

  async #empty(database: string): Promise<string> {
    const address = withDatabase(this.#server, database);
    const { rowCount } = await this.#query(`select from pg_database where datname = '${database}'`);
    if (rowCount === 0) {
      await cloneDatabase(this.#nodes, this.#template, database);
      return address;
    }
    await Promise.all(this.#nodes.map((node) => closeConnections(node, database)));
    const wipes = this.#nodes.length > 1 ? WIPE_NODE : WIPE;
    await Promise.all(this.#nodes.map((node) => runOn(withDatabase(node, database), wipes)));
    return address;
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
