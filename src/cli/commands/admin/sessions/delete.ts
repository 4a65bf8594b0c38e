/** admin sessions delete: deletes sessions with everything that was computed from them. */
import { keyedHash } from "../../../../server/db/keyed-hash.ts";
import type { SessionRow } from "../../../../server/db/schema.ts";
import { deleteSession } from "../../../../server/erasure/delete-session.ts";
import { purgePrevented } from "../../../../server/erasure/erase-tester.ts";
import { addCounts, type RowCounts } from "../../../../server/erasure/row-queries.ts";
import { formatCount } from "../../../../server/insights/wording.ts";
import { isSessionErased } from "../../../../server/sessions/tombstone-queries.ts";
import { command } from "../../../command.ts";
import { confirmDestructive } from "../../../confirm-destructive.ts";
import { type AdminContext, administerInSteps, destructiveAdminFlags } from "../administer.ts";
import { erasureResult, listTables, sumRows } from "../erasure-result.ts";
import { requireSession } from "./session-result.ts";

export const deleteSessionsCommand = command({
  path: "admin sessions delete",
  summary: "Delete sessions with everything that was computed from them",
  details:
    "Deletes the events, positions, insights, feedback and bug reports of the sessions, and subtracts them from all counts. " +
    "Insights of other sessions that were compared with them are analyzed again. Late telemetry for a deleted session is refused " +
    "with the reason `erased`. If the command is interrupted, run it again: sessions that were already deleted are skipped.",
  args: [{ name: "<id...>", describe: "session ids (sess_...)" }],
  flags: destructiveAdminFlags,
  examples: ["admin sessions delete sess_1f2e3d4c5b6a --yes"],
  async run(context, { args, flags: { yes, ...flags } }) {
    return await administerInSteps(context, flags, async ({ service, accountId, run, record }) => {
      const sessions = await run((admin) => findSessions(admin, args));
      const count = formatCount(sessions.length, "session");
      if (sessions.length > 0) await confirmDestructive(context.io, `Delete ${count}?`, yes);
      const counts: RowCounts[] = [];
      for (const session of sessions) {
        await context.progress(`Deleting ${session.id}`);
        const deleted = await deleteSession(service, accountId, session, async (db) =>
          record(db, { target: await keyedHash(db, session.id), detail: {} }),
        );
        counts.push(deleted ?? {});
      }
      if (!(await service.store.purgeDeleted())) throw purgePrevented();
      const tables = listTables(addCounts(...counts));
      const deleted = sessions.map(({ id }) => id);
      return erasureResult({ deleted, tables, rows: sumRows(tables) }, tables, `Deleted ${count}.`);
    });
  },
});

/** The sessions with the ids, without those that were deleted before. Throws `not_found`. */
async function findSessions(admin: AdminContext, ids: readonly string[]) {
  const sessions = new Map<string, Pick<SessionRow, "game_id" | "id">>();
  for (const text of ids) {
    if (await isSessionErased(admin.db, text)) continue;
    const { game_id, id } = await requireSession(admin, text);
    sessions.set(id, { game_id, id });
  }
  return [...sessions.values()];
}
