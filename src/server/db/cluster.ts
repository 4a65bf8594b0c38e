/** Watches the workers of a sharded database, so that searches over all games can leave out those of a node that is down. */
import { type Kysely, sql } from "kysely";
import { ServiceError } from "../core/errors.ts";
import { liftTimeouts } from "./connection-check.ts";
import type { Schema } from "./schema.ts";
import type { Cluster } from "./sharding.ts";
import { distributionColumns } from "./tables/define.ts";
import { getTable, type StoredTable, storedTables } from "./tables.ts";

/** Time between two checks, ms. A failed query starts one at once. */
const CHECK_INTERVAL_MS = 5000;

export class CitusCluster implements Cluster {
  reachableGames: ReadonlySet<string> | null = null;
  #db: Kysely<Schema> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> | null = null;

  /** Checks the workers now and regularly, until `stop`. */
  async start(db: Kysely<Schema>): Promise<void> {
    this.#db = db;
    await this.check();
    this.#timer = setInterval(() => void this.check(), CHECK_INTERVAL_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#checking;
    this.#db = null;
  }

  /** Finds out which games are reachable. Keeps the last result if the coordinator does not respond. */
  async check(): Promise<void> {
    const db = this.#db;
    if (!db) return;
    this.#checking ??= findReachableGames(db)
      .then((games) => {
        this.reachableGames = games;
      })
      .catch(() => {})
      .finally(() => {
        this.#checking = null;
      });
    await this.#checking;
  }
}

async function findReachableGames(db: Kysely<Schema>): Promise<Set<string> | null> {
  const { rows: workers } = await sql<{ groupid: number; responds: boolean }>`
    select groupid, citus_check_connection_to_node(nodename, nodeport) as responds
    from pg_dist_node where groupid <> 0 and noderole = 'primary' and isactive
  `.execute(db);
  const down = workers.filter(({ responds }) => !responds).map(({ groupid }) => groupid);
  if (down.length === 0) return null;
  const { rows: games } = await sql<{ id: string }>`
    select g.id from games g
      join pg_dist_shard s on s.logicalrelid = ${distributionLeaders.game}::regclass
        and worker_hash(g.id) between s.shardminvalue::int and s.shardmaxvalue::int
      join pg_dist_placement p on p.shardid = s.shardid
    where p.groupid <> all(${down}::int[])
  `.execute(db);
  return new Set(games.map(({ id }) => id));
}

/** The key of the advisory lock: any number that no other code uses. */
const LOCK_KEY = 0xd157;

/** The first table of each kind to be distributed. The shards of the others are kept with its shards. */
const distributionLeaders = { game: "sessions", account: "embeddings" } as const;

/** The leaders first. */
const allTables = new Set<StoredTable>([...Object.values(distributionLeaders), ...storedTables]);

/**
 * Distributes the tables that are not distributed yet, in one transaction. Other servers that start meanwhile wait for it.
 */
export async function distributeTables(db: Kysely<Schema>): Promise<void> {
  if ((await findUndistributed(db)).length === 0) return;
  await db.transaction().execute(async (transaction) => {
    await liftTimeouts(transaction);
    await sql`select pg_advisory_xact_lock(${LOCK_KEY})`.execute(transaction);
    for (const name of await findUndistributed(transaction)) await distribute(transaction, name);
  });
}

/** Whether a Postgres database has the extension Citus. */
export async function hasCitus(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_extension where extname = 'citus'`.execute(db);
  return rows.length > 0;
}

/** Throws `unusable` unless the database is that of the coordinator, and the coordinator is one of the nodes that keep copied tables. */
export async function requireCoordinator(db: Kysely<Schema>, location: string): Promise<void> {
  const { rows } = await sql<{ own: number; nodes: number; coordinators: number }>`
    select (select groupid from pg_dist_local_group) as own, count(*) as nodes,
      count(*) filter (where groupid = 0) as coordinators
    from pg_dist_node
  `.execute(db);
  const [{ own, nodes, coordinators } = { own: 0, nodes: 0, coordinators: 0 }] = rows;
  if (Number(own) !== 0)
    throw new ServiceError("unusable", {
      message: `The database ${location} is on a worker of a Citus cluster`,
      hint: "Specify the database of the coordinator with --database.",
    });
  if (Number(nodes) > 0 && Number(coordinators) === 0)
    throw new ServiceError("unusable", {
      message: `The Citus cluster of the database ${location} does not know the address of its coordinator`,
      hint: "Run `select citus_set_coordinator_host('<host>', <port>)` in that database.",
    });
}

/** The tables that should be distributed but are not, in the order in which they must be. */
async function findUndistributed(db: Kysely<Schema>): Promise<StoredTable[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
    where c.relnamespace = current_schema()::regnamespace and p.partmethod in ('h', 'n')
  `.execute(db);
  const distributed = new Set(rows.map(({ name }) => name));
  return [...allTables].filter((name) => isDistributed(name) && !distributed.has(name));
}

/** Whether a sharded database has the rows of a table on other nodes than the coordinator. */
export const isDistributed = (name: StoredTable): boolean => getTable(name).place !== "coordinator";

async function distribute(db: Kysely<Schema>, name: StoredTable): Promise<void> {
  const { place } = getTable(name);
  if (place === "game" || place === "account") {
    const leader = distributionLeaders[place];
    const column = distributionColumns[place];
    const colocation = leader === name ? "none" : leader;
    await sql`select create_distributed_table(${name}, ${column}, colocate_with => ${colocation})`.execute(
      db,
    );
  } else await sql`select create_reference_table(${name})`.execute(db);
  // The rows have been copied to the shards. What is left in the table itself is never read, deleted or erased.
  await sql`select truncate_local_data_after_distributing_table(${name})`.execute(db);
}
