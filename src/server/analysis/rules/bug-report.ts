/** Bug reports: crashes and errors that the game reported, with one finding for each room or message. */
import { parseTag } from "../../../shared/tags.ts";
import { formatCount } from "../../../shared/words.ts";
import { formatEventIds, formatRoomTag, formatTag, quote } from "../../insights/wording.ts";
import { findMeaning } from "../meanings.ts";
import {
  type PlayerReport,
  type RecordedSession,
  readRoom,
  reportsEarlierCrash,
  type SessionEvent,
} from "../recorded-session.ts";
import { truncateList } from "./claims.ts";
import { type DraftFinding, growingConfidence, roundConfidence } from "./rule.ts";

const TYPE = "bug-report";
/** A single crash is enough, and is near certain. */
const CRASH_THRESHOLD = 1;
export const CRASH_CONFIDENCE = 0.9;
/** A single error is enough too, but the game continued, and the error may be log noise. */
const ERROR_THRESHOLD = 1;
export const ERROR_CONFIDENCE = 0.6;
/** Number of words of a message that identify a bug. Later words tend to be values that differ between sessions. */
const MAX_MESSAGE_WORDS = 6;

/** Fields in which clients describe the bug, the most descriptive first. */
const messageFields = ["message", "type", "name", "code"] as const;

/** One crash or error. */
interface BugEvent {
  readonly event: SessionEvent;
  /** Index of the event; for a crash that was reported later, the number of events. */
  readonly at: number;
  /** The later session that reported the crash; null if this session contains the event. */
  readonly reportedBy: string | null;
}

interface Bug {
  /**
   * The room or the words of the message that the tag names, or `crash` or `error`. For a room with one of these names,
   * the location in the tag.
   */
  readonly location: string;
  /** The room and message of the first event. */
  readonly room: string | null;
  readonly message: string | null;
  readonly crashes: BugEvent[];
  readonly errors: BugEvent[];
}

export function findBugReports(session: RecordedSession): readonly DraftFinding[] {
  const bugs = new Map<string, Bug>();
  for (const bugEvent of listBugEvents(session)) {
    const { event } = bugEvent;
    const meaning = findMeaning(event.name, session.meanings) === "error" ? "error" : "crash";
    const message = readMessage(event);
    const room = readRoom(event);
    const { tag, location } = locateBug(room, message, meaning);
    const bug = bugs.get(tag) ?? { location, room, message, crashes: [], errors: [] };
    bugs.set(tag, bug);
    (meaning === "crash" ? bug.crashes : bug.errors).push(bugEvent);
  }
  return [...bugs].map(([tag, bug]) => toDraft(tag, bug));
}

/** The tag of a bug and the location that it names. */
function locateBug(room: string | null, message: string | null, meaning: "crash" | "error") {
  if (room !== null) {
    const tag = formatRoomTag(TYPE, room);
    const isRenamed = tag !== formatTag(TYPE, room);
    return { tag, location: isRenamed ? tag.slice(TYPE.length + 1) : room };
  }
  const words = extractStableWords(message);
  const tag = formatTag(TYPE, words ?? meaning);
  // Words that would read as another kind of location say less than the kind of bug.
  const location = words === null || parseTag(tag)?.scope !== "room" ? meaning : words;
  return { tag: formatTag(TYPE, location), location };
}

/** The crashes and errors of this session, including crashes that were reported at the next start. */
function listBugEvents(session: RecordedSession): BugEvent[] {
  const own = session.events.flatMap((event, at) => {
    const meaning = findMeaning(event.name, session.meanings);
    const isBug = meaning === "error" || (meaning === "crash" && !reportsEarlierCrash(session, event));
    return isBug ? [{ event, at, reportedBy: null }] : [];
  });
  const at = session.events.length;
  const reported = (session.reportedCrashes ?? []).map(({ event, sessionId }) => ({
    event,
    at,
    reportedBy: sessionId,
  }));
  return [...own, ...reported];
}

function toDraft(tag: string, bug: Bug): DraftFinding {
  const { crashes, errors } = bug;
  const crashed = crashes.length > 0;
  const counts = [
    ...(crashed ? [formatCount(crashes.length, "crash", "crashes")] : []),
    ...(errors.length > 0 ? [formatCount(errors.length, "error")] : []),
  ].join(" and ");
  const all = [...crashes, ...errors].sort((a, b) => a.at - b.at);
  const message = bug.message === null ? "" : quote(bug.message);
  const summary = `${counts}${bug.room === null ? "" : ` in ${quote(bug.room)}`}`;
  const threshold = crashed ? CRASH_THRESHOLD : ERROR_THRESHOLD;
  return {
    type: TYPE,
    sentiment: "negative",
    confidence: crashed
      ? growingConfidence(crashes.length, CRASH_THRESHOLD, CRASH_CONFIDENCE, 1)
      : growingConfidence(errors.length, ERROR_THRESHOLD, ERROR_CONFIDENCE, 0.9),
    tag,
    title: `${summary}${message && `: ${message}`}`,
    evidence: `${summary}${message && ` with message “${message}”`} (threshold: ${threshold}): ${formatEventIds(
      all.map(({ event }) => event),
      [...all.keys()],
    )}${describeReports(crashes)}`,
    at: all[0]?.at ?? 0,
    shown: all[0]?.at,
    claims: [
      {
        kind: "bugs",
        location: bug.location,
        ids: truncateList(all).map(({ event }) => event.id),
        crashes: crashes.length,
        errors: errors.length,
      },
    ],
  };
}

/** Maximum number of sessions that the evidence names. */
const MAX_NAMED_SESSIONS = 3;

/** Which crashes were reported by later sessions, as the end of a sentence; empty if none were. */
function describeReports(crashes: readonly BugEvent[]): string {
  const sessions = crashes.flatMap(({ reportedBy }) => reportedBy ?? []);
  if (sessions.length === 0) return "";
  const named = [...new Set(sessions)];
  const more = named.length > MAX_NAMED_SESSIONS ? ` and ${named.length - MAX_NAMED_SESSIONS} more` : "";
  const by = `${named.slice(0, MAX_NAMED_SESSIONS).join(", ")}${more}`;
  const count =
    sessions.length === crashes.length ? "" : `${formatCount(sessions.length, "crash", "crashes")} `;
  return `; ${count}reported by a later session of the same device (${by})`;
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

/** A player saw the bug, so even the lowest severity is strong evidence. */
const CONFIDENCES: Readonly<Record<string, number>> = { low: 0.6, medium: 0.7, high: 0.8, critical: 0.9 };

/** One finding for each report. Reports with the same title share a tag. */
export function findPlayerReports(session: RecordedSession): readonly DraftFinding[] {
  // Reports have no position among the events, so they come after all of them.
  return (session.playerReports ?? []).map((report) => ({
    ...describeReport(report),
    at: session.events.length,
  }));
}

function describeReport({ id, title, severity }: PlayerReport): Omit<DraftFinding, "at"> {
  const text = quote(title);
  return {
    type: "bug-report",
    sentiment: "negative",
    confidence: roundConfidence(CONFIDENCES[severity] ?? CONFIDENCES.medium ?? 0),
    tag: formatTag("bug-report", `reported ${title}`),
    title: `A player reported: “${text}”`,
    evidence: `“${text}”, severity ${severity}: report ${id}`,
    claims: [{ kind: "quote", source: id, text }],
  };
}
