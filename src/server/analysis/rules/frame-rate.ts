/** Low frame rate: a room in which the game told again and again that it stuttered. */

import { EVENTS } from "../../../shared/event-names.ts";
import { frameRateLocation, NO_ROOM } from "../../../shared/tags.ts";
import { inRoom } from "../../insights/tag-location.ts";
import { formatCount, formatEventIds, formatTag } from "../../insights/wording.ts";
import { type RecordedSession, readRoom, type SessionEvent } from "../recorded-session.ts";
import { type DraftFinding, growingConfidence } from "./rule.ts";

/** Drops in one room that make a bug: loading costs every game one or two. */
export const DROPS_THRESHOLD = 3;

/** One finding a room; drops that name none belong to the session. */
export function findLowFrameRate({ events }: RecordedSession): readonly DraftFinding[] {
  const byRoom = new Map<string, number[]>();
  for (const [at, event] of events.entries()) {
    if (event.name !== EVENTS.fpsDrop) continue;
    const room = readRoom(event) ?? NO_ROOM;
    const known = byRoom.get(room);
    if (known) known.push(at);
    else byRoom.set(room, [at]);
  }
  return [...byRoom].flatMap(([room, drops]) =>
    drops.length < DROPS_THRESHOLD ? [] : [toDraft(events, room, drops)],
  );
}

function toDraft(events: readonly SessionEvent[], room: string, drops: readonly number[]): DraftFinding {
  const where = inRoom(room);
  const lowest = findLowestRate(events, drops);
  const down = lowest === null ? "" : `, down to ${lowest} frames a second`;
  return {
    type: "bug-report",
    sentiment: "negative",
    confidence: growingConfidence(drops.length, DROPS_THRESHOLD, 0.5, 0.9),
    tag: formatTag("bug-report", frameRateLocation(room)),
    title: `Low frame rate${where}: ${formatCount(drops.length, "drop")}${down}`,
    evidence: `${formatCount(drops.length, "drop")} of the frame rate${where}${down} (threshold ${DROPS_THRESHOLD}): ${formatEventIds(events, drops)}`,
    at: drops[0] ?? 0,
  };
}

/** The lowest rate that the drops tell, whole frames a second; null where they tell none. */
function findLowestRate(events: readonly SessionEvent[], drops: readonly number[]): number | null {
  let lowest: number | null = null;
  for (const at of drops) {
    const fps = events[at]?.data?.fps;
    if (typeof fps !== "number" || !Number.isFinite(fps) || fps < 0 || fps > 1000) continue;
    lowest = Math.min(lowest ?? fps, Math.round(fps));
  }
  return lowest;
}
