/** Records what the `server` and `admin` commands change in the local database. */
import { recordChange } from "../../../server/audit/audit.ts";
import type { Db } from "../../../server/db/schema.ts";
import type { Service } from "../../../server/db/service.ts";
import { watchChanges } from "../../../server/db/watch-changes.ts";
import type { Context } from "../../context.ts";
import type { FileReport } from "../../telemetry-files/report.ts";

/** What the audit says about a change, in addition to the command and the time. */
export interface ChangeNote {
  /** The account that was changed; null for the whole database. */
  accountId: string | null;
  /** An id that identifies no person, or a `keyedHash` of an id that does. */
  target: string | null;
  /** Must not contain secrets or texts of people. */
  detail: Readonly<Record<string, unknown>>;
}

interface AuditedService {
  readonly service: Service;
  /** Null for the whole database. */
  readonly accountId: string | null;
}

/** The action of a command in the audit: its path, such as `server.start`, without the word `admin`. */
export const toAction = (path: string) => path.replace(/^admin /, "").replaceAll(" ", ".");

/** Runs work in one transaction, and records it if it changed anything. The work may complete the note. */
export async function runAudited<T>(
  { store, ...service }: Service,
  command: string,
  accountId: string | null,
  work: (db: Db, note: ChangeNote) => Promise<T>,
): Promise<T> {
  return await store.serializable(async (db) => {
    const note: ChangeNote = { accountId, target: null, detail: {} };
    const watched = await watchChanges(db, store.engine);
    const result = await work(watched.db, note);
    if (await watched.hasChanged())
      await recordChange(db, service, { ...note, action: toAction(command), actor: "operator" });
    return result;
  });
}

/** Records work that took several transactions, after it. */
export async function recordWork(
  { command }: Pick<Context, "command">,
  { service, accountId }: AuditedService,
  detail: ChangeNote["detail"],
): Promise<void> {
  const change = { action: toAction(command), actor: "operator", accountId, target: null, detail } as const;
  await service.store.write((db) => recordChange(db, service, change));
}

/** Records the import of telemetry files, unless they contained nothing new. */
export async function recordImport(
  context: Pick<Context, "command">,
  local: AuditedService,
  reports: readonly FileReport[],
): Promise<void> {
  const events = reports.reduce((sum, { accepted }) => sum + accepted, 0);
  if (events > 0) await recordWork(context, local, { files: reports.length, events });
}
