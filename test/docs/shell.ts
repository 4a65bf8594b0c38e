/** A home folder, a service with the demo studio, and a shell that runs the commands of a page in them. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";

const program = join(import.meta.dirname, "..", "..", "bin", "playtest.js");

export interface CommandResult {
  exitCode: number;
  /** Standard output and standard error, as a terminal shows them. */
  output: string;
}

export interface DocsShell {
  folder: string;
  run(script: string): Promise<CommandResult>;
  /** Sends JSON with the ingest key and returns the status. */
  post(path: string, body: string): Promise<number>;
  stop(): Promise<void>;
}

/** Starts a shell for one page. Its service and `playtest admin` use the same database. */
export async function startDocsShell(): Promise<DocsShell> {
  const home = mkdtempSync(join(tmpdir(), "playtest-docs-"));
  const folder = join(home, "work");
  const bin = join(home, "bin");
  const database = join(home, ".local", "state", "playtest", "playtest.db");
  for (const path of [folder, bin]) mkdirSync(path);
  // The service has no rate limits, so exports need not wait between requests.
  writeFileSync(
    join(bin, "playtest"),
    `#!/bin/sh\n[ "$1" = export ] && set -- "$@" --unpaced\nexec "${process.execPath}" "${program}" "$@"\n`,
  );
  chmodSync(join(bin, "playtest"), 0o755);

  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: home,
    TMPDIR: tmpdir(),
    LANG: "C.UTF-8",
    TZ: "UTC",
  };
  const readyFile = join(home, "ready.json");
  const flags = ["--port", "0", "--limits", "off", "--durability", "normal", "--ready-file", readyFile];
  const server = execa(
    join(bin, "playtest"),
    ["server", "start", "--demo", "--database", database, ...flags],
    {
      cwd: folder,
      env,
      extendEnv: false,
      reject: false,
    },
  );
  const { url, ingestKey } = await readWhenReady(readyFile, server);

  return {
    folder,
    async run(script) {
      const options = {
        cwd: folder,
        env,
        extendEnv: false,
        reject: false,
        all: true,
        stdin: "ignore",
      } as const;
      const { exitCode = 1, all } = await execa("sh", ["-ec", script], options);
      return { exitCode, output: all };
    },
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

/** Waits for the ready file of a server. Fails with the server's output if it exits before. */
async function readWhenReady(
  file: string,
  server: PromiseLike<{ stderr: string }>,
): Promise<{ url: string; ingestKey: string }> {
  let failure: string | undefined;
  void server.then(({ stderr }) => {
    failure = stderr;
  });
  for (;;) {
    try {
      return JSON.parse(readFileSync(file, "utf8")) as { url: string; ingestKey: string };
    } catch {
      if (failure !== undefined) throw new Error(`The service did not start: ${failure}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
