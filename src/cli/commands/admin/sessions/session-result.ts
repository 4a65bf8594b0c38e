/** The shared parts of commands that change a session. */
import { type Session, sessions } from "../../../../contract/sessions.ts";
import { toColumns } from "../../../../render/tables/resource-columns.ts";
import type { Db, SessionRow } from "../../../../server/db/schema.ts";
import { findSession } from "../../../../server/sessions/session-queries.ts";
import { createTable, type Result } from "../../../command.ts";
import { fail } from "../../../errors.ts";
import type { AdminContext } from "../administer.ts";

/** An account's session. Throws `not_found`. */
export async function requireSession(
  { db, accountId, wholeId }: AdminContext,
  text: string,
): Promise<SessionRow> {
  return await requireStoredSession(db, accountId, await wholeId("sess", text));
}

async function requireStoredSession(db: Db, accountId: string, id: string): Promise<SessionRow> {
  const row = await findSession(db, accountId, id);
  if (!row)
    throw fail("not_found", {
      message: `Session ${JSON.stringify(id)} not found`,
      hint: "Run `playtest sessions list` to list sessions.",
    });
  return row;
}

/** Throws `usage` if the session does not have the required status. */
export function requireStatus(row: SessionRow, status: SessionRow["status"], hint: string): void {
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
