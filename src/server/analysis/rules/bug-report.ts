/** Bug reports: crashes and errors that the game reported, with one finding for each room or message. */

import { formatCount, formatEventIds, formatTag, quote } from "../../insights/wording.ts";
import { findMeaning } from "../meanings.ts";
import { type RecordedSession, readRoom, type SessionEvent } from "../recorded-session.ts";
import { listIds } from "./claims.ts";
import { type DraftFinding, growingConfidence } from "./rule.ts";

/** A single crash is enough, and is near certain. */
export const CRASH_THRESHOLD = 1;
export const CRASH_CONFIDENCE = 0.9;
/** A single error is enough too, but the game continued, and the error may be log noise. */
export const ERROR_THRESHOLD = 1;
export const ERROR_CONFIDENCE = 0.6;
/** Number of words of a message that identify a bug. Later words tend to be values that differ between sessions. */
export const MAX_MESSAGE_WORDS = 6;

/** Fields in which clients describe the bug, the most descriptive first. */
const messageFields = ["message", "type", "name", "code"] as const;

interface Bug {
  /** The room or the words of the message that the tag names, or `crash` or `error`. */
  readonly location: string;
  /** The room and message of the first event. */
  readonly room: string | null;
  readonly message: string | null;
  readonly crashes: number[];
  readonly errors: number[];
}

export function findBugReports(session: RecordedSession): readonly DraftFinding[] {
  const bugs = new Map<string, Bug>();
  const tags = new Map<string, string>();
  for (const [at, event] of session.events.entries()) {
    const meaning = findMeaning(event.name, session.meanings);
    if (meaning !== "crash" && meaning !== "error") continue;
    const message = readMessage(event);
    const room = readRoom(event);
    const location = room ?? extractStableWords(message) ?? meaning;
    const tag = tags.get(location) ?? formatTag("bug-report", location);
    tags.set(location, tag);
    const bug = bugs.get(tag) ?? { location, room, message, crashes: [], errors: [] };
    bugs.set(tag, bug);
    (meaning === "crash" ? bug.crashes : bug.errors).push(at);
  }
  return [...bugs].map(([tag, bug]) => toDraft(session.events, tag, bug));
}

function toDraft(events: readonly SessionEvent[], tag: string, bug: Bug): DraftFinding {
  const { crashes, errors } = bug;
  const crashed = crashes.length > 0;
  const counts = [
    ...(crashed ? [formatCount(crashes.length, "crash", "crashes")] : []),
    ...(errors.length > 0 ? [formatCount(errors.length, "error")] : []),
  ].join(" and ");
  const all = [...crashes, ...errors].sort((a, b) => a - b);
  const message = bug.message === null ? "" : quote(bug.message);
  const summary = `${counts}${bug.room === null ? "" : ` in ${quote(bug.room)}`}`;
  const threshold = crashed ? CRASH_THRESHOLD : ERROR_THRESHOLD;
  return {
    type: "bug-report",
    sentiment: "negative",
    confidence: crashed
      ? growingConfidence(crashes.length, CRASH_THRESHOLD, CRASH_CONFIDENCE, 1)
      : growingConfidence(errors.length, ERROR_THRESHOLD, ERROR_CONFIDENCE, 0.9),
    tag,
    title: `${summary}${message && `: ${message}`}`,
    evidence: `${summary}${message && ` with message “${message}”`} (threshold: ${threshold}): ${formatEventIds(events, all)}`,
    at: all[0] ?? 0,
    claims: [
      {
        kind: "bugs",
        location: bug.location,
        ids: listIds(events, all).ids,
        crashes: crashes.length,
        errors: errors.length,
      },
    ],
  };
}

/** The client's description of the bug, or null. */
function readMessage(event: SessionEvent): string | null {
  const data = event.data;
  for (const field of messageFields) {
    const value = data !== null && Object.hasOwn(data, field) ? data[field] : null;
    if (typeof value === "string" && value.trim() !== "") return value;
    if (typeof value === "number" && Number.isFinite(value)) return String(value);
  }
  return null;
}

/** The first words of a message, without words that contain digits (addresses, ids, counts), or null. */
function extractStableWords(message: string | null): string | null {
  if (message === null) return null;
  const words = message.slice(0, 1000).match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];
  const stable = words.filter((word) => !/\p{N}/u.test(word)).slice(0, MAX_MESSAGE_WORDS);
  return stable.length === 0 ? null : stable.join("-");
}
