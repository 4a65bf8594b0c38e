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
  port: integer("--port <n>", `port, or 0 for any free port (default: ${DEFAULT_PORT})`, 0, 65_535),
  host: text("--host <address>", "address to listen on (default: 127.0.0.1)"),
  allowRemote: toggle("--allow-remote", "allow connections from other machines"),
  hostNames: list("--host-name <name>", "also accept requests for this host name (repeatable)"),
  trustProxy: toggle("--trust-proxy", "read client addresses from X-Forwarded-For"),
  allowIngest: toggle("--allow-ingest", "enable the one tool that writes data for assistants at /mcp"),
  newKeys: toggle("--new-keys", "create new keys; the current management key stops working"),
  readyFile: text("--ready-file <file>", "write the server's address to this file when it is ready"),
  drainDelay: integer(
    "--drain-delay <ms>",
    "keep serving this long after shutdown is requested",
    0,
    MAX_DRAIN_MS,
  ),
} as const;

export const startCommand = command({
  path: "server start",
  summary: "Start a server on this machine",
  details:
    "Serves the API until you press Ctrl-C. Acknowledged requests are finished before the server stops. Keys " +
    "for a new database are printed once and stored in the profile `local`. With --demo, the profile is " +
    "`demo` and the database is in memory unless you set --database. Assistants connect at /mcp with the " +
    "management key. Use /healthz as the liveness check and /readyz as the readiness check.",
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
