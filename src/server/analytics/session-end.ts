/** How one session ended: in which room, whether after a success or a crash, and with which event. */

import { EVENTS } from "../../shared/event-names.ts";
import { NO_ROOM } from "../../shared/tags.ts";
import type { EventMeanings } from "../analysis/meanings.ts";
import { findMeaning } from "../analysis/meanings.ts";
import type { SessionEvent } from "../analysis/recorded-session.ts";
import { readPlay, type SessionPlay } from "../analysis/session-play.ts";
import { activeMsBetween } from "../analysis/visits.ts";
import { isPlayerActivity } from "../sessions/durations.ts";

/** The end of a session. */
export interface SessionEnd {
  /** The room of the last player activity; null outside of any room. */
  readonly room: string | null;
  /** `completed` after a success in the room, `crashed` if the game crashed since the player entered it. */
  readonly outcome: "completed" | "crashed" | "quit";
  /** The rooms that the session entered, each once. */
  readonly entered: readonly string[];
  /** Active time in the room, ms; null outside of any room. */
  readonly activeMs: number | null;
  /** The name of the last event that shows player activity, other than positions; null if there is none. */
  readonly lastEvent: string | null;
}

/** What the events of a session do not say. */
interface EndContext {
  readonly meanings: EventMeanings;
  /** Whether a later session reported that this session crashed. */
  readonly isCrashReported: boolean;
  /** Whether a crash event is about this session, and not about an earlier one. */
  readonly isOwnCrash: (event: SessionEvent) => boolean;
}

/** Reads how a session ended, by the definitions of visits and successes in docs/analysis.md. */
export function readSessionEnd(events: readonly SessionEvent[], context: EndContext): SessionEnd {
  const play = readPlay({ events, meanings: context.meanings, snapshot: null, ended: true });
  const { lastActivity, visitAt, visits } = play;
  const visit = visitAt[lastActivity] ?? null;
  const lastEvent = events.findLast((event) => isPlayerActivity(event) && event.name !== EVENTS.position);
  return {
    room: visit?.room ?? null,
    outcome: findOutcome(events, play, context),
    entered: [...new Set(visits.map(({ room }) => room))],
    activeMs: visit && visit.activeBeforeMs + activeMsBetween(play, visit.entered, lastActivity),
    lastEvent: lastEvent?.name ?? null,
  };
}

function findOutcome(
  events: readonly SessionEvent[],
  { lastActivity, visitAt, rooms }: SessionPlay,
  { meanings, isCrashReported, isOwnCrash }: EndContext,
): SessionEnd["outcome"] {
  const visit = visitAt[lastActivity] ?? null;
  const stretch = rooms.get(visit?.room ?? NO_ROOM)?.stretches.at(-1);
  if (stretch !== undefined && stretch.success !== null) return "completed";
  const since = events.slice(visit?.entered ?? 0);
  const hasCrash = since.some((event) => findMeaning(event.name, meanings) === "crash" && isOwnCrash(event));
  return isCrashReported || hasCrash ? "crashed" : "quit";
}
