/** The session's summary: where it went, what succeeded and failed, how long it took and how it ended. */
import type { Sentiment } from "../../../contract/insights.ts";
import { playDurations } from "../durations.ts";
import { placeName, type SessionPlay } from "../play.ts";
import { LEAVING_MS } from "./negative-moment.ts";
import { msBetween, type PlayByRoom, type RoomPlay } from "./rooms.ts";
import type { Draft } from "./rule.ts";
import { counted, quote, spanText, tagOf } from "./wording.ts";

/**
 * How many times the other outcomes must occur for one of them to colour the session: a game is meant to be
 * failed at times, so neither a few failures nor a few successes say how it felt.
 */
export const BALANCE_FACTOR = 2;
/** Fewer outcomes than this say nothing about a session. */
export const BALANCE_LEAST = 3;
/** Characters of a room's name: the summary names up to two on one line. */
const ROOM_LENGTH = 40;

/** Exactly one finding for a session with events. */
export function summarizeSession(play: SessionPlay, byRoom: PlayByRoom): readonly Draft[] {
  if (play.events.length === 0) return [];
  const { wallMs, activeMs } = playDurations(play.events, play.snapshot);
  const { failures, successes } = byRoom;
  const hardest = hardestRoom(byRoom);
  const counts = `${counted(visited(byRoom), "room")}, ${counted(successes, "success", "successes")}, ${counted(failures, "failure")}`;
  const ending = endingOf(play, byRoom);
  const hard =
    hardest === null
      ? ""
      : `; hardest ${roomName(hardest.name)} (${counted(hardest.failures.length, "failure")})`;
  return [
    {
      type: "session-summary",
      sentiment: balanceOf(byRoom),
      confidence: 1,
      tag: tagOf("session-summary", "session"),
      title: `${spanText(activeMs)} of play: ${counts}${hard}; ${ending}`,
      evidence: `${spanText(activeMs)} active of ${spanText(wallMs)}, ${counted(play.events.length, "event")}: ${counts}${hard}; ${ending}`,
      at: play.events.length,
    },
  ];
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
    return `ended by giving up ${roomName(lastGivingUp.room)}`;
  }
  if (lastOutcome !== null) {
    const after = msBetween(events, lastOutcome.at, lastPlay);
    const what = `a ${lastOutcome.meaning} in ${roomName(lastOutcome.room)}`;
    if (after < 1000) return `ended with ${what}`;
    if (after <= LEAVING_MS) return `ended ${spanText(after)} after ${what}`;
  }
  return lastRoom === null ? "ended" : `ended in ${roomName(lastRoom)}`;
}

function roomName(room: string): string {
  return quote(placeName(room), ROOM_LENGTH);
}
