/** Play: one session as the analysis reads it, and what the analysis finds in it. */

import type { InsightType, Sentiment } from "../../contract/insights.ts";
import { EVENTS } from "../../shared/event-names.ts";
import type { EventMeanings } from "./meanings.ts";

/** One telemetry event; its name and data are a tester's client's words, of any length. */
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
  /** The question, as it was asked. */
  readonly label: string;
  /** rating-1-5, short-text, long-text, yes-no, or what a later form may ask. */
  readonly kind: string;
  readonly value: string;
}

/** All that is known of one session. */
export interface RecordedSession {
  /** Sorted by timestamp, then arrival. */
  readonly events: readonly SessionEvent[];
  readonly meanings: EventMeanings;
  /** The data of the last session_heartbeat or session_summary; null when none came. */
  readonly snapshot: Readonly<Record<string, unknown>> | null;
  /** What the tester answered in forms; absent for nothing. */
  readonly feedback?: readonly FeedbackAnswer[];
  /** What was said in a recording, or noted of it; absent or null where there is none. */
  readonly transcript?: string | null;
  /** What sessions of the game usually spend in a room before it is mastered or left, ms; absent where that is unknown. */
  readonly medianMsByRoom?: ReadonlyMap<string, number>;
  /** False while events may still come. */
  readonly ended: boolean;
}

/** One thing seen in a session. */
export interface SessionFinding {
  readonly type: InsightType;
  readonly sentiment: Sentiment;
  /** 0 to 1, two decimals. */
  readonly confidence: number;
  /** `<kind>:<where>`, at most 80 characters, the same for the same thing in other sessions. */
  readonly tag: string;
  /** One line for people; quotes what testers sent, without control characters. */
  readonly title: string;
  /** What was seen: counts, thresholds and event ids. */
  readonly evidence: string;
}

/** The room an event names, a finite number as its digits; null when it names none. */
export function readRoom(event: SessionEvent): string | null {
  const room = event.data?.room;
  if (typeof room === "number" && Number.isFinite(room)) return String(room);
  return typeof room === "string" && room.trim() !== "" ? room : null;
}

/** What the client sends on its own: no sign that somebody plays. */
const clientStateEvents = new Set<string>([
  EVENTS.heartbeat,
  EVENTS.summary,
  EVENTS.focusLost,
  EVENTS.focusGained,
  EVENTS.idleStart,
  EVENTS.idleEnd,
]);

/** Whether an event shows somebody playing, rather than the client reporting its state. */
export function isPlayerActivity(event: SessionEvent): boolean {
  return !clientStateEvents.has(event.name);
}
