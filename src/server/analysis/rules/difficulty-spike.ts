/** Difficulty spikes: rooms in which the player failed repeatedly. */

import { inRoom } from "../../insights/tag-location.ts";
import { formatCount, formatDuration, formatEventIds, formatTag } from "../../insights/wording.ts";
import type { RecordedSession, SessionEvent } from "../recorded-session.ts";
import { type ActivityByRoom, msBetween, NO_LASTING_SUCCESS, type RoomActivity } from "./rooms.ts";
import { type DraftFinding, growingConfidence } from "./rule.ts";

/**
 * Failures in a row, with no lasting success in between, that make a spike. In the puzzle game that the rules were
 * tuned on, the median is 1 failure per visit to a room, and 5 in a row happen in one of 13 visits.
 */
export const RUN_THRESHOLD = 5;
/**
 * Failures in one room over the whole session that make a spike even with successes in between. This is twice the
 * threshold of a run, because a success shows that the player can do it.
 */
export const TOTAL_THRESHOLD = 10;
/**
 * How many times the session's median the failures of a room must be. In a game where every room costs five lives,
 * only a room that costs clearly more is a spike.
 */
export const OUTSTANDING_FACTOR = 2;
/** Failures in a row that always make a spike, regardless of the other rooms. */
export const RUN_ALWAYS = 10;
/** Minimum number of rooms with failures or successes for a median. */
export const MEDIAN_MIN_ROOMS = 4;

export function findDifficultySpikes(
  session: RecordedSession,
  byRoom: ActivityByRoom,
): readonly DraftFinding[] {
  const median = medianFailures(byRoom);
  const drafts: DraftFinding[] = [];
  for (const room of byRoom.rooms.values()) {
    const run = room.longestRun.length;
    const total = room.failures.length;
    if (run < RUN_THRESHOLD && total < TOTAL_THRESHOLD) continue;
    if (run < RUN_ALWAYS && total < median * OUTSTANDING_FACTOR) continue;
    drafts.push(run >= RUN_THRESHOLD ? toRunDraft(session.events, room) : toTotalDraft(session.events, room));
  }
  return drafts;
}

function toRunDraft(events: readonly SessionEvent[], room: RoomActivity): DraftFinding {
  const run = room.longestRun;
  const total = room.failures.length;
  const where = inRoom(room.name);
  const ofTotal = total > run.length ? `; ${total} failures${where} in total` : "";
  return {
    type: "difficulty-spike",
    sentiment: "negative",
    confidence: Math.max(runConfidence(run.length), totalConfidence(total)),
    tag: formatTag("difficulty-spike", room.name),
    title: `Failed ${run.length} times in a row${where}`,
    evidence: `${run.length} failures${where} within ${formatSpan(events, run)}, with ${NO_LASTING_SUCCESS} in between (threshold: ${RUN_THRESHOLD} failures): ${formatEventIds(events, run)}${ofTotal}`,
    at: run[0] ?? 0,
  };
}

function toTotalDraft(events: readonly SessionEvent[], room: RoomActivity): DraftFinding {
  const { failures, successes } = room;
  const where = inRoom(room.name);
  return {
    type: "difficulty-spike",
    sentiment: "negative",
    confidence: totalConfidence(failures.length),
    tag: formatTag("difficulty-spike", room.name),
    title: `Failed ${failures.length} times${where}, with successes in between`,
    evidence: `${failures.length} failures${where} within ${formatSpan(events, failures)} (threshold: ${TOTAL_THRESHOLD} failures), with ${formatCount(successes.length, "success", "successes")} in between: ${formatEventIds(events, failures)}`,
    at: failures[0] ?? 0,
  };
}

function runConfidence(failures: number): number {
  return growingConfidence(failures, RUN_THRESHOLD, 0.5, 0.95);
}

/** 0 below the threshold. Lower than for a run, because the player also succeeded. */
function totalConfidence(failures: number): number {
  return failures < TOTAL_THRESHOLD ? 0 : growingConfidence(failures, TOTAL_THRESHOLD, 0.5, 0.8);
}

function formatSpan(events: readonly SessionEvent[], positions: readonly number[]): string {
  return formatDuration(msBetween(events, positions[0] ?? 0, positions.at(-1) ?? 0));
}

/** The median number of failures over the rooms with any outcome; 0 if there are too few rooms to compare. */
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
