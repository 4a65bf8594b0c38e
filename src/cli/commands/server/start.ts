/** server start: serves the whole API from the local database until it is stopped. */
import { once } from "node:events";
import { requireValidSlug } from "../../../server/games/games.ts";
import { listen, requireFreeAddress } from "../../../server/http/listen.ts";
import { defaultRateLimits } from "../../../server/http/rate-limits.ts";
import { defaultSessionLimits } from "../../../server/telemetry/session-limits.ts";
import { formatSize } from "../../../shared/sizes.ts";
import { DAY_MS } from "../../../shared/time-units.ts";
import { command, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import { type FlagValues, integer, list, size, text, toggle } from "../../flags.ts";
import { isLoopback } from "../../settings.ts";
import { requireReadable } from "../../telemetry-files/lines.ts";
import { backupFlags, toBackupSettings } from "./backup-flags.ts";
import { consoleFlags, toConsoleSettings } from "./console-flags.ts";
import { databasePath, issueKeysIfNeeded, serviceFlags, withLocal } from "./local.ts";
import type { Instrumentation } from "./observe.ts";
import { observeFlags, withObservers } from "./observe.ts";
import { pruningFlags, toPolicy } from "./pruning-flags.ts";
import { announceServer, chooseUrl } from "./ready.ts";
import { registerServer } from "./registry.ts";
import { populateDatabase } from "./seed.ts";

const DEFAULT_PORT = 4400;
/** The maximum of --drain-delay. */
const MAX_DRAIN_MS = 600_000;

/** The maximum of --key-limit and --telemetry-limit. */
const MAX_RATE_LIMIT = 1_000_000;

const flags = {
  ...serviceFlags,
  ...observeFlags,
  ...pruningFlags,
  ...backupFlags,
  port: integer("--port <n>", `port, or 0 for any free port (default: ${DEFAULT_PORT})`, 0, 65_535),
  host: text("--host <address>", "address to listen on (default: 127.0.0.1)"),
  allowRemote: toggle("--allow-remote", "allow connections from other machines"),
  keyLimit: integer(
    "--key-limit <n>",
    `requests per minute with one management key (default: ${defaultRateLimits.key.points})`,
    1,
    MAX_RATE_LIMIT,
  ),
  telemetryLimit: integer(
    "--telemetry-limit <n>",
    `telemetry requests per minute from one address (default: ${defaultRateLimits.ingest.points})`,
    1,
    MAX_RATE_LIMIT,
  ),
  maxSessionEvents: integer(
    "--max-session-events <n>",
    `events that one session may have (default: ${defaultSessionLimits.events})`,
    1,
  ),
  maxSessionSize: size(
    "--max-session-size <size>",
    `size of the events of one session before compression (default: ${formatSize(defaultSessionLimits.bytes).replace(" ", "")})`,
  ),
  maxDatabaseSize: size(
    "--max-database-size <size>",
    "refuse telemetry with status 507 while the database is larger, such as 20GB (default: no limit)",
  ),
  hostNames: list("--host-name <name>", "also accept requests for this host name (repeatable)"),
  trustProxy: toggle("--trust-proxy", "read client addresses from X-Forwarded-For"),
  allowIngest: toggle(
    "--allow-ingest",
    "let assistants at /mcp create sessions from chat threads; no other assistant tool writes data",
  ),
  ...consoleFlags,
  newKeys: toggle(
    "--new-keys",
    "create new keys; the current management key stops working, existing ingest keys remain valid",
  ),
  readyFile: text("--ready-file <file>", "when ready, write URL, database and new keys as JSON"),
  drainDelay: integer(
    "--drain-delay <ms>",
    "keep serving for this many milliseconds after shutdown is requested (default: 0)",
    0,
    MAX_DRAIN_MS,
    "a whole number of milliseconds",
  ),
} as const;

export const startCommand = command({
  path: "server start",
  summary: "Start a server on this machine",
  details:
    "Serves the API and the web console until you press Ctrl-C. With --demo, the database is temporary unless you set " +
    "--database. `playtest help server-flags` describes keys, limits, backups, sign-in and logs.",
  topic: {
    name: "server-flags",
    summary: "Keys, limits, backups, sign-in and logs of `server start`",
    text:
      "Keys for a new database are printed once and stored in the profile of --profile (default: `local`, with --demo: " +
      "`demo`), or in a profile named after the database if that has the keys of another database.\n\n" +
      "Assistants connect at /mcp with the management key. Use /healthz as the liveness check and /readyz as the " +
      "readiness check. Requests that have arrived are finished before the server stops.",
    flags: [
      ...[
        "durability",
        "now",
        "seed",
        "limits",
        "budgets",
        "logFormat",
        "logLevel",
        "keyLimit",
        "telemetryLimit",
        "maxDatabaseSize",
        "maxSessionEvents",
        "maxSessionSize",
        "trustProxy",
      ],
      ...["allowIngest", "trustIdentityHeader", "trustedProxies", "newKeys", "drainDelay"],
      ...["backupTo", "backupEvery", "keepDaily", "keepWeekly"],
    ],
  },
  flags,
  examples: ["server start", "server start --demo", "server start --port 0 --database :memory: --json"],
  finishesOnSignal: true,
  async run(context, { flags }) {
    const host = flags.host ?? "127.0.0.1";
    if (isRemote(host) && !flags.allowRemote) {
      throw fail("usage", {
        message: `--host ${host} would allow connections from other machines`,
        hint: "To allow this, add --allow-remote, and --host-name for the host name that clients use.",
      });
    }
    flags.games.forEach(requireValidSlug);
    requireDays("--keep-events", flags.keepEvents);
    requireDays("--keep-sessions", flags.keepSessions);
    await requireReadable(flags.seed, context.io);
    return await withObservers(context, flags, (observed, instrumentation) =>
      serve(observed, { ...flags, host }, instrumentation),
    );
  },
});

type StartFlags = FlagValues<typeof flags> & { readonly host: string };

async function serve(context: Context, flags: StartFlags, instrumentation: Instrumentation): Promise<Result> {
  const { io } = context;
  const database = flags.database ?? (flags.demo ? ":memory:" : undefined);
  const options = {
    ...flags,
    database,
    instrumentation,
    announcesDatabase: true,
    pruning: toPolicy(flags),
    backups: toBackupSettings(io, databasePath(io, database), flags),
    sessionLimits: {
      ...(flags.maxSessionEvents === undefined ? {} : { events: flags.maxSessionEvents }),
      ...(flags.maxSessionSize === undefined ? {} : { bytes: flags.maxSessionSize }),
    },
    console: toConsoleSettings(flags),
  };
  await withLocal(context, options, async (local) => {
    const address = { host: flags.host, port: flags.port ?? DEFAULT_PORT };
    await requireFreeAddress(address.host, address.port);
    // The demo takes seconds, during which nothing else would be shown.
    if (flags.demo)
      await context.notify("Preparing the demo games ember and tidepool, and analyzing their sessions.");
    // A damaged database refuses writes, and only reads go on.
    if (!local.service.integrity.isDamaged) await populateDatabase(context, local, flags);
    local.useWorkers();
    const listening = await listen(local.app, address);
    if (isRemote(flags.host)) await context.notify(remoteWarning(flags));
    const url = chooseUrl(listening.url, flags.hostNames);
    const unregister = await registerServer(io, {
      pid: io.pid,
      url,
      database: local.database,
      ...(databasePath(io, database) === local.database ? {} : { isRedacted: true }),
      startedAt: io.now(),
      ...toPolicy(flags),
    });
    try {
      // Only after listening: keys are shown once, and must not be lost because the port is in use.
      const newKeys = await issueKeysIfNeeded(context, local, flags.newKeys);
      const chosen = context.settings.profile;
      const profile = chosen.source === "--profile" ? chosen.value : flags.demo ? "demo" : "local";
      await announceServer(context, {
        local,
        newKeys,
        url,
        profile,
        hostNames: flags.hostNames,
        readyFile: flags.readyFile,
        console: toConsoleSettings(flags),
      });
      if (!io.signal.aborted) await once(io.signal, "abort");
      local.drain();
      // Load balancers need time to notice that /readyz now fails.
      if (flags.drainDelay) await io.sleep(flags.drainDelay);
    } finally {
      await unregister();
      local.endReads();
      await listening.close();
    }
  });
  await context.notify("Stopped.");
  return { data: undefined };
}

/** Throws `usage` for an age under a day, because a server removes data without asking, and `90m` is easily typed for 90d. */
function requireDays(flag: string, age: number | undefined): void {
  if (age === undefined || age >= DAY_MS) return;
  throw fail("usage", {
    message: `${flag} must be at least one day (1d)`,
    hint: "To remove newer data once, run `playtest server prune`.",
  });
}

const isRemote = (host: string) => !isLoopback(host) && host !== "::1";

function remoteWarning({ host, hostNames = [] }: StartFlags): string {
  const hostNameHint =
    " It only answers requests for localhost; add --host-name for the name that other machines use.";
  return (
    `Warning: this server listens on ${host}, where other machines can connect, and keys are sent unencrypted without a TLS proxy.` +
    (hostNames.length > 0 ? "" : hostNameHint)
  );
}
