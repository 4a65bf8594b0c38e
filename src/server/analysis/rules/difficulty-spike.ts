/** Difficulty spikes: rooms in which the player failed again and again. */

import { inRoom } from "../../insights/tag-location.ts";
import { formatCount, formatDuration, formatEventIds, formatTag } from "../../insights/wording.ts";
import type { RecordedSession, SessionEvent } from "../recorded-session.ts";
import { type ActivityByRoom, msBetween, type RoomActivity } from "./rooms.ts";
import { type DraftFinding, growingConfidence } from "./rule.ts";

/**
 * Failures in a row, without a success that lasts, that make a spike. In the puzzle game the rules were tuned
 * on, a visit to a room costs 1 failure at the median, and 5 in a row happen in one visit of thirteen.
 */
export const RUN_THRESHOLD = 5;
/**
 * Failures in one room over the whole session that make a spike even though the player mastered it in between:
 * twice the run, for success in between shows that it can be done.
 */
export const TOTAL_THRESHOLD = 10;
/**
 * How many times the session's median room the failures must be. Where every room costs five lives, dying is
 * how the game is played, and only a room that stands out is worth a look.
 */
export const OUTSTANDING_FACTOR = 2;
/** Failures in a row that make a spike however hard the other rooms are: nobody plays for that. */
export const RUN_ALWAYS = 10;
/** With fewer rooms won or lost than this, their median says nothing. */
export const MEDIAN_MIN_ROOMS = 4;

export function findDifficultySpikes(play: RecordedSession, byRoom: ActivityByRoom): readonly DraftFinding[] {
  const usual = medianFailures(byRoom);
  const found: DraftFinding[] = [];
  for (const room of byRoom.rooms.values()) {
    const run = room.longestRun.length;
    const total = room.failures.length;
    if (run < RUN_THRESHOLD && total < TOTAL_THRESHOLD) continue;
    if (run < RUN_ALWAYS && total < usual * OUTSTANDING_FACTOR) continue;
    found.push(run >= RUN_THRESHOLD ? runSpike(play.events, room) : totalSpike(play.events, room));
  }
  return found;
}

function runSpike(events: readonly SessionEvent[], room: RoomActivity): DraftFinding {
  const run = room.longestRun;
  const total = room.failures.length;
  const where = inRoom(room.name);
  const beside = total > run.length ? `; ${total} failures there in all` : "";
  return {
    type: "difficulty-spike",
    sentiment: "negative",
    confidence: Math.max(runConfidence(run.length), totalConfidence(total)),
    tag: formatTag("difficulty-spike", room.name),
    title: `Failed ${run.length} times in a row${where}`,
    evidence: `${run.length} failures${where} within ${formatSpan(events, run)} without a success that lasted (threshold ${RUN_THRESHOLD}): ${formatEventIds(events, run)}${beside}`,
    at: run[0] ?? 0,
  };
}

function totalSpike(events: readonly SessionEvent[], room: RoomActivity): DraftFinding {
  const { failures, successes } = room;
  const where = inRoom(room.name);
  return {
    type: "difficulty-spike",
    sentiment: "negative",
    confidence: totalConfidence(failures.length),
    tag: formatTag("difficulty-spike", room.name),
    title: `Failed ${failures.length} times${where}, with successes in between`,
    evidence: `${failures.length} failures${where} within ${formatSpan(events, failures)} (threshold ${TOTAL_THRESHOLD}), with ${formatCount(successes.length, "success", "successes")} in between: ${formatEventIds(events, failures)}`,
    at: failures[0] ?? 0,
  };
}

function runConfidence(failures: number): number {
  return growingConfidence(failures, RUN_THRESHOLD, 0.5, 0.95);
}

/** 0 below the threshold; less sure than a run, for the player got on all the same. */
function totalConfidence(failures: number): number {
  return failures < TOTAL_THRESHOLD ? 0 : growingConfidence(failures, TOTAL_THRESHOLD, 0.5, 0.8);
}

function formatSpan(events: readonly SessionEvent[], positions: readonly number[]): string {
  return formatDuration(msBetween(events, positions[0] ?? 0, positions.at(-1) ?? 0));
}

/** The median of failures over the rooms won or lost; 0 when they are too few to compare. */
function medianFailures(byRoom: ActivityByRoom): number {
  const counts: number[] = [];
  for (const { failures, successes } of byRoom.rooms.values()) {
    if (failures.length + successes.length > 0) counts.push(failures.length);
  }
  if (counts.length < MEDIAN_MIN_ROOMS) return 0;
  counts.sort((a, b) => a - b);
  const middle = Math.floor(counts.length / 2);
  const upper = counts[middle] ?? 0;
  return counts.length % 2 === 1 ? upper : (upper + (counts[middle - 1] ?? 0)) / 2;
}
