/** The session summary: active time, rooms, successes and failures, and how the session ended. */
import type { Sentiment } from "../../../contract/insights.ts";
import { NO_ROOM } from "../../../shared/tags.ts";
import { formatCount } from "../../../shared/words.ts";
import { inRoom } from "../../insights/describe-tag.ts";
import { formatDuration, formatTag } from "../../insights/wording.ts";
import type { RecordedSession } from "../recorded-session.ts";
import type { RoomPlay, SessionPlay } from "../session-play.ts";
import { activeMsBetween, msBetween } from "../visits.ts";
import { claimAll } from "./claims.ts";
import type { DraftFinding } from "./rule.ts";
import { describeEnding, MAX_ROOM_LENGTH } from "./session-ending.ts";

/**
 * How many times as often as the opposite outcome an outcome must occur to set the sentiment of a session. Occasional
 * failures and successes are normal in a game.
 */
export const BALANCE_FACTOR = 2;
/** Minimum number of such outcomes to set the sentiment. */
export const MIN_OUTCOMES = 3;

/**
 * Exactly one finding for every session. For a session without events, the summary of a transcript takes precedence.
 */
export function summarizeSession(session: RecordedSession, play: SessionPlay): readonly DraftFinding[] {
  const { events } = session;
  if (events.length === 0) return [summarizeEmptySession(session)];
  const last = events.length - 1;
  // Not the times that the client reports: they would contradict the times in rooms, which come from the events.
  const [wallMs, activeMs] = [msBetween(events, 0, last), activeMsBetween(play, 0, last)];
  const totals = countOutcomes(play);
  const { rooms, roomsCompleted, failures } = totals;
  const hardest = findHardestRoom(play);
  const ending = describeEnding(session, play);
  const played = `Events show ${formatDuration(activeMs)} of active play${rooms === 0 ? "" : ` in ${formatCount(rooms, "room")}`}`;
  const counts = `${describeSuccesses(totals)}, ${formatCount(failures, "failure")}${describeHardestRoom(hardest, failures)}`;
  const whole = { from: null, to: null };
  return [
    {
      type: "session-summary",
      sentiment: classifyOutcomes(totals, ending.crashed),
      confidence: 1,
      tag: formatTag("session-summary", "session"),
      title: `${played}: ${counts}; ${ending.words}`,
      evidence: `${formatCount(events.length, "event")} within ${formatDuration(wallMs)}${describeEarlierCrashes(session)}`,
      at: events.length,
      claims: [
        { kind: "summary", activeMs, wallMs, rooms, roomsCompleted, failures, events: events.length },
        claimAll("successes", events, null, totals.successes, whole),
        ...(hardest === null ? [] : [claimAll("failures", events, hardest.name, hardest.failures, whole)]),
        ...ending.claims,
      ],
    },
  ];
}

/** The crashes of earlier sessions that this session reported, as the end of a sentence; empty if there are none. */
function describeEarlierCrashes({ earlierCrashes = new Map() }: RecordedSession): string {
  const known = [...new Set(earlierCrashes.values())].flatMap((sessionId) => sessionId ?? []);
  if (earlierCrashes.size === 0) return "";
  if (earlierCrashes.size === 1 && known.length === 0) return "; reported a crash of another session";
  if (known.length === 1) return `; reported a crash of the earlier session ${known[0]}`;
  return `; reported ${formatCount(earlierCrashes.size, "crash", "crashes")} of other sessions`;
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
    claims: [
      { kind: "summary", activeMs: 0, wallMs: 0, rooms: 0, roomsCompleted: 0, failures: 0, events: 0 },
    ],
  };
}

interface OutcomeTotals {
  /** Number of named rooms, and of those with a success. */
  readonly rooms: number;
  readonly roomsCompleted: number;
  readonly failures: number;
  /** All successes of the session, in order. */
  readonly successes: readonly number[];
  /** Whether a success names no room. */
  readonly unnamedSuccess: boolean;
}

function countOutcomes({ rooms }: SessionPlay): OutcomeTotals {
  const all = [...rooms.values()];
  const named = all.filter(({ name }) => name !== NO_ROOM);
  return {
    rooms: named.length,
    roomsCompleted: named.filter(({ successes }) => successes.length > 0).length,
    failures: all.reduce((total, { failures }) => total + failures.length, 0),
    successes: all.flatMap(({ successes }) => successes).sort((a, b) => a - b),
    unnamedSuccess: (rooms.get(NO_ROOM)?.successes.length ?? 0) > 0,
  };
}

/** The number of rooms with a success, or the number of successes if not all of them name a room. */
function describeSuccesses({ rooms, roomsCompleted, successes, unnamedSuccess }: OutcomeTotals): string {
  if (rooms === 0 || unnamedSuccess) return formatCount(successes.length, "success", "successes");
  return roomsCompleted === 0 ? "no success" : `success in ${formatCount(roomsCompleted, "room")}`;
}

/** The room with the most failures, the first one if tied; null if there are no failures. */
function findHardestRoom({ rooms }: SessionPlay): RoomPlay | null {
  let hardest: RoomPlay | null = null;
  for (const room of rooms.values()) {
    if (room.failures.length > (hardest?.failures.length ?? 0)) hardest = room;
  }
  return hardest;
}

/** The room with the most failures, in parentheses; empty if there are no failures or the room is unknown. */
function describeHardestRoom(hardest: RoomPlay | null, failures: number): string {
  if (hardest === null || hardest.name === NO_ROOM) return "";
  const count = hardest.failures.length;
  const where = inRoom(hardest.name, MAX_ROOM_LENGTH).trimStart();
  if (count < failures) return ` (${count} ${where})`;
  return count === 1 ? ` (${where})` : ` (all ${where})`;
}

/** The sentiment of the prevailing outcome; negative if the session ended with a crash. */
function classifyOutcomes({ failures, successes }: OutcomeTotals, crashed: boolean): Sentiment {
  if (crashed) return "negative";
  if (failures >= MIN_OUTCOMES && failures >= successes.length * BALANCE_FACTOR) return "negative";
  if (successes.length >= MIN_OUTCOMES && successes.length >= failures * BALANCE_FACTOR) return "positive";
  return "neutral";
}
