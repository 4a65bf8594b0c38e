/** Bug reports: crashes and errors that the game reported, one finding for each place or message. */

import { formatCount, formatEventIds, formatTag, quote } from "../../insights/wording.ts";
import { findMeaning } from "../meanings.ts";
import { type RecordedSession, readRoom, type SessionEvent } from "../recorded-session.ts";
import { type DraftFinding, growingConfidence } from "./rule.ts";

/** One crash is a fact, so one is enough, and certain from the start. */
export const CRASH_THRESHOLD = 1;
export const CRASH_CONFIDENCE = 0.9;
/** One error is enough too, but the game went on, and it may be noise of the log. */
export const ERROR_THRESHOLD = 1;
export const ERROR_CONFIDENCE = 0.6;
/** Words of a message that name a bug: the rest tends to hold values that change from session to session. */
export const MAX_MESSAGE_WORDS = 6;

/** Where clients put what went wrong, the most telling first. */
const messageFields = ["message", "type", "name", "code"] as const;

interface Bug {
  /** As the first event has it. */
  readonly room: string | null;
  readonly message: string | null;
  readonly crashes: number[];
  readonly errors: number[];
}

export function findBugReports(play: RecordedSession): readonly DraftFinding[] {
  const bugs = new Map<string, Bug>();
  const tags = new Map<string, string>();
  for (const [at, event] of play.events.entries()) {
    const meaning = findMeaning(event.name, play.meanings);
    if (meaning !== "crash" && meaning !== "error") continue;
    const message = readMessage(event);
    const room = readRoom(event);
    const where = room ?? stableWords(message) ?? meaning;
    const tag = tags.get(where) ?? formatTag("bug-report", where);
    tags.set(where, tag);
    const bug = bugs.get(tag) ?? { room, message, crashes: [], errors: [] };
    bugs.set(tag, bug);
    (meaning === "crash" ? bug.crashes : bug.errors).push(at);
  }
  return [...bugs].map(([tag, bug]) => toDraft(play.events, tag, bug));
}

function toDraft(events: readonly SessionEvent[], tag: string, bug: Bug): DraftFinding {
  const { crashes, errors } = bug;
  const crashed = crashes.length > 0;
  const what = [
    ...(crashed ? [formatCount(crashes.length, "crash", "crashes")] : []),
    ...(errors.length > 0 ? [formatCount(errors.length, "error")] : []),
  ].join(" and ");
  const all = [...crashes, ...errors].sort((a, b) => a - b);
  const said = bug.message === null ? "" : `: ${quote(bug.message)}`;
  const place = bug.room === null ? "" : ` in ${quote(bug.room)}`;
  const threshold = crashed ? CRASH_THRESHOLD : ERROR_THRESHOLD;
  return {
    type: "bug-report",
    sentiment: "negative",
    confidence: crashed
      ? growingConfidence(crashes.length, CRASH_THRESHOLD, CRASH_CONFIDENCE, 1)
      : growingConfidence(errors.length, ERROR_THRESHOLD, ERROR_CONFIDENCE, 0.9),
    tag,
    title: `${what}${place}${said}`,
    evidence: `${what}${place} (threshold ${threshold})${said}: ${formatEventIds(events, all)}`,
    at: all[0] ?? 0,
  };
}

/** The client's words for what went wrong, or null. */
function readMessage(event: SessionEvent): string | null {
  const data = event.data;
  for (const field of messageFields) {
    const value = data !== null && Object.hasOwn(data, field) ? data[field] : null;
    if (typeof value === "string" && value.trim() !== "") return value;
    if (typeof value === "number" && Number.isFinite(value)) return String(value);
  }
  return null;
}

/** The first words of a message without those that hold digits (addresses, ids, counts), or null. */
function stableWords(message: string | null): string | null {
  if (message === null) return null;
  const words = message.slice(0, 1000).match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];
  const stable = words.filter((word) => !/\p{N}/u.test(word)).slice(0, MAX_MESSAGE_WORDS);
  return stable.length === 0 ? null : stable.join("-");
}
