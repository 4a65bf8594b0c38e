/** The session's summary: where it went, what succeeded and failed, how long it took and how it ended. */
import type { Sentiment } from "../../../contract/insights.ts";
import { inRoom, NO_ROOM } from "../../insights/where.ts";
import { counted, spanText, tagOf } from "../../insights/wording.ts";
import { playDurations } from "../../sessions/durations.ts";
import type { SessionPlay } from "../play.ts";
import { LEAVING_MS } from "./negative-moment.ts";
import { msBetween, type PlayByRoom, type RoomPlay } from "./rooms.ts";
import type { Draft } from "./rule.ts";

/**
 * How many times the other outcomes must occur for one of them to colour the session: a game is meant to be
 * failed at times, so neither a few failures nor a few successes say how it felt.
 */
export const BALANCE_FACTOR = 2;
/** Fewer outcomes than this say nothing about a session. */
export const BALANCE_LEAST = 3;
/** Characters of a room's name: the summary names up to two on one line. */
const ROOM_LENGTH = 40;

/** Exactly one finding for every session. Of one without events the transcript's, which comes first, is kept where there is one. */
export function summarizeSession(play: SessionPlay, byRoom: PlayByRoom): readonly Draft[] {
  if (play.events.length === 0) return [withoutPlay(play)];
  const { wallMs, activeMs } = playDurations(play.events, play.snapshot);
  const { failures, successes } = byRoom;
  const rooms = visited(byRoom);
  const seen = rooms === 0 ? "" : ` in ${counted(rooms, "room")}`;
  const counts = `${counted(successes, "success", "successes")}, ${counted(failures, "failure")}${worst(byRoom)}`;
  const ending = endingOf(play, byRoom);
  return [
    {
      type: "session-summary",
      sentiment: balanceOf(byRoom),
      confidence: 1,
      tag: tagOf("session-summary", "session"),
      title: `${spanText(activeMs)} of play${seen}: ${counts}; ${ending}`,
      evidence: `${spanText(activeMs)} active of ${spanText(wallMs)}${seen}, ${counted(play.events.length, "event")}: ${counts}; ${ending}`,
      at: play.events.length,
    },
  ];
}

/** What is told of a session in which nothing was played as far as anybody knows. */
function withoutPlay({ feedback = [], transcript }: SessionPlay): Draft {
  const answers = feedback.length === 0 ? "" : `, ${counted(feedback.length, "answer")} in forms`;
  const wordless = transcript == null ? "no transcript or notes" : "a transcript without words";
  return {
    type: "session-summary",
    sentiment: "neutral",
    confidence: 1,
    tag: tagOf("session-summary", "session"),
    title: answers === "" ? "Nothing was recorded" : `No play was recorded${answers}`,
    evidence: `No events, ${wordless}${answers}`,
    at: 0,
  };
}

function visited({ rooms }: PlayByRoom): number {
  let count = 0;
  for (const { named } of rooms.values()) if (named) count += 1;
  return count;
}

/** The room with the most failures, the first of equals; null when nothing failed. */
function hardestRoom({ rooms }: PlayByRoom): RoomPlay | null {
  let hardest: RoomPlay | null = null;
  for (const room of rooms.values()) {
    if (room.failures.length > (hardest?.failures.length ?? 0)) hardest = room;
  }
  return hardest;
}

/** Where most failures were, in brackets; empty where nothing failed or no room is known. */
function worst(byRoom: PlayByRoom): string {
  const hardest = hardestRoom(byRoom);
  if (hardest === null || hardest.name === NO_ROOM) return "";
  const there = hardest.failures.length;
  const where = inRoom(hardest.name, ROOM_LENGTH).trimStart();
  if (there < byRoom.failures) return ` (${there} ${where})`;
  return there === 1 ? ` (${where})` : ` (all ${where})`;
}

/** Coloured by what outweighs the rest, or by a crash that ended it. */
function balanceOf({ failures, successes, lastOutcome }: PlayByRoom): Sentiment {
  if (lastOutcome?.meaning === "crash") return "negative";
  if (failures >= BALANCE_LEAST && failures >= successes * BALANCE_FACTOR) return "negative";
  if (successes >= BALANCE_LEAST && successes >= failures * BALANCE_FACTOR) return "positive";
  return "neutral";
}

/** How the session ended, in words that finish a sentence. */
function endingOf({ events, ended }: SessionPlay, byRoom: PlayByRoom): string {
  if (!ended) return "still open";
  const { lastOutcome, lastPlay, lastRoom, givingsUp } = byRoom;
  const lastGivingUp = givingsUp.at(-1);
  if (lastGivingUp !== undefined && lastGivingUp.at === lastPlay) {
    return `ended by giving up${inRoom(lastGivingUp.room, ROOM_LENGTH)}`;
  }
  if (lastOutcome !== null) {
    const after = msBetween(events, lastOutcome.at, lastPlay);
    const what = `a ${lastOutcome.meaning}${inRoom(lastOutcome.room, ROOM_LENGTH)}`;
    if (after < 1000) return `ended with ${what}`;
    if (after <= LEAVING_MS) return `ended ${spanText(after)} after ${what}`;
  }
  return lastRoom === null ? "ended" : `ended${inRoom(lastRoom, ROOM_LENGTH)}`;
}
