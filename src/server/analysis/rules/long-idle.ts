/** Long idle: play that stopped for minutes in a room, and went on. */

import { EVENTS } from "../../../shared/event-names.ts";
import { NO_ROOM } from "../../../shared/tags.ts";
import { inRoom } from "../../insights/tag-location.ts";
import { formatDuration, formatEventIds, formatTag } from "../../insights/wording.ts";
import { isPlayerActivity, type RecordedSession, readRoom, type SessionEvent } from "../recorded-session.ts";
import { msBetween } from "./rooms.ts";
import { type DraftFinding, growingConfidence } from "./rule.ts";

/** Idle for so long, in ms, is no pause to think: the game had nothing to offer, or somebody was at the door. */
export const LONG_IDLE_MS = 120_000;

interface IdlePeriod {
  readonly room: string;
  readonly from: number;
  readonly to: number;
  readonly ms: number;
}

/** The longest idle of each room; one that play never followed is the end of the session and no finding. */
export function findLongIdle({ events }: RecordedSession): readonly DraftFinding[] {
  const longest = new Map<string, IdlePeriod>();
  for (const idle of findIdlePeriods(events)) {
    if (idle.ms >= LONG_IDLE_MS && idle.ms > (longest.get(idle.room)?.ms ?? 0)) longest.set(idle.room, idle);
  }
  return [...longest.values()].map((idle) => toDraft(events, idle));
}

/** Each time from idle_start to the play that follows it. */
function findIdlePeriods(events: readonly SessionEvent[]): readonly IdlePeriod[] {
  const found: IdlePeriod[] = [];
  let room = NO_ROOM;
  let from: number | null = null;
  let to: number | null = null;
  for (const [at, event] of events.entries()) {
    if (event.name === EVENTS.idleStart) from ??= at;
    else if (event.name === EVENTS.idleEnd) to ??= from === null ? null : at;
    else if (isPlayerActivity(event) && from !== null) {
      const end = to ?? at;
      found.push({ room, from, to: end, ms: msBetween(events, from, end) });
      [from, to] = [null, null];
    }
    room = readRoom(event) ?? room;
  }
  return found;
}

function toDraft(events: readonly SessionEvent[], { room, from, to, ms }: IdlePeriod): DraftFinding {
  const where = inRoom(room);
  return {
    type: "pacing-issue",
    sentiment: "negative",
    confidence: growingConfidence(ms, LONG_IDLE_MS, 0.4, 0.8),
    tag: formatTag("pacing-issue", room),
    title: `Idle for ${formatDuration(ms)}${where}`,
    evidence: `No input for ${formatDuration(ms)}${where} before play went on (threshold ${formatDuration(LONG_IDLE_MS)}): ${formatEventIds(events, [from, to])}`,
    at: from,
  };
}
