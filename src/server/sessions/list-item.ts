/** Derived columns of a session: its list item as JSON text, sent unchanged, and the text that the filter `q` searches. */
import type { Session } from "../../contract/sessions.ts";
import type { SessionRow } from "../db/schema.ts";
import { isMovedToReceipt } from "./new-session.ts";

/** The columns that a list item shows. */
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
  | "shift_sent"
  | "wall_ms"
  | "tester_handle"
  | "metadata"
>;

/** The columns of a session from which its list item is completed. */
export const sessionItemColumns = ["item", "environment", "device_id"] as const;
type StoredSessionItem = Pick<SessionRow, (typeof sessionItemColumns)[number]>;

/** The list item as responses show it, as JSON text. What never changes is not stored twice. */
export function completeSessionItem({ item, environment, device_id: deviceId }: StoredSessionItem): string {
  const tail: Pick<Session, "environment" | "deviceId"> = { environment, deviceId };
  return `${item.slice(0, -1)},${JSON.stringify(tail).slice(1)}`;
}

/** Serializes the stored list item of a session. */
export function serializeSessionItem(row: SessionItemFields): string {
  const head: Omit<Session, "metadata" | "receivedAt" | "clockCorrected" | "environment" | "deviceId"> = {
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
    clockCorrected: isMovedToReceipt(row),
  };
  // The metadata is already JSON text. Inserting it unchanged avoids parsing it on every update.
  return `${JSON.stringify(head).slice(0, -1)},"metadata":${row.metadata},${JSON.stringify(tail).slice(1)}`;
}

/** Separates the fields that `q` searches. Folded text never contains it. */
const FIELD_SEPARATOR = "\uffff";

/** Builds the case-folded text of a session that `q` searches. */
export function buildSearchText(row: Pick<SessionRow, "title" | "tester_handle" | "transcript">): string {
  return [row.title, row.tester_handle ?? "", row.transcript ?? ""].map(foldCase).join(FIELD_SEPARATOR);
}

/** Folds case in any script, so that É matches é, and the Greek final sigma matches sigma. */
export function foldCase(text: string): string {
  const folded = text.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
  return folded.replaceAll("ς", "σ").replaceAll(FIELD_SEPARATOR, "\ufffd");
}
