/** Long idle: play that stopped for minutes in a room, and went on. */

import { EVENTS } from "../../../shared/event-names.ts";
import { inRoom, NO_ROOM } from "../../insights/where.ts";
import { eventIds, spanText, tagOf } from "../../insights/wording.ts";
import { isPlay, type PlayEvent, roomOf, type SessionPlay } from "../play.ts";
import { msBetween } from "./rooms.ts";
import { type Draft, growingConfidence } from "./rule.ts";

/** Idle for so long, in ms, is no pause to think: the game had nothing to offer, or somebody was at the door. */
export const LONG_IDLE_MS = 120_000;

interface Idle {
  readonly room: string;
  readonly from: number;
  readonly to: number;
  readonly ms: number;
}

/** The longest idle of each room; one that play never followed is the end of the session and no finding. */
export function findLongIdle({ events }: SessionPlay): readonly Draft[] {
  const longest = new Map<string, Idle>();
  for (const idle of idles(events)) {
    if (idle.ms >= LONG_IDLE_MS && idle.ms > (longest.get(idle.room)?.ms ?? 0)) longest.set(idle.room, idle);
  }
  return [...longest.values()].map((idle) => draftOf(events, idle));
}

/** Each time from idle_start to the play that follows it. */
function idles(events: readonly PlayEvent[]): readonly Idle[] {
  const found: Idle[] = [];
  let room = NO_ROOM;
  let from: number | null = null;
  let to: number | null = null;
  for (const [at, event] of events.entries()) {
    if (event.name === EVENTS.idleStart) from ??= at;
    else if (event.name === EVENTS.idleEnd) to ??= from === null ? null : at;
    else if (isPlay(event) && from !== null) {
      const end = to ?? at;
      found.push({ room, from, to: end, ms: msBetween(events, from, end) });
      [from, to] = [null, null];
    }
    room = roomOf(event) ?? room;
  }
  return found;
}

function draftOf(events: readonly PlayEvent[], { room, from, to, ms }: Idle): Draft {
  const where = inRoom(room);
  return {
    type: "pacing-issue",
    sentiment: "negative",
    confidence: growingConfidence(ms, LONG_IDLE_MS, 0.4, 0.8),
    tag: tagOf("pacing-issue", room),
    title: `Idle for ${spanText(ms)}${where}`,
    evidence: `No input for ${spanText(ms)}${where} before play went on (threshold ${spanText(LONG_IDLE_MS)}): ${eventIds(events, [from, to])}`,
    at: from,
  };
}
