/** Low frame rate: rooms in which the game reported repeated frame rate drops. */

import { EVENTS } from "../../../shared/event-names.ts";
import { addToGroup } from "../../../shared/group-by.ts";
import { frameRateLocation, NO_ROOM } from "../../../shared/tags.ts";
import { formatCount } from "../../../shared/words.ts";
import { inRoom } from "../../insights/describe-tag.ts";
import { formatEventIds, formatTag } from "../../insights/wording.ts";
import { type RecordedSession, readRoom, type SessionEvent } from "../recorded-session.ts";
import { listIds } from "./claims.ts";
import { type DraftFinding, growingConfidence } from "./rule.ts";

/** Frame rate drops in one room that make a bug. Loading alone causes one or two in most games. */
const DROPS_THRESHOLD = 3;

/** One finding per room. Drops without a room belong to the session as a whole. */
export function findLowFrameRate({ events }: RecordedSession): readonly DraftFinding[] {
  const byRoom = new Map<string, number[]>();
  for (const [at, event] of events.entries()) {
    if (event.name !== EVENTS.fpsDrop) continue;
    addToGroup(byRoom, readRoom(event) ?? NO_ROOM, at);
  }
  return [...byRoom].flatMap(([room, drops]) =>
    drops.length < DROPS_THRESHOLD ? [] : [toDraft(events, room, drops)],
  );
}

function toDraft(events: readonly SessionEvent[], room: string, drops: readonly number[]): DraftFinding {
  const where = inRoom(room);
  const lowest = findLowestRate(events, drops);
  const downTo = lowest === null ? "" : `, down to ${lowest} fps`;
  return {
    type: "bug-report",
    sentiment: "negative",
    confidence: growingConfidence(drops.length, DROPS_THRESHOLD, 0.5, 0.9),
    tag: formatTag("bug-report", frameRateLocation(room)),
    title: `Low frame rate${where}: ${formatCount(drops.length, "drop")}${downTo}`,
    evidence: `${formatCount(drops.length, "frame rate drop")}${where}${downTo} (threshold: ${DROPS_THRESHOLD} drops): ${formatEventIds(events, drops)}`,
    at: drops[0] ?? 0,
    shown: drops[DROPS_THRESHOLD - 1],
    claims: [{ kind: "frame-drops", room, ...listIds(events, drops), lowestFps: lowest }],
  };
}

/** The lowest frame rate that the events report, rounded to whole fps; null if they report none. */
function findLowestRate(events: readonly SessionEvent[], drops: readonly number[]): number | null {
  let lowest: number | null = null;
  for (const at of drops) {
    const fps = events[at]?.data?.fps;
    if (typeof fps !== "number" || !Number.isFinite(fps) || fps < 0 || fps > 1000) continue;
    lowest = Math.min(lowest ?? Number.POSITIVE_INFINITY, Math.round(fps));
  }
  return lowest;
}
