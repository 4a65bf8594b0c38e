/** The session's summary: where it went, what succeeded and failed, how long it took and how it ended. */
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
 * How many times the other outcomes must occur for one of them to colour the session: a game is meant to be
 * failed at times, so neither a few failures nor a few successes say how it felt.
 */
export const BALANCE_FACTOR = 2;
/** Fewer outcomes than this say nothing about a session. */
export const MIN_OUTCOMES = 3;
/** Characters of a room's name: the summary names up to two on one line. */
const MAX_ROOM_LENGTH = 40;

/** Exactly one finding for every session. Of one without events the transcript's, which comes first, is kept where there is one. */
export function summarizeSession(play: RecordedSession, byRoom: ActivityByRoom): readonly DraftFinding[] {
  if (play.events.length === 0) return [summarizeEmptySession(play)];
  const { wallMs, activeMs } = computeDurations(play.events, play.snapshot);
  const { failures, successes } = byRoom;
  const rooms = countVisitedRooms(byRoom);
  const seen = rooms === 0 ? "" : ` in ${formatCount(rooms, "room")}`;
  const counts = `${formatCount(successes, "success", "successes")}, ${formatCount(failures, "failure")}${describeHardestRoom(byRoom)}`;
  const ending = describeEnding(play, byRoom);
  return [
    {
      type: "session-summary",
      sentiment: classifyOutcomes(byRoom),
      confidence: 1,
      tag: formatTag("session-summary", "session"),
      title: `${formatDuration(activeMs)} of play${seen}: ${counts}; ${ending}`,
      evidence: `${formatDuration(activeMs)} active of ${formatDuration(wallMs)}${seen}, ${formatCount(play.events.length, "event")}: ${counts}; ${ending}`,
      at: play.events.length,
    },
  ];
}

/** What is told of a session in which nothing was played as far as anybody knows. */
function summarizeEmptySession({ feedback = [], transcript }: RecordedSession): DraftFinding {
  const answers = feedback.length === 0 ? "" : `, ${formatCount(feedback.length, "answer")} in forms`;
  const wordless = transcript == null ? "no transcript or notes" : "a transcript without words";
  return {
    type: "session-summary",
    sentiment: "neutral",
    confidence: 1,
    tag: formatTag("session-summary", "session"),
    title: answers === "" ? "Nothing was recorded" : `No play was recorded${answers}`,
    evidence: `No events, ${wordless}${answers}`,
    at: 0,
  };
}

function countVisitedRooms({ rooms }: ActivityByRoom): number {
  let count = 0;
  for (const { named } of rooms.values()) if (named) count += 1;
  return count;
}

/** The room with the most failures, the first of equals; null when nothing failed. */
function hardestRoom({ rooms }: ActivityByRoom): RoomActivity | null {
  let hardest: RoomActivity | null = null;
  for (const room of rooms.values()) {
    if (room.failures.length > (hardest?.failures.length ?? 0)) hardest = room;
  }
  return hardest;
}

/** Where most failures were, in brackets; empty where nothing failed or no room is known. */
function describeHardestRoom(byRoom: ActivityByRoom): string {
  const hardest = hardestRoom(byRoom);
  if (hardest === null || hardest.name === NO_ROOM) return "";
  const there = hardest.failures.length;
  const where = inRoom(hardest.name, MAX_ROOM_LENGTH).trimStart();
  if (there < byRoom.failures) return ` (${there} ${where})`;
  return there === 1 ? ` (${where})` : ` (all ${where})`;
}

/** Coloured by what outweighs the rest, or by a crash that ended it. */
function classifyOutcomes({ failures, successes, lastOutcome }: ActivityByRoom): Sentiment {
  if (lastOutcome?.meaning === "crash") return "negative";
  if (failures >= MIN_OUTCOMES && failures >= successes * BALANCE_FACTOR) return "negative";
  if (successes >= MIN_OUTCOMES && successes >= failures * BALANCE_FACTOR) return "positive";
  return "neutral";
}

/** How the session ended, in words that finish a sentence. */
function describeEnding({ events, ended }: RecordedSession, byRoom: ActivityByRoom): string {
  if (!ended) return "still open";
  const { lastOutcome, lastPlay, lastRoom, givingsUp } = byRoom;
  const lastGivingUp = givingsUp.at(-1);
  if (lastGivingUp !== undefined && lastGivingUp.at === lastPlay) {
    return `ended by giving up${inRoom(lastGivingUp.room, MAX_ROOM_LENGTH)}`;
  }
  if (lastOutcome !== null) {
    const after = msBetween(events, lastOutcome.at, lastPlay);
    const what = `a ${lastOutcome.meaning}${inRoom(lastOutcome.room, MAX_ROOM_LENGTH)}`;
    if (after < 1000) return `ended with ${what}`;
    if (after <= QUIT_AFTER_FAILURE_MS) return `ended ${formatDuration(after)} after ${what}`;
  }
  return lastRoom === null ? "ended" : `ended${inRoom(lastRoom, MAX_ROOM_LENGTH)}`;
}
