/** The `admin sessions` commands about stored sessions, and what they share with `admin sessions add`. */
import { type Session, sessions } from "../../../contract/sessions.ts";
import { toColumns } from "../../../render/tables/columns.ts";
import { keyedHash } from "../../../server/db/keyed-hash.ts";
import type { Db, SessionRow } from "../../../server/db/schema.ts";
import { deleteSession } from "../../../server/erasure/delete-session.ts";
import { requirePurged } from "../../../server/erasure/erase-tester.ts";
import { addCounts, type RowCounts } from "../../../server/erasure/row-queries.ts";
import { findSession } from "../../../server/sessions/session-queries.ts";
import { lacksTranscript, retryAnalysis, storeTranscript } from "../../../server/sessions/sessions.ts";
import { isSessionErased } from "../../../server/sessions/tombstone-queries.ts";
import { formatName } from "../../../shared/similar-names.ts";
import { formatCount } from "../../../shared/words.ts";
import { command, createTable, type Result } from "../../command.ts";
import type { Context } from "../../context.ts";
import { fail } from "../../errors.ts";
import type { FlagValues } from "../../flags.ts";
import { confirmDestructive } from "../../prompts.ts";
import {
  type AdminContext,
  adminFlags,
  administerAndAnalyze,
  administerInSteps,
  destructiveAdminFlags,
  failNotFound,
} from "./administer.ts";
import { erasureResult, listTables, sumRows } from "./erasure-result.ts";
import { readTranscript } from "./text-file.ts";

export const LIST_SESSIONS = "`playtest sessions list` to list sessions";

/** An account's session. Throws `not_found`. */
async function requireSession({ db, accountId, wholeId }: AdminContext, text: string): Promise<SessionRow> {
  return await requireStoredSession(db, accountId, await wholeId("sess", text));
}

async function requireStoredSession(db: Db, accountId: string, id: string): Promise<SessionRow> {
  const row = await findSession(db, accountId, id);
  if (row) return row;
  throw failNotFound(`session ${formatName(id)}`, LIST_SESSIONS);
}

/** Throws `usage` if the session does not have the required status. */
function requireStatus(row: SessionRow, status: SessionRow["status"], hint: string): void {
  if (row.status === status) return;
  throw fail("usage", { message: `Session ${row.id} is ${row.status}, not ${status}`, hint });
}

export async function readSession(
  db: Db,
  { accountId, id }: { readonly accountId: string; readonly id: string },
): Promise<Session> {
  return JSON.parse((await requireStoredSession(db, accountId, id)).item) as Session;
}

export function sessionResult(session: Session): Result {
  return { data: { session }, table: createTable([session], toColumns(sessions), "") };
}

/** Changes a session and analyzes it. The result is the session afterwards. */
async function changeSession(
  context: Context,
  flags: FlagValues<typeof adminFlags>,
  text: string,
  change: (admin: AdminContext, row: SessionRow) => Promise<void>,
): Promise<Result> {
  const session = await administerAndAnalyze(
    context,
    flags,
    async (admin) => {
      const row = await requireSession(admin, text);
      await change(admin, row);
      admin.note.target = await keyedHash(admin.db, row.id);
      return { accountId: admin.accountId, id: row.id };
    },
    readSession,
  );
  return sessionResult(session);
}

export const retrySessionCommand = command({
  path: "admin sessions retry",
  summary: "Retry the analysis of a failed session",
  details:
    "The session becomes pending and is analyzed immediately. If that fails, a running server retries it " +
    "later, unless the stored data of the session is damaged. For a recording without a transcript, use " +
    "`playtest admin sessions transcript` instead.",
  args: [{ name: "<id>", describe: "session id (sess_...)" }],
  flags: adminFlags,
  examples: ["admin sessions retry sess_1f2e3d4c5b6a"],
  async run(context, { args, flags }) {
    return await changeSession(context, flags, args[0] ?? "", async ({ db, service }, row) => {
      requireStatus(row, "failed", "Only failed sessions can be retried.");
      if (lacksTranscript(row)) {
        throw fail("usage", {
          message: `Session ${row.id} is a recording without a transcript, so it cannot be analyzed`,
          hint: `Run \`playtest admin sessions transcript ${row.id} <file>\` to add its transcript.`,
        });
      }
      await retryAnalysis(db, row, service.now());
    });
  },
});

export const transcriptCommand = command({
  path: "admin sessions transcript",
  summary: "Add the transcript of a recording and analyze it",
  args: [
    { name: "<id>", describe: "session id (sess_...)" },
    { name: "<file>", describe: "transcript file, or - for standard input" },
  ],
  flags: adminFlags,
  examples: ["admin sessions transcript sess_1f2e3d4c5b6a session.txt"],
  async run(context, { args, flags }) {
    const [id = "", file = ""] = args;
    const transcript = await readTranscript(context.io, file);
    return await changeSession(context, flags, id, async ({ db, service }, row) => {
      // A recording that failed because it has no transcript can still get one.
      if (row.status !== "failed" || !lacksTranscript(row)) {
        requireStatus(
          row,
          "transcribing",
          "You can only add a transcript to a recording without one (status `transcribing`).",
        );
      }
      await storeTranscript(db, row, transcript, service.now());
    });
  },
});

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
      await requirePurged(service.store);
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
