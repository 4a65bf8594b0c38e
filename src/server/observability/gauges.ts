/** What a scrape measures. Every query is bounded, so that it stays cheap when a queue or table is long. */
import type { StatsFs } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { Gauge, type Registry } from "prom-client";
import { commit } from "../../shared/commit.prepared.ts";
import { version } from "../../shared/version.prepared.ts";
import { findNextExpiry } from "../accounts/account-queries.ts";
import { countReanalyses } from "../analysis/queue-queries.ts";
import type { BackupStatus } from "../backups/schedule.ts";
import { countOutdatedSummaries } from "../builds/summary-queries.ts";
import { withTimeout } from "../core/with-timeout.ts";
import type { Service } from "../db/service.ts";
import type { StorageLimit } from "../db/storage-limit.ts";
import { countOutbox, findOldestWaiting } from "../notifications/notification-queries.ts";
import { readPruningState } from "../pruning/state-queries.ts";
import {
  countDueSessions,
  countOutdatedPruned,
  findOldestDue,
  findOldestUnanalyzed,
  MAX_COUNTED,
} from "./health-queries.ts";

/** How long a scrape waits for the database or a disk, ms. The default scrape timeout of Prometheus is 10 seconds. */
const TIMEOUT_MS = 2000;

/** What a scrape reads. */
export type MeasuredService = Service & {
  readonly storage: StorageLimit;
  readonly backups: { readonly status: BackupStatus };
};

type Reading = number | Readonly<Record<string, number>>;

interface GaugeSource {
  readonly help: string;
  /** The name of the label that its readings have, and the values that become NaN if a reading fails. */
  readonly label?: readonly [name: string, ...values: string[]];
  /** A rejected reading becomes NaN, so that the other metrics are still available. */
  read(service: MeasuredService): Reading | Promise<Reading>;
}

const toSeconds = (ms: number | null | undefined) => (ms ?? 0) / 1000;
/** Seconds since a time; 0 without one, or if it lies ahead. */
const toAge = (now: number, at: number | null) => (at === null ? 0 : Math.max(0, toSeconds(now - at)));

const COUNTED = "(counted up to 10,000; NaN if the database does not respond)";
const ANSWERED = "(NaN if the database does not respond)";

/** The gauges by name, without the prefix. */
const sources: Readonly<Record<string, GaugeSource>> = {
  // First, before the queries of the others take connections.
  database_connections: {
    help: "Connections to Postgres by state (used or idle), and what waits for one (waiting). 0 on SQLite",
    label: ["state"],
    read({ store: { pool } }) {
      const { totalCount = 0, idleCount = 0, waitingCount = 0 } = pool ?? {};
      return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
    },
  },
  webhook_outbox: {
    help: `Events waiting to be sent to webhooks ${COUNTED}`,
    read: ({ store }) => countOutbox(store.readDb, MAX_COUNTED),
  },
  database_bytes: {
    help: `Size of the database, in bytes ${ANSWERED}`,
    read: ({ storage }) => storage.measure(),
  },
  database_max_bytes: {
    help: "Size from which telemetry is refused with status 507, in bytes (0: no limit)",
    read: ({ storage }) => storage.maxBytes ?? 0,
  },
  disk_free_bytes: {
    help: "Free space of the disk, in bytes, by folder (that of the database file, or that of --backup-to; NaN without one)",
    label: ["folder", "database", "backups"],
    read: (service) => measureDisks(service, ({ bavail, bsize }) => bavail * bsize),
  },
  disk_bytes: {
    help: "Size of the disk, in bytes, by folder (that of the database file, or that of --backup-to; NaN without one)",
    label: ["folder", "database", "backups"],
    read: (service) => measureDisks(service, ({ blocks, bsize }) => blocks * bsize),
  },
  database_damaged: {
    help: "Whether this server has found damage in the database file (1: it refuses writes until it is restarted)",
    read: ({ integrity }) => (integrity.isDamaged ? 1 : 0),
  },
  database_check_timestamp_seconds: {
    help: "When the last complete check of the database file ended without damage (0: none since the start)",
    read: ({ integrity }) => toSeconds(integrity.checkedAt),
  },
  backup_interval_seconds: {
    help: "Time between two backups by this server (0: it makes none)",
    read: ({ backups }) => toSeconds(backups.status.everyMs),
  },
  last_backup_timestamp_seconds: {
    help: "When the newest checked backup in the folder of --backup-to was made (0: none)",
    read: ({ backups }) => toSeconds(backups.status.createdAt),
  },
  last_backup_verified: {
    help: "Whether the last backup by this server was read back and had the rows of the database (0: it failed, or there is none)",
    read: ({ backups: { status } }) => (status.createdAt !== null && !status.hasFailed ? 1 : 0),
  },
  last_backup_bytes: {
    help: "Size of the newest checked backup, in bytes",
    read: ({ backups }) => backups.status.bytes,
  },
  last_backup_duration_seconds: {
    help: "How long the last backup by this server took with its check, in seconds (0: none since the start)",
    read: ({ backups }) => toSeconds(backups.status.durationMs),
  },
  key_expiry_timestamp_seconds: {
    help: `When the first of the active keys stops working (0: none expires; ${ANSWERED.slice(1)}`,
    read: async ({ store, now }) => toSeconds(await findNextExpiry(store.readDb, now())),
  },
  sessions_due: {
    help: `Sessions due for analysis ${COUNTED}`,
    read: ({ store, now }) => countDueSessions(store.readDb, now()),
  },
  queue_age_seconds: {
    help: `How long the oldest entry of a queue has waited, by queue (0: it is empty; ${ANSWERED.slice(1)}`,
    label: ["queue", "analysis", "webhooks"],
    read: async ({ store, now }) => ({
      analysis: toAge(now(), await findOldestDue(store.readDb)),
      webhooks: toAge(now(), await findOldestWaiting(store.readDb)),
    }),
  },
  oldest_unanalyzed_session_seconds: {
    help: `Time since the receipt of the oldest session that waits for its first analysis and is no longer played (0: none; ${ANSWERED.slice(1)}`,
    read: async ({ store, now }) => toAge(now(), await findOldestUnanalyzed(store.readDb, now())),
  },
  retention_seconds: {
    help: "How long events and sessions are kept, by kind (0: without a limit; NaN if the database does not respond)",
    label: ["kind", "events", "sessions"],
    async read({ store }) {
      const state = await readPruningState(store.readDb);
      return { events: toSeconds(state?.keep_events_ms), sessions: toSeconds(state?.keep_sessions_ms) };
    },
  },
  last_pruned_timestamp_seconds: {
    help: "When the last complete run of pruning ended (0: never; NaN if the database does not respond)",
    read: async ({ store }) => toSeconds((await readPruningState(store.readDb))?.last_pruned_at),
  },
  retention_held_until_timestamp_seconds: {
    help: `Until when nothing is pruned, because the clock was set forward (0: it was not; ${ANSWERED.slice(1)}`,
    async read({ store, now }) {
      const { held_until: until } = await readPruningState(store.readDb);
      return until !== null && until > now() ? toSeconds(until) : 0;
    },
  },
  budget_used_ratio: {
    help: "Share of a budget that was used on this UTC day, of the key, game or account with the highest share",
    label: ["budget"],
    read: ({ budgets }) => budgets.measure(),
  },
  sessions_outdated: {
    help: `Analyzed sessions to be analyzed again ${COUNTED}`,
    read: ({ store }) => countReanalyses(store.readDb, MAX_COUNTED),
  },
  sessions_outdated_pruned: {
    help: `Sessions that are analyzed only by older rules, because their events are pruned ${COUNTED}`,
    read: ({ store }) => countOutdatedPruned(store.readDb),
  },
  summaries_outdated: {
    help: `Summaries of builds and testers to be written again ${COUNTED}`,
    read: ({ store }) => countOutdatedSummaries(store.readDb, MAX_COUNTED),
  },
};

/** The disks that are being read, by folder. */
const reading = new Map<string, Promise<StatsFs>>();

/** Reads a disk once at a time: each read of a network disk that hangs keeps one of the four threads of Node. */
function readDisk(folder: string): Promise<StatsFs> {
  const pending = reading.get(folder);
  if (pending) return pending;
  const read = statfs(folder).finally(() => reading.delete(folder));
  reading.set(folder, read);
  return read;
}

/** Measures the disks of the database file and of the backups. */
async function measureDisks(
  { store, backups }: MeasuredService,
  measure: (disk: StatsFs) => number,
): Promise<Reading> {
  const isFile = store.engine === "sqlite" && store.location !== ":memory:";
  const read = async (folder: string | null) =>
    folder === null ? Number.NaN : await readDisk(folder).then(measure, () => Number.NaN);
  return {
    database: await read(isFile ? dirname(store.location) : null),
    backups: await read(backups.status.folder),
  };
}

interface MeasuredGauge {
  measure(service: MeasuredService): Promise<void>;
}

export function createGauges(registry: Registry): readonly MeasuredGauge[] {
  const registers = [registry];
  new Gauge({
    name: "playtest_build_info",
    help: "1, with the version of the program and the commit that it was built from (empty if unknown)",
    labelNames: ["version", "commit"],
    registers,
  }).set({ version, commit }, 1);
  return Object.entries(sources).map(([name, { help, label: labels, read }]) => {
    const [label, ...values] = labels ?? [];
    const labelNames = label === undefined ? [] : [label];
    const gauge = new Gauge({ name: `playtest_${name}`, help, labelNames, registers });
    const failed = Object.fromEntries(values.map((value) => [value, Number.NaN]));
    return {
      async measure(service) {
        const reading = withTimeout(TIMEOUT_MS, (async () => await read(service))());
        const measured = await reading.catch(() => (label === undefined ? Number.NaN : failed));
        if (label === undefined) gauge.set(measured as number);
        else for (const [value, number] of Object.entries(measured)) gauge.set({ [label]: value }, number);
      },
    };
  });
}
