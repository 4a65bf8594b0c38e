/** Positive moments: quick success on the first try, in a session where success is not a matter of course. */

import { NO_ROOM } from "../../../shared/tags.ts";
import { inRoom } from "../../insights/describe-tag.ts";
import { formatDuration, formatEventIds, formatRoomTag } from "../../insights/wording.ts";
import { SETTLE_MS } from "../attempts.ts";
import { findMeaning } from "../meanings.ts";
import { type RecordedSession, readRoom, type SessionEvent } from "../recorded-session.ts";
import type { RoomPlay, SessionPlay } from "../session-play.ts";
import { readEventPlayer } from "../session-players.ts";
import { msBetween } from "../visits.ts";
import { eventId } from "./claims.ts";
import { type DraftFinding, roundConfidence } from "./rule.ts";

/** Maximum time from entering a room to its first success, in ms. */
export const QUICK_MS = 30_000;
/** Minimum rooms in a session without failures elsewhere. A shorter session may just be a tutorial. */
export const SMOOTH_MIN_ROOMS = 3;
/** Maximum number of moments per session. The last ones are kept, because games get harder. */
export const MAX_MOMENTS = 3;

interface FirstTry {
  readonly room: RoomPlay;
  /** Indexes of the event that entered the room and of the success. */
  readonly entered: number;
  readonly at: number;
  readonly tookMs: number;
}

/** The first room of a session never counts: it may teach the controls, or continue an earlier session. */
export function findPositiveMoments(session: RecordedSession, play: SessionPlay): readonly DraftFinding[] {
  const { events } = session;
  const rooms = [...play.rooms.values()];
  const failures = rooms.reduce((total, room) => total + room.failures.length, 0);
  const named = rooms.filter(({ name }) => name !== NO_ROOM);
  const unnamed = play.rooms.get(NO_ROOM);
  const disturbed = new Set(
    [unnamed?.failures, unnamed?.resets].flatMap(
      (positions) => positions?.map((at) => play.visitAt[at]) ?? [],
    ),
  );
  const firstTries: FirstTry[] = [];
  for (const room of named.slice(1)) {
    const failedElsewhere = failures > room.failures.length;
    if (!failedElsewhere && named.length < SMOOTH_MIN_ROOMS) continue;
    // A failure or reset that names no room may belong to the room of the visit.
    if (disturbed.has(room.visits[0])) continue;
    const firstTry = findFirstTry(events, play, room);
    if (firstTry !== null && !isSharedAfterFailure(session, firstTry)) firstTries.push(firstTry);
  }
  return firstTries.slice(-MAX_MOMENTS).map((firstTry) => toDraft(events, firstTry));
}

/**
 * The first success in a room, if it is quick and the first attempt of the first visit. A room that the player started
 * again after a success never counts, because the later play may be a struggle.
 */
function findFirstTry(events: readonly SessionEvent[], play: SessionPlay, room: RoomPlay): FirstTry | null {
  const [visit] = room.visits;
  const [at] = room.successes;
  if (!visit || at === undefined || play.visitAt[at] !== visit || room.stretches.length > 1) return null;
  const { entered } = visit;
  const tookMs = msBetween(events, entered, at);
  if (tookMs < SETTLE_MS || tookMs > QUICK_MS) return null;
  const isBefore = (other: number) => other >= entered && other < at;
  const isFirst = ![room.failures, room.resets, room.givingUp].some((positions) => positions.some(isBefore));
  const starts = room.starts.filter(isBefore).length;
  return isFirst && starts <= 1 ? { room, entered, at, tookMs } : null;
}

/** Whether the success is one of all players, and another player failed in the room before it. */
function isSharedAfterFailure(
  { events, others = [], meanings }: RecordedSession,
  { room, entered, at }: FirstTry,
): boolean {
  const [from, success] = [events[entered], events[at]];
  if (!from || !success || others.length === 0 || readEventPlayer(success) !== null) return false;
  return others.some(({ timestamp, ...event }) => {
    const isFailure = ["failure", "failureState"].includes(findMeaning(event.name, meanings) ?? "");
    const isBetween = timestamp >= from.timestamp && timestamp <= success.timestamp;
    return isFailure && isBetween && (readRoom({ timestamp, ...event }) ?? room.name) === room.name;
  });
}

function toDraft(events: readonly SessionEvent[], { room, entered, at, tookMs }: FirstTry): DraftFinding {
  const where = inRoom(room.name);
  return {
    type: "positive-moment",
    sentiment: "positive",
    confidence: roundConfidence(0.6 - 0.2 * (tookMs / QUICK_MS)),
    tag: formatRoomTag("positive-moment", room.name),
    title: `Succeeded${where} in ${formatDuration(tookMs)}, on the first try in this session`,
    evidence: `In this session, the first success${where} came ${formatDuration(tookMs)} after entering, with no failure or restart before it (threshold: ${formatDuration(QUICK_MS)}): ${formatEventIds(events, [entered, at])}`,
    at: entered,
    claims: [
      {
        kind: "first-try",
        room: room.name,
        entered: eventId(events, entered),
        success: eventId(events, at),
        ms: tookMs,
      },
    ],
  };
}
