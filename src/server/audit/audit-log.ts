/**
 * Writes each administrative change to the log of a running server, because the commands that make changes are other
 * processes, whose output is not collected. On Postgres, one of the servers logs each change.
 */
import type { Dependencies } from "../core/dependencies.ts";
import type { Store } from "../db/store.ts";
import { type AuditEntry, toAuditEntry } from "./audit.ts";
import { findUnlogged, markLogged } from "./audit-queries.ts";

/** Pause between two looks at the table, ms. */
const POLL_MS = 2000;
/** Maximum number of changes per look. */
const MAX_CHANGES = 100;

export interface AuditLog {
  /** Logs the changes that were not logged yet. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts to log changes, including those that were made while no server was running. */
export function startAuditLog(
  { store, report }: { readonly store: Store } & Pick<Dependencies, "report">,
  write: (entry: AuditEntry) => void,
): AuditLog {
  let stopped = false;
  let hasFailed = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  const drain = async () => {
    for (const row of await findUnlogged(store.readDb, MAX_CHANGES)) {
      if (stopped) return;
      if (await store.write((db) => markLogged(db, row))) write(toAuditEntry(row));
    }
  };
  const poll = async () => {
    try {
      await drain();
      hasFailed = false;
    } catch (error) {
      // An unavailable database is reported once, not every two seconds.
      if (!hasFailed) report("audit log", error);
      hasFailed = true;
    }
    schedule();
  };
  const schedule = () => {
    if (stopped) return;
    timer = setTimeout(() => {
      running = poll();
    }, POLL_MS);
    timer.unref();
  };
  running = poll();
  return {
    drain,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
