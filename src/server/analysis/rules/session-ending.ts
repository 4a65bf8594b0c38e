/** How a session ended, for its summary. */
import type { Claim } from "../../../contract/claims.ts";
import { NO_ROOM } from "../../../shared/tags.ts";
import { inRoom } from "../../insights/describe-tag.ts";
import { formatDuration, quote } from "../../insights/wording.ts";
import { findMeaning } from "../meanings.ts";
import { type RecordedSession, readRoom, reportsEarlierCrash } from "../recorded-session.ts";
import type { SessionPlay } from "../session-play.ts";
import { measureSilenceMs, msBetween } from "../visits.ts";
import { claimEvents, claimInterval, eventId } from "./claims.ts";

/** A session that ends within this time after an outcome, in ms, is described by it. */
const ENDING_MS = 30_000;
/** Maximum length of a room name in characters. The summary names up to two rooms on one line. */
export const MAX_ROOM_LENGTH = 40;

interface SessionEnding {
  /** The end of a sentence. */
  readonly words: string;
  /** Whether the last failure, success or crash is a crash. */
  readonly crashed: boolean;
  readonly claims: readonly Claim[];
}

export function describeEnding(session: RecordedSession, play: SessionPlay): SessionEnding {
  const { events, ended } = session;
  const { lastActivity, visitAt } = play;
  const outcome = findLastOutcome(session, play);
  const reported = session.reportedCrashes?.length ?? 0;
  const crashed = outcome?.what === "crash" || reported > 0;
  if (!ended) return { words: "still in progress", crashed, claims: [] };
  if (reported > 0)
    return { words: "ended with a crash, which a later session reported", crashed, claims: [] };
  if (lastActivity < 0) return { words: "no events of play", crashed, claims: [] };
  const claims: Claim[] = [{ kind: "end", at: eventId(events, lastActivity) }];
  const silenceMs = measureSilenceMs(play);
  const last = silenceMs > ENDING_MS ? undefined : events[lastActivity];
  const room = visitAt[lastActivity]?.room ?? NO_ROOM;
  const where = inRoom(room, MAX_ROOM_LENGTH);
  if (last && findMeaning(last.name, session.meanings) === "givingUp") {
    const words = `ended with ${quote(last.name, MAX_ROOM_LENGTH)}${where}`;
    return { words, crashed, claims: [...claims, claimEvents(events, [lastActivity])] };
  }
  const afterMs = outcome === null ? Number.POSITIVE_INFINITY : msBetween(events, outcome.at, lastActivity);
  if (outcome === null || afterMs + silenceMs > ENDING_MS) return { words: `ended${where}`, crashed, claims };
  const what = `a ${outcome.what}${inRoom(outcome.room, MAX_ROOM_LENGTH)}`;
  const when = outcome.at === lastActivity ? "with" : `${formatDuration(afterMs)} after`;
  return {
    words: `ended ${when} ${what}`,
    crashed,
    claims: [...claims, claimEvents(events, [outcome.at]), claimInterval(events, outcome.at, lastActivity)],
  };
}

interface Outcome {
  readonly at: number;
  readonly what: "failure" | "success" | "crash";
  readonly room: string;
}

/** The last failure, success or crash; null if there is none. */
function findLastOutcome(session: RecordedSession, { rooms }: SessionPlay): Outcome | null {
  const { events, meanings } = session;
  const outcomes: Outcome[] = [...rooms.values()].flatMap(({ name, failures, successes }) => [
    ...failures.slice(-1).map((at) => ({ at, what: "failure" as const, room: name })),
    ...successes.slice(-1).map((at) => ({ at, what: "success" as const, room: name })),
  ]);
  const crash = events.findLastIndex(
    (event) => findMeaning(event.name, meanings) === "crash" && !reportsEarlierCrash(session, event),
  );
  const event = events[crash];
  if (event) outcomes.push({ at: crash, what: "crash", room: readRoom(event) ?? NO_ROOM });
  return outcomes.reduce<Outcome | null>((last, one) => (last && last.at > one.at ? last : one), null);
}
