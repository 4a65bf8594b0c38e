/** The shared parts of commands that change a session. */
import type { Session } from "../../../../contract/sessions.ts";
import { sessionColumns } from "../../../../render/tables/sessions.ts";
import type { Db, SessionRow } from "../../../../server/db/schema.ts";
import { findSession } from "../../../../server/sessions/queries.ts";
import { createTable, type Result } from "../../../command.ts";
import { fail } from "../../../errors.ts";
import { resolveLocalId } from "../resolve-id.ts";

/** An account's session by its id or the beginning of it. Throws `not_found`. */
export async function requireSession(db: Db, accountId: string, text: string): Promise<SessionRow> {
  const id = await resolveLocalId(db, accountId, "sess", text);
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
  return JSON.parse((await requireSession(db, accountId, id)).item) as Session;
}

export function sessionResult(session: Session): Result {
  return { data: { session }, table: createTable([session], sessionColumns, "") };
}
