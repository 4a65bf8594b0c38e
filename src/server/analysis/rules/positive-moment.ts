/** Positive moments: rooms mastered quickly at the first try, in a session where that was no matter of course. */

import { NO_ROOM } from "../../../shared/tags.ts";
import { inRoom } from "../../insights/tag-location.ts";
import { formatDuration, formatEventIds, formatTag, quote } from "../../insights/wording.ts";
import type { RecordedSession, SessionEvent } from "../recorded-session.ts";
import { type ActivityByRoom, msBetween, type RoomActivity } from "./rooms.ts";
import { type DraftFinding, roundConfidence } from "./rule.ts";

/** From entering the room to its first lasting success, in ms: long enough to play, too short to puzzle. */
export const QUICK_MS = 30_000;
/** A failure or success so soon after entering, in ms, judges the state the room starts in and not a try. */
export const ENTRY_MS = 1000;
/** Without a failure anywhere, this many rooms must have been played: otherwise it may just be a tutorial. */
export const SMOOTH_MIN_ROOMS = 3;
/** Moments a session may have, the last of them, for games grow harder: praise for everything praises nothing. */
export const MAX_MOMENTS = 3;

interface QuickSuccess {
  readonly room: RoomActivity;
  /** The success. */
  readonly at: number;
  readonly tookMs: number;
}

/** The session's first room never counts: it teaches the controls, or was half played the time before. */
export function findPositiveMoments(play: RecordedSession, byRoom: ActivityByRoom): readonly DraftFinding[] {
  const [, ...laterRooms] = byRoom.rooms.values();
  const quick: QuickSuccess[] = [];
  for (const room of laterRooms) {
    const failedElsewhere = byRoom.failures > room.failures.length;
    if (!failedElsewhere && byRoom.rooms.size < SMOOTH_MIN_ROOMS) continue;
    const mastered = findQuickSuccess(play.events, room);
    if (mastered !== null) quick.push(mastered);
  }
  return quick.slice(-MAX_MOMENTS).map((mastered) => toDraft(play.events, mastered));
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
  const mastered = room.name === NO_ROOM ? "Succeeded" : `Mastered ${quote(room.name)}`;
  return {
    type: "positive-moment",
    sentiment: "positive",
    confidence: roundConfidence(0.8 - 0.3 * (tookMs / QUICK_MS)),
    tag: formatTag("positive-moment", room.name),
    title: `${mastered} at the first try in ${formatDuration(tookMs)}`,
    evidence: `First success${inRoom(room.name)}, ${formatDuration(tookMs)} after entering (threshold ${formatDuration(QUICK_MS)}), without a failure before: ${formatEventIds(events, [room.entered, at])}`,
    at: room.entered,
  };
}
