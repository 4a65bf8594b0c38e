/**
 * The size of a session. Everybody who plays a game can send data to its sessions, and the analysis reads all of it, so what
 * one session may store is limited.
 */
import { describeFullSession } from "../../contract/event-faults.ts";
import type { SessionRow } from "../db/schema.ts";
import { type EncodedBatch, encodeBatch } from "./batch-codec.ts";
import type { TelemetryEvent } from "./event-names.ts";

export interface SessionLimits {
  readonly events: number;
  /** Bytes of events and positions before compression. */
  readonly bytes: number;
}

export const defaultSessionLimits: SessionLimits = { events: 200_000, bytes: 64e6 };

/** What the row of a position chunk and its two index entries take in addition to the points and the names, bytes. */
const CHUNK_BYTES = 500;
/** How often a database stores the names of an event and a room of a chunk: in the row, and in two indexes. */
const COPIES_OF_NAMES = 3;

/** What a batch counts toward the size of its session, in bytes. */
export function measureBatch({ payload, positions }: EncodedBatch): number {
  const chunks = positions.map(
    ({ xy, event, room }) => xy.length + COPIES_OF_NAMES * (event.length + room.length) + CHUNK_BYTES,
  );
  return chunks.reduce((sum, bytes) => sum + bytes, payload.length);
}

type StoredSize = Pick<SessionRow, "stored_events" | "stored_bytes">;

/** The events of a request that a session accepts. */
interface AcceptedEvents {
  readonly accepted: readonly TelemetryEvent[];
  /** Why the events after them are refused; null if all are accepted. */
  readonly refusal: string | null;
}

/**
 * Selects the first events of a request that do not exceed the limits of the session. If their bytes would, none is accepted.
 * Whether the session has stored an event before does not matter: reading its ids would cost more than the events are worth.
 */
export function acceptEvents(
  limits: SessionLimits,
  session: StoredSize,
  events: readonly TelemetryEvent[],
): AcceptedEvents {
  const accepted = events.slice(0, Math.max(0, limits.events - session.stored_events));
  const isCut = accepted.length < events.length;
  if (accepted.length > 0 && !hasCapacity(limits, session, accepted))
    return { accepted: [], refusal: describeFullSession({ bytes: limits.bytes }) };
  return { accepted, refusal: isCut ? describeFullSession({ events: limits.events }) : null };
}

/** No batch counts more bytes. Sessions with more capacity than this need no measuring. */
const MAX_BATCH_BYTES = 16e6;

function hasCapacity(limits: SessionLimits, session: StoredSize, events: readonly TelemetryEvent[]): boolean {
  const capacity = limits.bytes - session.stored_bytes;
  return capacity >= MAX_BATCH_BYTES || (capacity > 0 && measureBatch(encodeBatch(events)) <= capacity);
}
