/** The session summary: active time, rooms, successes and failures, and how the session ended. */
import type { Sentiment } from "../../../contract/insights.ts";
import { NO_ROOM } from "../../../shared/tags.ts";
import { inRoom } from "../../insights/tag-location.ts";
import { formatCount, formatDuration, formatTag } from "../../insights/wording.ts";
import { computeDurations } from "../../sessions/durations.ts";
import type { RecordedSession } from "../recorded-session.ts";
import { QUIT_AFTER_FAILURE_MS } from "./negative-moment.ts";
import { type ActivityByRoom, msBetween, type RoomActivity } from "./rooms.ts";
import type { DraftFinding } from "./rule.ts";

/**
 * How many times as often as the opposite outcome an outcome must occur to set the sentiment of a session. Occasional
 * failures and successes are normal in a game.
 */
export const BALANCE_FACTOR = 2;
/** Minimum number of such outcomes to set the sentiment. */
export const MIN_OUTCOMES = 3;
/** Maximum length of a room name in characters. The summary names up to two rooms on one line. */
const MAX_ROOM_LENGTH = 40;

/**
 * Exactly one finding for every session. For a session without events, the summary of a transcript takes precedence.
 */
export function summarizeSession(session: RecordedSession, byRoom: ActivityByRoom): readonly DraftFinding[] {
  if (session.events.length === 0) return [summarizeEmptySession(session)];
  const { wallMs, activeMs } = computeDurations(session.events, session.snapshot);
  const { failures, successes } = byRoom;
  const rooms = countVisitedRooms(byRoom);
  const inRooms = rooms === 0 ? "" : ` in ${formatCount(rooms, "room")}`;
  const counts = `${formatCount(successes, "success", "successes")}, ${formatCount(failures, "failure")}${describeHardestRoom(byRoom)}`;
  const ending = describeEnding(session, byRoom);
  return [
    {
      type: "session-summary",
      sentiment: crashedAtEnd(session) ? "negative" : classifyOutcomes(byRoom),
      confidence: 1,
      tag: formatTag("session-summary", "session"),
      title: `${formatDuration(activeMs)} of active play${inRooms}: ${counts}; ${ending}`,
      evidence: `Wall time ${formatDuration(wallMs)}, ${formatCount(session.events.length, "event")}${describeEarlierCrashes(session)}`,
      at: session.events.length,
    },
  ];
}

/** The summary of a session without events. */
function summarizeEmptySession({ feedback = [], transcript }: RecordedSession): DraftFinding {
  const answers = feedback.length === 0 ? "" : `, ${formatCount(feedback.length, "form answer")}`;
  const transcriptState = transcript == null ? "no transcript or notes" : "transcript without words";
  return {
    type: "session-summary",
    sentiment: "neutral",
    confidence: 1,
    tag: formatTag("session-summary", "session"),
    title: answers === "" ? "Nothing was recorded" : `No events were recorded${answers}`,
    evidence: `No events, ${transcriptState}`,
    at: 0,
  };
}

function countVisitedRooms({ rooms }: ActivityByRoom): number {
  let count = 0;
  for (const { named } of rooms.values()) if (named) count += 1;
  return count;
}

/** The room with the most failures, the first one if tied; null if there are no failures. */
function findHardestRoom({ rooms }: ActivityByRoom): RoomActivity | null {
  let hardest: RoomActivity | null = null;
  for (const room of rooms.values()) {
    if (room.failures.length > (hardest?.failures.length ?? 0)) hardest = room;
  }
  return hardest;
}

/** The room with the most failures, in parentheses; empty if there are no failures or the room is unknown. */
function describeHardestRoom(byRoom: ActivityByRoom): string {
  const hardest = findHardestRoom(byRoom);
  if (hardest === null || hardest.name === NO_ROOM) return "";
  const count = hardest.failures.length;
  const where = inRoom(hardest.name, MAX_ROOM_LENGTH).trimStart();
  if (count < byRoom.failures) return ` (${count} ${where})`;
  return count === 1 ? ` (${where})` : ` (all ${where})`;
}

/** The sentiment of the prevailing outcome; negative if the last outcome was a crash. */
function classifyOutcomes({ failures, successes, lastOutcome }: ActivityByRoom): Sentiment {
  if (lastOutcome?.meaning === "crash") return "negative";
  if (failures >= MIN_OUTCOMES && failures >= successes * BALANCE_FACTOR) return "negative";
  if (successes >= MIN_OUTCOMES && successes >= failures * BALANCE_FACTOR) return "positive";
  return "neutral";
}

/** Whether the game crashed without being able to report it within the session. */
function crashedAtEnd({ reportedCrashes = [] }: RecordedSession): boolean {
  return reportedCrashes.length > 0;
}

/** The crashes of earlier sessions that this session reported, as the end of a sentence; empty if there are none. */
function describeEarlierCrashes({ earlierCrashes = new Map() }: RecordedSession): string {
  const known = [...new Set(earlierCrashes.values())].flatMap((sessionId) => sessionId ?? []);
  if (earlierCrashes.size === 0) return "";
  if (earlierCrashes.size === 1 && known.length === 0) return "; reported a crash of an earlier session";
  if (known.length === 1) return `; reported a crash of the earlier session ${known[0]}`;
  return `; reported ${formatCount(earlierCrashes.size, "crash", "crashes")} of earlier sessions`;
}

/** How the session ended, as the end of a sentence. */
function describeEnding(session: RecordedSession, byRoom: ActivityByRoom): string {
  const { events, ended } = session;
  if (!ended) return "still in progress";
  if (crashedAtEnd(session)) return "ended with a crash, which a later session reported";
  const { lastOutcome, lastActivity, lastRoom, giveUps } = byRoom;
  const lastGiveUp = giveUps.at(-1);
  if (lastGiveUp !== undefined && lastGiveUp.at === lastActivity) {
    return `ended when the player gave up${inRoom(lastGiveUp.room, MAX_ROOM_LENGTH)}`;
  }
  if (lastOutcome !== null) {
    const after = msBetween(events, lastOutcome.at, lastActivity);
    const outcome = `a ${lastOutcome.meaning}${inRoom(lastOutcome.room, MAX_ROOM_LENGTH)}`;
    if (after < 1000) return `ended with ${outcome}`;
    if (after <= QUIT_AFTER_FAILURE_MS) return `ended ${formatDuration(after)} after ${outcome}`;
  }
  return lastRoom === null ? "ended" : `ended${inRoom(lastRoom, MAX_ROOM_LENGTH)}`;
}
