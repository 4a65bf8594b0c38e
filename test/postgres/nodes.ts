/** The nodes of the Postgres server or Citus cluster under test. */
import pg from "pg";

/** The URLs of the nodes: of a plain server, or of the coordinator and the workers of a cluster. */
export function readNodes(): string[] {
  return (process.env.PLAYTEST_TEST_POSTGRES ?? "").split(",");
}

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

/** Creates a database without tables on every node. On a cluster, its nodes are connected. */
export async function createDatabase(nodes: readonly string[], name: string): Promise<void> {
  await createBare(nodes, name);
  if (nodes.length > 1) await uniteNodes(nodes, name);
}

/** Creates a database without tables and extensions on every node. */
export async function createBare(nodes: readonly string[], name: string): Promise<void> {
  await Promise.all(nodes.map((node) => runOn(node, `create database ${name} template template0`)));
}

/** Makes a cluster of the databases with a name. */
export async function uniteNodes(
  nodes: readonly string[],
  name: string,
  { namesCoordinator = true } = {},
): Promise<void> {
  const [coordinator = "", ...workers] = nodes.map((node) => withDatabase(node, name));
  await Promise.all(
    [coordinator, ...workers].map((address) => runOn(address, "create extension if not exists citus")),
  );
  await runOn(coordinator, `alter database ${name} set citus.shard_count = ${SHARDS}`);
  // Each connection copies the roles of the server, and concurrent copies fail.
  const lock = new pg.Client({ connectionString: nodes[0] ?? "" });
  await lock.connect();
  try {
    await lock.query("select pg_advisory_lock(hashtext('unite nodes'))");
    if (namesCoordinator)
      await runOn(coordinator, `select citus_set_coordinator_host(${toArguments(coordinator)})`);
    for (const worker of workers) await runOn(coordinator, `select citus_add_node(${toArguments(worker)})`);
  } finally {
    await lock.end();
  }
}

/** Enough for several shards on each of two workers. Every shard of every table takes time to create. */
const SHARDS = 4;

function toArguments(address: string): string {
  const { hostname, port } = new URL(address);
  return `'${hostname}', ${port || 5432}`;
}

/** Copies a database on every node. Both names must be those of databases of this cluster. */
export async function cloneDatabase(nodes: readonly string[], from: string, to: string): Promise<void> {
  await Promise.all(
    nodes.map(async (node) => {
      for (let attempt = 1; ; attempt += 1) {
        await closeConnections(node, from);
        try {
          return await runOn(node, `create database ${to} template ${from} strategy file_copy`);
        } catch (error) {
          // On a cluster, background processes connect again.
          if (attempt === MAX_ATTEMPTS || (error as { code?: string }).code !== IN_USE) throw error;
        }
      }
    }),
  );
}

const MAX_ATTEMPTS = 10;
/** The code of `object_in_use`. */
const IN_USE = "55006";

/** Closes the connections to a database on one node, for example those of killed processes. */
export async function closeConnections(node: string, database: string): Promise<void> {
  await runOn(
    node,
    `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${database}'`,
  );
}

export async function dropDatabase(nodes: readonly string[], name: string): Promise<void> {
  await Promise.all(nodes.map((node) => runOn(node, `drop database if exists ${name} with (force)`)));
}
