/** The service behind PgBouncer: modes it refuses, and restarts of the pooler and of Postgres under load in transaction mode. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { openStore } from "../../src/server/db/open.ts";
import { decodeIds } from "../../src/server/telemetry/batch-codec.ts";
import { freePort } from "../client/sockets.ts";
import { startTestService } from "../harness.ts";
import { createBare, runOn, withDatabase } from "../postgres/nodes.ts";
import { type OwnPostgres, startOwnPostgres } from "../postgres/server.ts";
import { requireProgram } from "../require-program.ts";

const BODIES = 120;
const EVENTS = 10;
const SERVED = { statementTimeoutMs: 30_000 };
const TIMEOUTS = ["statement_timeout = '30s'", "idle_in_transaction_session_timeout = '60s'"];

type PoolMode = "session" | "transaction" | "statement";

/** In session mode, each of the 10 connections of a server needs one to Postgres. */
const POOL_SIZES: Readonly<Record<PoolMode, number>> = { session: 10, transaction: 4, statement: 4 };

interface Pooler {
  readonly url: string;
  start(): Promise<void>;
  stop(signal: NodeJS.Signals): Promise<void>;
}

let postgres: OwnPostgres;
let pooler: Pooler | undefined;

beforeAll(async () => {
  await requireProgram("pgbouncer", "pgbouncer");
  postgres = await startOwnPostgres();
});
afterEach(async () => {
  await pooler?.stop("SIGKILL");
});
afterAll(async () => {
  await postgres?.stop();
});

/** Starts PgBouncer with a few connections to each database. */
async function startPooler(mode: PoolMode, ...settings: string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "playtest-pgbouncer-"));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const { hostname, port: serverPort } = new URL(postgres.url);
  const config = join(folder, "pgbouncer.ini");
  const lines = [
    ...["[databases]", `* = host=${hostname} port=${serverPort} user=postgres`],
    ...["[pgbouncer]", "listen_addr = 127.0.0.1", `listen_port = ${port}`, "unix_socket_dir ="],
    ...[
      "auth_type = any",
      "auth_file =",
      `pool_mode = ${mode}`,
      `default_pool_size = ${POOL_SIZES[mode]}`,
      "server_login_retry = 1",
    ],
    ...settings,
  ];
  writeFileSync(config, lines.join("\n"));
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const user = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  let running: ChildProcess | undefined;
  pooler = {
    url,
    async start() {
      running = spawn("pgbouncer", [...user, config], { stdio: "ignore" });
      await vi.waitFor(() => runOn(url, "select 1"), { timeout: 120_000 });
    },
    async stop(signal) {
      if (!running || running.exitCode !== null || running.signalCode !== null) return;
      const ended = once(running, "exit");
      running.kill(signal);
      await ended;
    },
  };
  await pooler.start();
}

const open = (database = "postgres") =>
  openStore({ database: withDatabase(pooler?.url ?? "", database), ...SERVED });

describe("refuses", () => {
  test("PgBouncer without `ignore_startup_parameters`", async () => {
    await startPooler("transaction");
    await expect(open()).rejects.toMatchObject({
      message: expect.stringContaining("unsupported startup parameter"),
      hint: expect.stringContaining("ignore_startup_parameters = options"),
    });
  });

  test("a role without timeouts", async () => {
    await startPooler("transaction", "ignore_startup_parameters = options");
    await expect(open()).rejects.toThrow("statement_timeout is 0");
  });

  test("statement mode", async () => {
    await startPooler("statement", "ignore_startup_parameters = options");
    await expect(open()).rejects.toMatchObject({ hint: expect.stringContaining("pool_mode = transaction") });
  });
});

describe.each(["transaction", "session"] as const)("%s mode", (mode) => {
  test("neither loses nor duplicates events when PgBouncer and Postgres restart", async () => {
    for (const timeout of TIMEOUTS) await runOn(postgres.url, `alter role postgres set ${timeout}`);
    await createBare([postgres.url], mode);
    await startPooler(mode, "ignore_startup_parameters = options");
    const store = await open(mode);
    const service = await startTestService({ store });
    await service.addGame("maze");
    let acknowledged = 0;
    const post = async (n: number) => {
      const events = Array.from({ length: EVENTS }, (_, at) => ({
        id: `e${n * EVENTS + at}`,
        name: "step",
        timestamp: 1_772_000_000_000 + n,
      }));
      for (;;) {
        const body = { gameId: "maze", clientSessionId: `s${n % 6}`, events };
        const { status } = await service.post("/api/telemetry", body);
        if (status === 202) break;
        expect(status, String(service.faults.at(-1))).toBe(503);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      acknowledged += 1;
    };
    let next = 0;
    const lanes = Array.from({ length: 6 }, async () => {
      for (let n = next++; n < BODIES; n = next++) await post(n);
    });
    const reach = (part: number) =>
      vi.waitUntil(() => acknowledged > BODIES * part, { timeout: 240_000, interval: 1 });
    await reach(0.2);
    await pooler?.stop("SIGKILL");
    await pooler?.start();
    await reach(0.5);
    await postgres.kill();
    await postgres.start();
    await Promise.all(lanes);
    const batches = await store.readDb.selectFrom("event_batches").selectAll().execute();
    const ids = batches.flatMap((batch) => decodeIds(batch));
    expect([ids.length, new Set(ids).size]).toEqual([BODIES * EVENTS, BODIES * EVENTS]);
    await service.stop();
  });
});
