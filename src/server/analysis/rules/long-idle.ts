/** Long idle: periods without input that lasted minutes before the player resumed. */

import { EVENTS } from "../../../shared/event-names.ts";
import { NO_ROOM } from "../../../shared/tags.ts";
import { inRoom } from "../../insights/describe-tag.ts";
import { formatDuration, formatEventIds, formatRoomTag } from "../../insights/wording.ts";
import { isPlayerActivity } from "../../sessions/durations.ts";
import { type RecordedSession, readRoom, type SessionEvent } from "../recorded-session.ts";
import { msBetween } from "../visits.ts";
import { eventId } from "./claims.ts";
import { type DraftFinding, growingConfidence } from "./rule.ts";

/** Minimum idle time, in ms. Shorter pauses may be thinking time. */
export const LONG_IDLE_MS = 120_000;

interface IdlePeriod {
  readonly room: string;
  readonly from: number;
  readonly to: number;
  readonly ms: number;
}

/** The longest idle period in each room. A period that no activity follows is the end of the session, not a finding. */
export function findLongIdle({ events }: RecordedSession): readonly DraftFinding[] {
  const longest = new Map<string, IdlePeriod>();
  for (const idle of findIdlePeriods(events)) {
    if (idle.ms >= LONG_IDLE_MS && idle.ms > (longest.get(idle.room)?.ms ?? 0)) longest.set(idle.room, idle);
  }
  return [...longest.values()].map((idle) => toDraft(events, idle));
}

/** Each period from an idle_start that player activity follows. */
function findIdlePeriods(events: readonly SessionEvent[]): readonly IdlePeriod[] {
  const periods: IdlePeriod[] = [];
  let current = NO_ROOM;
  let room = NO_ROOM;
  let from: number | null = null;
  let to: number | null = null;
  for (const [at, event] of events.entries()) {
    current = readRoom(event) ?? current;
    if (event.name === EVENTS.idleStart) {
      if (from === null) room = current;
      from ??= at;
    } else if (event.name === EVENTS.idleEnd) to ??= from === null ? null : at;
    else if (isPlayerActivity(event) && from !== null) {
      const end = to ?? at;
      periods.push({ room, from, to: end, ms: msBetween(events, from, end) });
      [from, to] = [null, null];
    }
  }
  return periods;
}

function toDraft(events: readonly SessionEvent[], { room, from, to, ms }: IdlePeriod): DraftFinding {
  const where = inRoom(room);
  return {
    type: "pacing-issue",
    sentiment: "negative",
    confidence: growingConfidence(ms, LONG_IDLE_MS, 0.3, 0.6),
    tag: formatRoomTag("pacing-issue", room),
    title: `Idle for ${formatDuration(ms)}${where}`,
    evidence: `The game reported no input for ${formatDuration(ms)}${where} before the player resumed (threshold: ${formatDuration(LONG_IDLE_MS)}): ${formatEventIds(events, [from, to])}`,
    at: from,
    shown: to,
    claims: [{ kind: "idle", room, from: eventId(events, from), to: eventId(events, to), ms }],
  };
}
