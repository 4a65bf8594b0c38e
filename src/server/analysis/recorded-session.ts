/** A recorded session as the input of the analysis, and the findings as its output. */

import type { Claim } from "../../contract/claims.ts";
import type { InsightType, Sentiment } from "../../contract/insights.ts";
import { EVENTS } from "../../shared/event-names.ts";
import { NO_ROOM } from "../../shared/tags.ts";
import type { EventMeanings } from "./meanings.ts";

/** One telemetry event. Its name and data come from the client and can have any length. */
export interface SessionEvent {
  readonly id: string;
  readonly name: string;
  /** Unix ms. */
  readonly timestamp: number;
  readonly data: Readonly<Record<string, unknown>> | null;
}

/** One answer to a feedback form. */
export interface FeedbackAnswer {
  /** resp_... */
  readonly id: string;
  readonly fieldId: string;
  /** The label of the field when the answer was given. */
  readonly label: string;
  /** rating-1-5, short-text, long-text, yes-no, or a kind added in a later version. */
  readonly kind: string;
  readonly value: string;
}

/** A bug report that a player sent. */
export interface PlayerReport {
  /** bug_... */
  readonly id: string;
  readonly title: string;
  readonly severity: string;
}

/** The median time to success in a room, over other sessions of one build of the game. */
export interface UsualRoomTime {
  readonly medianMs: number;
  /** Number of sessions that the median is computed from. */
  readonly sessions: number;
  readonly build: string;
  readonly environment: string;
}

/** A crash event that a later session of the same device sent. */
export interface ReportedCrash {
  /** The session that contains the event. */
  readonly sessionId: string;
  /** The event with its short data fields. */
  readonly event: SessionEvent;
}

export interface RecordedSession {
  /** Sorted by timestamp, then arrival. The times have no jumps (session-clock.ts). */
  readonly events: readonly SessionEvent[];
  /**
   * The events of the other players of the device, for the part of one player (session-players.ts); absent if the session is not
   * divided.
   */
  readonly others?: readonly SessionEvent[];
  readonly meanings: EventMeanings;
  /** The data of the last session_heartbeat or session_summary; null if there was none. */
  readonly snapshot: Readonly<Record<string, unknown>> | null;
  /** The tester's answers to feedback forms; absent if there are none. */
  readonly feedback?: readonly FeedbackAnswer[];
  /** The bug reports that the player sent in the session; absent if there are none. */
  readonly playerReports?: readonly PlayerReport[];
  /** The transcript of a recording, or notes about it; absent or null if there is none. */
  readonly transcript?: string | null;
  /** The usual time to success by room; absent if it was not computed. */
  readonly usualRoomTimes?: ReadonlyMap<string, UsualRoomTime>;
  /** Crashes of this session that the game reported in later ones, the earliest report first. */
  readonly reportedCrashes?: readonly ReportedCrash[];
  /**
   * The events of this session that report the crash of another one: its id by event id, or null if the service has
   * no such earlier session.
   */
  readonly earlierCrashes?: ReadonlyMap<string, string | null>;
  /** False while events may still arrive. */
  readonly ended: boolean;
}

/** One result of the analysis of a session. */
export interface SessionFinding {
  readonly type: InsightType;
  readonly sentiment: Sentiment;
  /** 0 to 1, two decimals. */
  readonly confidence: number;
  /** `<kind>:<where>`, at most 80 characters. Equal findings in different sessions have the same tag. */
  readonly tag: string;
  /** One line of text for people. It may quote tester text, without control characters. */
  readonly title: string;
  /** Why the finding holds: counts, thresholds and event ids. */
  readonly evidence: string;
  /** The same statements in checkable form. Empty for findings of an AI model. */
  readonly claims: readonly Claim[];
  /** Active time of the session when the finding had shown, in ms; absent if it is not about one moment. */
  readonly afterMs?: number;
}

/** Maximum length of a room's name in UTF-16 units. Longer names are not names of rooms. */
const MAX_ROOM_NAME_LENGTH = 200;

/**
 * The room in which an event happened, with numbers converted to text; null if it names none. Measurements of performance are
 * sent when the player has left their room.
 */
export const readRoom = (event: SessionEvent): string | null =>
  event.name === EVENTS.performance ? null : readNamedRoom(event);

/** The room that an event names, with numbers converted to text; null if it names none. */
export function readNamedRoom(event: SessionEvent): string | null {
  const room = event.data?.room;
  if (typeof room === "number" && Number.isFinite(room)) return String(room);
  if (typeof room !== "string" || room.length > MAX_ROOM_NAME_LENGTH || room === NO_ROOM) return null;
  return room.trim() === "" ? null : room;
}

/** Whether a crash event reports the crash of an earlier session, and not one of this session. */
export function reportsEarlierCrash(session: RecordedSession, event: SessionEvent): boolean {
  return session.earlierCrashes?.has(event.id) ?? false;
}
