/** The audit: one row for each administrative change. It never contains keys, texts of people, or ids of testers. */

import type { Dependencies } from "../core/dependencies.ts";
import { insertRow } from "../db/rows.ts";
import type { AuditRow, Db } from "../db/schema.ts";
import type { Store } from "../db/store.ts";
import { findUnlogged, markLogged } from "./audit-queries.ts";

/** Who made a change: an operator with access to the database, the service on its own, such as pruning, or a CI key. */
const auditActors = ["operator", "service", "ci"] as const;
export type AuditActor = (typeof auditActors)[number];

interface AuditChange {
  /** The command, such as `keys.revoke`. */
  readonly action: string;
  readonly actor: AuditActor;
  /** The account that was changed; null for the whole database. */
  readonly accountId: string | null;
  /** What was changed: an id that identifies no person, or a `keyedHash` of an id that does. */
  readonly target: string | null;
  /** Further facts. Must not contain secrets or texts of people. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** A change as the audit shows it. */
export interface AuditEntry extends AuditChange {
  readonly id: string;
  /** Unix ms. */
  readonly at: number;
}

/** Records a change. Call it in the transaction that makes the change, so that neither is stored without the other. */
export async function recordChange(
  db: Db,
  { now, newId }: Pick<Dependencies, "now" | "newId">,
  { accountId, detail, ...change }: AuditChange,
): Promise<void> {
  await insertRow(db, "audit", {
    ...change,
    id: newId("chg"),
    at: now(),
    account_id: accountId ?? "",
    detail: JSON.stringify(detail),
    logged: 0,
  });
}

export function toAuditEntry({ id, at, action, actor, account_id, target, detail }: AuditRow): AuditEntry {
  const accountId = account_id === "" ? null : account_id;
  return { id, at, action, actor, accountId, target, detail: JSON.parse(detail) };
}

/** Pause between two looks at the table, ms. */
const POLL_MS = 2000;
/** Maximum number of changes per look. */
const MAX_CHANGES = 100;

interface AuditLog {
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
