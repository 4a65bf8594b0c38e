/** The details of one session, and the order of its insights and events. */
import type { Insight } from "../../contract/insights.ts";
import type { FullSession } from "../../contract/sessions.ts";
import { statusTone } from "../../contract/sessions.ts";
import type { Detail } from "../details.ts";
import type { RenderOptions } from "../options.ts";
import { formatDuration, formatTime } from "../time.ts";
import type { AnswerTimes } from "./sessions.ts";

export function sessionDetails(session: FullSession, options: RenderOptions): Detail[] {
  return [
    ["Session", session.title, "strong"],
    ["ID", session.id],
    ["Status", session.status, statusTone(session.status)],
    ...(session.error == null ? [] : [["Error", session.error] as const]),
    ["Build", session.metadata.gameVersion],
    ["Platform", session.metadata.platform],
    ["Environment", session.environment ?? null],
    ["Source", session.source],
    ["Tester", session.testerHandle ?? null],
    ["Device", session.deviceId ?? null],
    ["Recorded", formatTime(session.recordedAt, options)],
    ["Session length", formatDuration(session.duration)],
    ...clockDetails(session),
    ...(session.eventsPrunedAt == null
      ? []
      : [["Events", `removed ${formatTime(session.eventsPrunedAt, options)} by retention`] as const]),
  ];
}

function clockDetails(session: FullSession): Detail[] {
  const text = describeClock(session);
  return text === null ? [] : [["Clock", text]];
}

/** What was wrong with the clock of a session's device; null if nothing was. */
export function describeClock({ clockCorrected, clockShiftMs, clockJumps }: FullSession): string | null {
  const isCorrected =
    clockCorrected || (typeof clockShiftMs === "number" && Math.abs(clockShiftMs) >= MIN_SHIFT_MS);
  const parts = [
    ...(isCorrected ? ["corrected (the device's clock was wrong)"] : []),
    ...(clockJumps
      ? [`jumped ${clockJumps === 1 ? "once" : `${clockJumps} times`}, which does not count as play`]
      : []),
  ];
  return parts.length === 0 ? null : parts.join("; ");
}

/** A smaller correction is not worth a line, ms. */
const MIN_SHIFT_MS = 60_000;

/** The insights, the session summary first, then by strength. */
export const rankInsights = <T extends Insight>(insights: readonly T[]): T[] =>
  insights.toSorted((a, b) => rank(b) - rank(a));

const rank = ({ type, confidence }: Insight) => (type === "session-summary" ? 2 : confidence);

/** The names of the events of a session with their counts, the most frequent first. */
export const rankEvents = ({ event_counts }: FullSession): [name: string, count: number][] =>
  Object.entries(event_counts ?? {}).sort(([, a], [, b]) => b - a);

/** When a form was shown and sent, such as ` (asked at 5m 0s, answered at 5m 12s)`. Empty if neither is known. */
export function formatAnswerTime({ askedAtSec, answeredAtSec }: AnswerTimes): string {
  const parts = [
    ...(typeof askedAtSec === "number" ? [`asked at ${formatDuration(askedAtSec)}`] : []),
    ...(typeof answeredAtSec === "number" ? [`answered at ${formatDuration(answeredAtSec)}`] : []),
  ];
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}
