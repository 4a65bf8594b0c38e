/** A service with the demo studio, and shells that run the commands of a page against it. */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { splitWords } from "../cli/split-words.ts";
import { runCli } from "../harness.ts";
import { shareFolder } from "../shared-folder.ts";

/** The clock of the service. The days in the demo data depend on it. */
const NOW = "2026-11-22T10:40:00Z";

const program = join(import.meta.dirname, "..", "..", "bin", "playtest.js");

export interface CommandResult {
  exitCode: number;
  /** Standard output and standard error, as a terminal shows them. */
  output: string;
}

/** A shell in a home folder with its own settings. */
export interface DocsShell {
  /** The folder in which commands run. */
  folder: string;
  run(script: string): Promise<CommandResult>;
  /** Runs a command line of this program in this process, which does not start another one. */
  runHere(line: string): Promise<CommandResult>;
}

/** A home folder, the folder in it in which commands run, and their environment. */
interface Home {
  readonly home: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface DocsService {
  /** Opens a shell whose profile has the keys of this service, and whose local database is that of the service. */
  openShell(variables?: Record<string, string>): DocsShell;
  /** Sends JSON with the ingest key and returns the status. */
  post(path: string, body: string): Promise<number>;
  stop(): Promise<void>;
}

/** What the ready file of a server contains. A server with a new database adds its keys. */
interface Ready {
  readonly url: string;
  readonly ingestKey?: string;
}

const FLAGS = ["--now", NOW, "--port", "0", "--limits", "off", "--durability", "normal"];

/** Fills a home folder with the demo studio and the keys of its service. */
async function fillHome(home: string): Promise<void> {
  const { server } = await startServer(equipHome(home), ["--demo"]);
  server.kill();
  await server;
}

async function startServer({ home, folder, env }: Home, flags: readonly string[]) {
  const readyFile = readyFileIn(home);
  const argv = ["server", "start", "--database", databaseIn(home), "--ready-file", readyFile];
  const options = { cwd: folder, env, extendEnv: false, reject: false } as const;
  const server = execa("playtest", [...argv, ...FLAGS, ...flags], options);
  return { server, ready: await readWhenReady(readyFile, server) };
}

const readyFileIn = (home: string) => join(home, "ready.json");
const databaseIn = (home: string) => join(home, ".local", "state", "playtest", "playtest.db");

export async function startDocsService(): Promise<DocsService> {
  const demoHome = await shareFolder("demo-home", fillHome);
  const { ingestKey } = JSON.parse(readFileSync(readyFileIn(demoHome), "utf8")) as Ready;
  const own = createHome();
  const { home } = own;
  for (const name of [".config", ".local"])
    cpSync(join(demoHome, name), join(home, name), { recursive: true });
  const { server, ready } = await startServer(own, []);
  const { url } = ready;

  return {
    openShell: (variables = {}) => openShell(home, variables),
    async post(path, body) {
      const headers = { authorization: `Bearer ${ingestKey}`, "content-type": "application/json" };
      return (await fetch(new URL(path, url), { method: "POST", headers, body })).status;
    },
    async stop() {
      server.kill();
      await server;
    },
  };
}

function openShell(serviceHome: string, variables: Record<string, string>): DocsShell {
  const { home, folder, env: base } = createHome();
  const env = { ...base, ...variables };
  cpSync(join(serviceHome, ".config"), join(home, ".config"), { recursive: true });
  symlinkSync(join(serviceHome, ".local"), join(home, ".local"));
  return {
    folder,
    async run(script) {
      const options = { cwd: folder, env, extendEnv: false, reject: false, stdin: "ignore" } as const;
      // Both streams share a pipe, so that the order is the same as in a terminal.
      const { exitCode = 1, stdout } = await execa("sh", ["-ec", `exec 2>&1\n${script}`], options);
      return { exitCode, output: stdout };
    },
    async runHere(line) {
      const [, ...argv] = splitWords(line);
      const own = argv[0] === "export" ? [...argv, "--unpaced"] : argv;
      const { code, out, err } = await runCli(own, {
        home,
        cwd: folder,
        env,
        configDir: join(home, ".config", "playtest"),
        stateDir: join(home, ".local", "state", "playtest"),
        clock: { now: Date.now() },
      });
      return { exitCode: code, output: out + err };
    },
  };
}

const createHome = (): Home => equipHome(mkdtempSync(join(tmpdir(), "playtest-docs-")));

/** Prepares a home folder, and an environment in which `playtest` is the built program. */
function equipHome(home: string): Home {
  const folder = join(home, "work");
  const bin = join(home, "bin");
  for (const path of [folder, bin]) mkdirSync(path);
  // The service has no rate limits, so exports need not wait between requests.
  writeFileSync(
    join(bin, "playtest"),
    `#!/bin/sh\n[ "$1" = export ] && set -- "$@" --unpaced\nexec "${process.execPath}" "${program}" "$@"\n`,
  );
  chmodSync(join(bin, "playtest"), 0o755);
  const PATH = `${bin}:${process.env.PATH}`;
  return { home, folder, env: { PATH, HOME: home, TMPDIR: tmpdir(), LANG: "C.UTF-8", TZ: "UTC" } };
}

/** Waits for the ready file of a server. Fails with the server's output if it exits before. */
async function readWhenReady(file: string, server: PromiseLike<{ stderr: string }>): Promise<Ready> {
  let failure: string | undefined;
  void server.then(({ stderr }) => {
    failure = stderr;
  });
  for (;;) {
    try {
      return JSON.parse(readFileSync(file, "utf8")) as Ready;
    } catch {
      if (failure !== undefined) throw new Error(`The service did not start: ${failure}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
