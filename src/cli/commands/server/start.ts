/** server start: serves the whole API from the local database until it is told to stop. */

import { listen } from "../../../server/http/listen.ts";
import { command, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { type FlagValues, integer, list, text, toggle } from "../../flags.ts";
import { isLoopback } from "../../settings.ts";
import type { Instrumentation } from "./instrumentation.ts";
import { issueKeysIfNeeded, openLocal, serviceFlags } from "./local.ts";
import { observeFlags, withObservers } from "./observe.ts";
import { populateDatabase } from "./populate.ts";
import { announceServer } from "./ready.ts";
import { registerServer } from "./registry.ts";

const DEFAULT_PORT = 4400;
/** The longest that a stop may be put off, ms. */
const MAX_DRAIN_MS = 600_000;

const flags = {
  ...serviceFlags,
  ...observeFlags,
  port: integer("--port <n>", `port, default ${DEFAULT_PORT}; 0 for any that is free`, 0, 65_535),
  host: text("--host <address>", "address to listen on, default 127.0.0.1"),
  allowRemote: toggle("--allow-remote", "listen beyond this machine"),
  hostNames: list("--host-name <name>", "answer requests for this host too; may be repeated"),
  trustProxy: toggle("--trust-proxy", "take client addresses from X-Forwarded-For"),
  allowIngest: toggle("--allow-ingest", "offer assistants at /mcp the one tool that writes"),
  newKeys: toggle("--new-keys", "make new keys; the management key in use stops working"),
  readyFile: text("--ready-file <file>", "write where it listens to this file once it does"),
  drainDelay: integer("--drain-delay <ms>", "serve on so long after a stop is asked for", 0, MAX_DRAIN_MS),
} as const;

export const startCommand = command({
  path: "server start",
  summary: "Serve the API on this machine until stopped",
  details:
    "Keys made for a new database are printed once and kept in the profile `local` (`demo` with --demo, whose " +
    "database is in memory unless --database names a file). Assistants connect at /mcp with the management key. " +
    "/healthz and /readyz tell whether it lives and is ready. Ctrl-C finishes what was acknowledged and stops.",
  args: [],
  flags,
  examples: ["server start", "server start --demo", "server start --port 0 --database :memory: --json"],
  async run(context, { flags }) {
    const host = flags.host ?? "127.0.0.1";
    if (isRemote(host) && !flags.allowRemote) {
      throw fail("usage", {
        message: `--host ${host} would open the service beyond this machine`,
        hint: "Add --allow-remote if that is meant, and --host-name for the name it is called by.",
      });
    }
    return await withObservers(context, flags, (own, watching) => serve(own, { ...flags, host }, watching));
  },
});

type StartFlags = FlagValues<typeof flags> & { readonly host: string };

async function serve(context: Context, flags: StartFlags, watching: Instrumentation): Promise<Result> {
  const { io } = context;
  const database = flags.database ?? (flags.demo ? ":memory:" : undefined);
  const local = await openLocal(context, { ...flags, database, instrumentation: watching });
  try {
    await populateDatabase(context, local, flags);
    const listening = await listen(local.app, { host: flags.host, port: flags.port ?? DEFAULT_PORT });
    if (isRemote(flags.host)) await context.notify(remoteWarning(flags));
    const { pid } = io;
    const forget = await registerServer(io, {
      pid,
      url: listening.url,
      database: local.database,
      startedAt: io.now(),
    });
    try {
      // Only now, for a port that is taken must not cost the one sight of the keys.
      const newKeys = await issueKeysIfNeeded(local, flags.newKeys);
      const profile = flags.demo ? "demo" : "local";
      await announceServer(context, {
        local,
        newKeys,
        url: listening.url,
        profile,
        readyFile: flags.readyFile,
      });
      await waitForAbort(io.signal);
      local.drain();
      // Who hands out the requests needs a while to see that this server is no longer ready.
      if (flags.drainDelay) await io.sleep(flags.drainDelay);
    } finally {
      await forget();
      await listening.close();
    }
  } finally {
    await local.stop();
  }
  await context.notify("Stopped.");
  return { data: undefined };
}

const isRemote = (host: string) => !isLoopback(host) && host !== "::1";

function remoteWarning({ host, hostNames = [] }: StartFlags): string {
  const unnamed = " Requests for other names than this machine's own are refused: add --host-name.";
  return (
    `warning: ${host} is open beyond this machine, and keys travel unencrypted unless a proxy with TLS is in front.` +
    (hostNames.length > 0 ? "" : unnamed)
  );
}

async function waitForAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    // The listener alone does not keep the process alive; the listening server does.
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
