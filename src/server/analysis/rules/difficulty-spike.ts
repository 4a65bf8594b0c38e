/** Difficulty spikes: rooms in which the player failed or started over repeatedly. */

import { NO_ROOM } from "../../../shared/tags.ts";
import { formatCount } from "../../../shared/words.ts";
import { median } from "../../../statistics/averages.ts";
import { inRoom } from "../../insights/describe-tag.ts";
import { formatDuration, formatEventIds, formatRoomTag, joinWithAnd } from "../../insights/wording.ts";
import type { RecordedSession, SessionEvent } from "../recorded-session.ts";
import type { RoomPlay, SessionPlay } from "../session-play.ts";
import { msBetween } from "../visits.ts";
import { claimAll, claimInterval, claimStretch, describeStretchEnd, listIds } from "./claims.ts";
import { type DraftFinding, growingConfidence } from "./rule.ts";
import { findStruggle, type Struggle } from "./struggles.ts";

/** Failures in a row, or unsuccessful attempts before a success, that make a spike. */
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
/** Minimum active time in the room up to the success, in ms, for a spike with fewer than MIN_FAILURES failures. */
export const MIN_SPIKE_MS = 45_000;
export const MIN_FAILURES = 3;

export function findDifficultySpikes(session: RecordedSession, play: SessionPlay): readonly DraftFinding[] {
  const { events } = session;
  const usual = medianFailures(play);
  return [...play.rooms.values()].flatMap((room) => {
    const run = findLongestRun(play, room);
    const struggle = findStruggle(events, play, room);
    const total = Math.max(room.failures.length, struggle?.attempts ?? 0);
    if (run.length < RUN_ALWAYS && total < usual * OUTSTANDING_FACTOR) return [];
    if (run.length >= RUN_THRESHOLD) return toRunDraft(events, room, run);
    if (struggle !== null && isSpike(struggle)) return toStruggleDraft(events, room, struggle);
    return room.failures.length >= TOTAL_THRESHOLD ? toTotalDraft(events, room) : [];
  });
}

function isSpike({ attempts, failures, ms }: Struggle): boolean {
  return attempts >= RUN_THRESHOLD && (failures.length >= MIN_FAILURES || ms >= MIN_SPIKE_MS);
}

/** The longest row of failures in a room, the first one if tied. */
function findLongestRun({ rowEnds, visitAt }: SessionPlay, room: RoomPlay): readonly number[] {
  let longest: readonly number[] = [];
  let run: number[] = [];
  for (const at of room.failures) {
    const previous = run.at(-1);
    const isSameVisit =
      previous !== undefined && (room.name === NO_ROOM || visitAt[previous] === visitAt[at]);
    if (previous !== undefined && isSameVisit && rowEnds[previous] === rowEnds[at]) run.push(at);
    else run = [at];
    if (run.length > longest.length) longest = run;
  }
  return longest;
}

function toRunDraft(events: readonly SessionEvent[], room: RoomPlay, run: readonly number[]): DraftFinding {
  const { name, failures } = room;
  const [first = 0, last = 0] = [run[0], run.at(-1)];
  const where = inRoom(name);
  const ofTotal = failures.length > run.length ? `; ${failures.length} failures${where} in total` : "";
  return {
    type: "difficulty-spike",
    sentiment: "negative",
    confidence: growingConfidence(run.length, RUN_THRESHOLD, 0.5, 0.95),
    tag: formatRoomTag("difficulty-spike", name),
    title: `Failed ${run.length} times in a row${where}`,
    evidence: `${run.length} failures${where} within ${formatDuration(msBetween(events, first, last))}, with no success${name === NO_ROOM ? " or restart" : ", restart or other room"} in between (threshold: ${RUN_THRESHOLD} failures): ${formatEventIds(events, run)}${ofTotal}`,
    at: first,
    shown: run[RUN_THRESHOLD - 1],
    claims: [
      claimAll("failures", events, name, run, { from: first, to: last }),
      { kind: "in-a-row", room: name, ...listIds(events, run) },
      claimInterval(events, first, last),
      ...(ofTotal === "" ? [] : [claimAll("failures", events, name, failures, { from: null, to: null })]),
    ],
  };
}

function toStruggleDraft(
  events: readonly SessionEvent[],
  { name }: RoomPlay,
  { attempts, failures, resets, ms, stretch }: Struggle,
): DraftFinding {
  const bounds = { from: stretch.from, to: stretch.success };
  const parts = [
    ...(failures.length > 0 ? [`failed ${formatTimes(failures.length)}`] : []),
    ...(resets.length > 0 ? [`restarted ${formatTimes(resets.length)}`] : []),
  ];
  const summary = toSentence(`${joinWithAnd(parts)}${inRoom(name)} ${describeStretchEnd(stretch)}`);
  const positions = [...failures, ...resets].sort((a, b) => a - b);
  const ids = formatEventIds(events, stretch.success === null ? positions : [...positions, stretch.success]);
  const played = name === NO_ROOM ? "" : `, in ${formatDuration(ms)} of play`;
  return {
    type: "difficulty-spike",
    sentiment: "negative",
    confidence: growingConfidence(attempts, RUN_THRESHOLD, 0.4, failures.length >= MIN_FAILURES ? 0.8 : 0.6),
    tag: formatRoomTag("difficulty-spike", name),
    title: summary,
    evidence: `${summary}${played} (threshold: ${RUN_THRESHOLD} unsuccessful attempts): ${ids}`,
    at: positions[0] ?? 0,
    shown: positions[RUN_THRESHOLD - 1] ?? positions.at(-1),
    claims: [
      claimAll("failures", events, name, failures, bounds),
      claimAll("resets", events, name, resets, { from: positions[0] ?? stretch.from, to: stretch.success }),
      ...claimStretch(events, name, ms, stretch),
    ],
  };
}

function toTotalDraft(events: readonly SessionEvent[], room: RoomPlay): DraftFinding {
  const { name, failures, successes } = room;
  const where = inRoom(name);
  const [first = 0, last = 0] = [failures[0], failures.at(-1)];
  const between = successes.filter((at) => at > first && at < last);
  const succeeded =
    between.length === 0 ? "" : `, with ${formatCount(between.length, "success", "successes")} in between`;
  const summary = `Failed ${failures.length} times${where}${succeeded}`;
  return {
    type: "difficulty-spike",
    sentiment: "negative",
    confidence: growingConfidence(failures.length, TOTAL_THRESHOLD, 0.5, 0.8),
    tag: formatRoomTag("difficulty-spike", name),
    title: summary,
    evidence: `${summary}, within ${formatDuration(msBetween(events, first, last))} (threshold: ${TOTAL_THRESHOLD} failures): ${formatEventIds(events, failures)}`,
    at: first,
    shown: failures[TOTAL_THRESHOLD - 1],
    claims: [
      claimAll("failures", events, name, failures, { from: null, to: null }),
      claimAll("successes", events, name, between, { from: first, to: last }),
      claimInterval(events, first, last),
    ],
  };
}

const formatTimes = (count: number) => (count === 1 ? "once" : `${count} times`);
const toSentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The median number of failures over the rooms with any outcome; 0 if there are too few rooms to compare. */
function medianFailures({ rooms }: SessionPlay): number {
  const counts: number[] = [];
  for (const { failures, successes } of rooms.values()) {
    if (failures.length + successes.length > 0) counts.push(failures.length);
  }
  if (counts.length < MEDIAN_MIN_ROOMS) return 0;
  return median(counts);
}
