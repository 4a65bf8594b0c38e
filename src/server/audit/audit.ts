/** The audit: one row for each administrative change. It never contains keys, texts of people, or ids of testers. */
import type { Dependencies } from "../core/dependencies.ts";
import type { AuditRow, Db } from "../db/schema.ts";
import { insertChange } from "./audit-queries.ts";

/** Who made a change: an operator with access to the database, or the service on its own, such as pruning. */
export const auditActors = ["operator", "service"] as const;
export type AuditActor = (typeof auditActors)[number];

export interface AuditChange {
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
  await insertChange(db, {
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
