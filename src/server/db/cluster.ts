/** Watches the workers of a sharded database, so that searches over all games can leave out those of a node that is down. */
import { type Kysely, sql } from "kysely";
import { distributionLeaders } from "./distribute.ts";
import type { Schema } from "./schema.ts";
import type { Cluster } from "./sharding.ts";

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
