/** A session's list item as JSON text, made when the row changes and sent as it is; and the text that `q` looks in. */
import type { Session } from "../../contract/sessions.ts";
import type { SessionRow } from "../db/schema.ts";

/** What of a row the list item shows. */
export type SessionItemFields = Pick<
  SessionRow,
  | "id"
  | "game_id"
  | "title"
  | "source"
  | "status"
  | "recorded_at"
  | "received_at"
  | "clock_shift"
  | "wall_ms"
  | "tester_handle"
  | "metadata"
>;

/** The list item of a row, as JSON text. */
export function serializeSessionItem(row: SessionItemFields): string {
  const head: Omit<Session, "metadata" | "receivedAt" | "clockCorrected"> = {
    id: row.id,
    gameId: row.game_id,
    title: row.title,
    source: row.source,
    status: row.status,
    recordedAt: row.recorded_at,
    duration: Math.round(row.wall_ms / 1000),
    testerHandle: row.tester_handle,
  };
  const tail: Pick<Session, "receivedAt" | "clockCorrected"> = {
    receivedAt: row.received_at,
    clockCorrected: row.clock_shift !== null,
  };
  // The metadata is JSON text already: it is put in as it is, without parsing it for every change of a row.
  return `${JSON.stringify(head).slice(0, -1)},"metadata":${row.metadata},${JSON.stringify(tail).slice(1)}`;
}

/** Separates the fields that `q` looks in: no folded text holds it. */
const FIELD_SEPARATOR = "\uffff";

/** The folded text of a session that `q` looks in. */
export function buildSearchText(row: Pick<SessionRow, "title" | "tester_handle" | "transcript">): string {
  return [row.title, row.tester_handle ?? "", row.transcript ?? ""].map(foldCase).join(FIELD_SEPARATOR);
}

/** Folds case in any script, so that É finds é, and Greek whose last letter of a word has a form of its own. */
export function foldCase(text: string): string {
  const folded = text.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
  return folded.replaceAll("ς", "σ").replaceAll(FIELD_SEPARATOR, "\ufffd");
}
