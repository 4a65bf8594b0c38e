/** Backs up the database file of a server regularly, and removes the backups that its rules do not keep. */
import { HOUR_MS } from "../../shared/time-units.ts";
import { version } from "../../shared/version.prepared.ts";
import { isStopping } from "../core/task-stopped.ts";
import { type BackgroundPass, createBackgroundPass } from "../db/background-pass.ts";
import type { Service } from "../db/service.ts";
import {
  commitBackup,
  getDraftPath,
  listBackups,
  nameBackup,
  removeBackup,
  removeUnfinished,
  type StoredBackup,
} from "./backup-files.ts";
import { copyDatabaseTask } from "./copy-task.ts";
import { type KeepRules, selectExpired } from "./keep-rules.ts";

export interface BackupSettings {
  /** An existing folder. */
  readonly folder: string;
  readonly everyMs: number;
  /** Null to keep all backups. */
  readonly keep: KeepRules | null;
  /** Runs work while no other process backs up the same database to the folder. */
  lock<T>(work: () => Promise<T>): Promise<T>;
}

/** What metrics show about the backups of a server. */
export interface BackupStatus {
  /** Where the backups are; null if the server makes none. */
  readonly folder: string | null;
  /** The time between two backups; null if the server makes none. */
  readonly everyMs: number | null;
  /** When the newest checked backup was made, unix ms; null if there is none. */
  readonly createdAt: number | null;
  readonly bytes: number;
  /** How long the last backup of this server took; null before the first one. */
  readonly durationMs: number | null;
  /** Whether the last attempt failed. */
  readonly hasFailed: boolean;
}

export interface Backups extends BackgroundPass {
  readonly status: BackupStatus;
}

/** Pause between two looks at the clock, ms. */
const PAUSE_MS = 60_000;
/** Wait after a failed backup, ms. */
const RETRY_MS = HOUR_MS;

/** Creates the backups of a service. The schedule depends on the backups in the folder, so that it survives restarts. */
export function createBackups(service: Service, settings: BackupSettings | null): Backups {
  let status: BackupStatus = {
    ...{ folder: settings?.folder ?? null, everyMs: settings?.everyMs ?? null },
    ...{ createdAt: null, bytes: 0, durationMs: null, hasFailed: false },
  };
  let retryAt = Number.NEGATIVE_INFINITY;
  const runIfDue = async (given: BackupSettings) => {
    const newest = await findNewest(service, given.folder);
    status = { ...status, createdAt: newest && Date.parse(newest.createdAt), bytes: newest?.bytes ?? 0 };
    const isDue = status.createdAt === null || service.now() - status.createdAt >= given.everyMs;
    if (!isDue || service.monotonicNow() < retryAt) return;
    const startedAt = service.monotonicNow();
    try {
      const { createdAt, bytes } = await given.lock(() => backUp(service, given));
      const durationMs = service.monotonicNow() - startedAt;
      status = { ...status, createdAt, bytes, durationMs, hasFailed: false };
    } catch (error) {
      if (isStopping(error)) return;
      retryAt = service.monotonicNow() + RETRY_MS;
      status = { ...status, hasFailed: true };
      throw error;
    }
  };
  const pass = createBackgroundPass(service, {
    name: "backup",
    pauseMs: PAUSE_MS,
    run: async () => {
      if (settings) await runIfDue(settings);
    },
  });
  return {
    ...pass,
    get status() {
      return status;
    },
    start() {
      if (settings) pass.start();
    },
  };
}

/** The newest checked backup. One from the future, of a clock that was wrong, does not hold up the next one. */
async function findNewest({ store, now }: Service, folder: string): Promise<StoredBackup | null> {
  const backups = await listBackups(folder);
  return (
    backups.find(
      ({ database, createdAt }) => database === store.location && Date.parse(createdAt) <= now(),
    ) ?? null
  );
}

async function backUp(
  service: Service,
  { folder, keep }: BackupSettings,
): Promise<{ readonly createdAt: number; readonly bytes: number }> {
  const { location } = service.store;
  await removeUnfinished(folder, location);
  const createdAt = service.now();
  const path = nameBackup(folder, location, createdAt);
  const checked = await service.work.run(copyDatabaseTask, { target: getDraftPath(path) });
  await commitBackup(path, {
    backup: path.slice(folder.length + 1),
    database: location,
    createdAt: new Date(createdAt).toISOString(),
    version,
    ...checked,
  });
  if (keep) {
    const own = (await listBackups(folder)).filter(({ database }) => database === location);
    const expired = selectExpired(own, keep).filter((backup) => backup.path !== path);
    for (const backup of expired) await removeBackup(backup.path);
  }
  return { createdAt, bytes: checked.bytes };
}
