/** What a running server has used: processor time of its processes, and bytes of its database. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { openConnection } from "../../src/server/db/sqlite.ts";
import { type OwnPostgres, startOwnPostgres } from "../../test/postgres/server.ts";
import type { BenchServer } from "../servers.ts";

/** What is measured. Times are processor time in ms. */
export const resources = ["server", "database", "bytes"] as const;
export type Resource = (typeof resources)[number];
export type Usage = Readonly<Record<Resource, number>>;

/** A database, and the processes that run it. */
export interface MeasuredDatabase {
  readonly address: string;
  /** Processor time of its own processes, ms. */
  readCpuMs(): number;
  readBytes(): Promise<number>;
  stop(): Promise<void>;
}

/** A new SQLite file, which needs no other process. */
export function useSqlite(folder: string): MeasuredDatabase {
  const file = join(folder, "capacity.db");
  return {
    address: file,
    readCpuMs: () => 0,
    async readBytes() {
      const connection = await openConnection(file, { durability: "NORMAL" });
      connection.exec("pragma wal_checkpoint(truncate)");
      const read = (name: string) =>
        Object.values(connection.prepare(`pragma ${name}`).get() ?? {}).map(Number)[0] ?? 0;
      // The file also has pages that are free for now, because positions were moved into blocks.
      const bytes = (read("page_count") - read("freelist_count")) * read("page_size");
      connection.close();
      return bytes;
    },
    stop: async () => {},
  };
}

/** A new Postgres server with default settings. */
export async function usePostgres(): Promise<MeasuredDatabase> {
  const server = await startOwnPostgres();
  return {
    address: server.url,
    readCpuMs: () => readPostgresMs(server),
    async readBytes() {
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      // Rows that were moved leave space that later rows take, at times that depend on the load.
      await client.query("vacuum full");
      const { rows } = await client.query("select pg_database_size(current_database())::float8 as bytes");
      await client.end();
      return rows[0].bytes;
    },
    stop: () => server.stop(),
  };
}

/** The length of a clock tick of Linux in `/proc`, ms. */
const TICK_MS = 10;

function readPostgresMs({ data }: OwnPostgres): number {
  const [server = ""] = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n");
  return readProcessTreeMs(server);
}

/** Processor time of a process and all that it has started, including those that have ended. Linux only. */
function readProcessTreeMs(server: string): number {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const ticks = processes.flatMap((pid) => {
    const fields = readStat(pid);
    const [, parent, ...others] = fields;
    if (pid !== server && parent !== server) return [];
    // utime, stime, cutime and cstime (proc_pid_stat(5)).
    return others.slice(9, 13).map(Number);
  });
  return TICK_MS * ticks.reduce((sum, value) => sum + value, 0);
}

/** The fields of a process after its name; none if it has ended. */
function readStat(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

interface Metrics {
  readonly cpuMs: number;
  readonly due: number;
}

/** Reads what a server has used, with its workers on Linux, and how many sessions wait. */
async function readMetrics({ url, pid }: BenchServer): Promise<Metrics> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
  const cpuMs =
    process.platform === "linux" ? readProcessTreeMs(String(pid)) : read("process_cpu_seconds_total") * 1000;
  return { cpuMs, due: read("playtest_sessions_due") };
}

/** Processor time of the server so far, ms. */
export const readServerCpuMs = async (server: BenchServer): Promise<number> =>
  (await readMetrics(server)).cpuMs;

/** Longer than the time between two compactions of positions, ms. */
const SETTLING_MS = 11_000;

/** A server that uses less processor time than this in a second has nothing to do, ms. */
const IDLE_MS = 40;

/** What was used so far, after all analyses and compactions. */
export async function readUsage(server: BenchServer, database: MeasuredDatabase): Promise<Usage> {
  await sleep(SETTLING_MS);
  let before = await readMetrics(server);
  for (;;) {
    await sleep(1000);
    const now = await readMetrics(server);
    if (now.due === 0 && now.cpuMs - before.cpuMs < IDLE_MS) break;
    before = now;
  }
  const cpuMs = { server: await readServerCpuMs(server), database: database.readCpuMs() };
  return { ...cpuMs, bytes: await database.readBytes() };
}

export function subtract(after: Usage, before: Usage): Usage {
  return {
    server: after.server - before.server,
    database: after.database - before.database,
    bytes: after.bytes - before.bytes,
  };
}
