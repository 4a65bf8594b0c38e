/** Positive moments: quick success on the first try, in a session where success is not a matter of course. */

import { inRoom } from "../../insights/tag-location.ts";
import { formatDuration, formatEventIds, formatTag } from "../../insights/wording.ts";
import type { RecordedSession, SessionEvent } from "../recorded-session.ts";
import { type ActivityByRoom, msBetween, type RoomActivity } from "./rooms.ts";
import { type DraftFinding, roundConfidence } from "./rule.ts";

/** Maximum time from entering a room to its first lasting success, in ms. */
export const QUICK_MS = 30_000;
/**
 * A failure or success within this time after entering, in ms, reflects the initial state of the room, not an attempt.
 */
export const ENTRY_MS = 1000;
/** Minimum rooms in a session without failures elsewhere. A shorter session may just be a tutorial. */
export const SMOOTH_MIN_ROOMS = 3;
/** Maximum number of moments per session. The last ones are kept, because games get harder. */
export const MAX_MOMENTS = 3;

interface QuickSuccess {
  readonly room: RoomActivity;
  /** Index of the success. */
  readonly at: number;
  readonly tookMs: number;
}

/** The first room of a session never counts: it may teach the controls, or continue an earlier session. */
export function findPositiveMoments(
  session: RecordedSession,
  byRoom: ActivityByRoom,
): readonly DraftFinding[] {
  const [, ...laterRooms] = byRoom.rooms.values();
  const quick: QuickSuccess[] = [];
  for (const room of laterRooms) {
    const failedElsewhere = byRoom.failures > room.failures.length;
    if (!failedElsewhere && byRoom.rooms.size < SMOOTH_MIN_ROOMS) continue;
    const success = findQuickSuccess(session.events, room);
    if (success !== null) quick.push(success);
  }
  return quick.slice(-MAX_MOMENTS).map((success) => toDraft(session.events, success));
}

function findQuickSuccess(events: readonly SessionEvent[], room: RoomActivity): QuickSuccess | null {
  const { firstLastingSuccess: at, firstGivenUp, entered } = room;
  if (at === null || (firstGivenUp !== null && firstGivenUp < at)) return null;
  const tookMs = msBetween(events, entered, at);
  if (tookMs <= ENTRY_MS || tookMs > QUICK_MS) return null;
  const failedTry = room.failures.find((failure) => msBetween(events, entered, failure) > ENTRY_MS);
  return failedTry !== undefined && failedTry < at ? null : { room, at, tookMs };
}

function toDraft(events: readonly SessionEvent[], { room, at, tookMs }: QuickSuccess): DraftFinding {
  const where = inRoom(room.name);
  return {
    type: "positive-moment",
    sentiment: "positive",
    confidence: roundConfidence(0.8 - 0.3 * (tookMs / QUICK_MS)),
    tag: formatTag("positive-moment", room.name),
    title: `Succeeded${where} on the first try in ${formatDuration(tookMs)}`,
    evidence: `First success${where} ${formatDuration(tookMs)} after entering, with no failed try before it (threshold: ${formatDuration(QUICK_MS)}): ${formatEventIds(events, [room.entered, at])}`,
    at: room.entered,
  };
}
