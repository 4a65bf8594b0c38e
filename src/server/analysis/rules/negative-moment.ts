/** Negative moments: giving up in a room after failures, and leaving the game soon after a failure. */

import { inRoom } from "../../insights/tag-location.ts";
import { formatCount, formatDuration, formatEventIds, formatTag, quote } from "../../insights/wording.ts";
import type { RecordedSession } from "../recorded-session.ts";
import { type ActivityByRoom, type GiveUp, msBetween, NO_LASTING_SUCCESS } from "./rooms.ts";
import { type DraftFinding, growingConfidence } from "./rule.ts";

/** Minimum failures since the last lasting success for giving up to count. One failure may be a slip. */
export const STRUGGLE_FAILURES = 2;
/** Maximum time from the last failure to giving up, in ms. After that, the failure is unlikely to be the cause. */
export const GIVING_UP_MS = 120_000;
/** A session that ends within this time after a failure, in ms, is attributed to the failure. */
export const QUIT_AFTER_FAILURE_MS = 30_000;
/** Confidence in a rage quit event without any failures before it. */
export const RAGE_CONFIDENCE = 0.7;

/** One negative moment. Moments in the same room are joined into one finding. */
interface NegativeMoment {
  readonly room: string;
  readonly confidence: number;
  readonly title: string;
  readonly evidence: string;
  readonly at: number;
}

/** At most one finding per room. Skipping a room without failing in it is not a finding. */
export function findNegativeMoments(
  session: RecordedSession,
  byRoom: ActivityByRoom,
): readonly DraftFinding[] {
  const quit = findQuitAfterFailure(session, byRoom);
  return joinByRoom([...findGiveUps(session, byRoom), ...(quit === null ? [] : [quit])]);
}

/** For each room, the time the player gave up after the most failures. A rage quit outranks any number of failures. */
function findGiveUps(session: RecordedSession, byRoom: ActivityByRoom): readonly NegativeMoment[] {
  const strongest = new Map<string, { giveUp: GiveUp; weight: number }>();
  for (const giveUp of byRoom.giveUps) {
    const rageQuit = isRageQuit(session, giveUp);
    const last = giveUp.run.at(-1);
    const afterFailures = giveUp.run.length >= STRUGGLE_FAILURES && last !== undefined;
    if (!rageQuit && !(afterFailures && msBetween(session.events, last, giveUp.at) <= GIVING_UP_MS)) continue;
    const weight = giveUp.run.length + (rageQuit ? session.events.length : 0);
    if (weight >= (strongest.get(giveUp.room)?.weight ?? 0)) strongest.set(giveUp.room, { giveUp, weight });
  }
  return [...strongest.values()].map(({ giveUp }) => toGiveUpMoment(session, giveUp));
}

function isRageQuit({ events, meanings }: RecordedSession, { at }: GiveUp): boolean {
  return meanings.rageQuit.has(events[at]?.name ?? "");
}

function toGiveUpMoment(session: RecordedSession, giveUp: GiveUp): NegativeMoment {
  const { events } = session;
  const { at, room, run } = giveUp;
  const where = inRoom(room);
  const name = quote(events[at]?.name ?? "");
  const rageQuit = isRageQuit(session, giveUp);
  const baseConfidence = rageQuit ? RAGE_CONFIDENCE : 0.6;
  const failures = formatCount(run.length, "failure");
  const last = run.at(-1);
  const since =
    last === undefined
      ? " with no failure before it"
      : `, ${formatDuration(msBetween(events, last, at))} after ${run.length === 1 ? "" : "the last of "}${failures} with ${NO_LASTING_SUCCESS} in between`;
  const threshold = rageQuit
    ? "threshold: 1 event"
    : `threshold: ${STRUGGLE_FAILURES} failures, the last one at most ${formatDuration(GIVING_UP_MS)} before`;
  const ids = `${formatEventIds(events, [at])}${last === undefined ? "" : ` after ${formatEventIds(events, run)}`}`;
  return {
    room,
    confidence: growingConfidence(run.length, STRUGGLE_FAILURES, baseConfidence, 0.9),
    title: `${rageQuit ? "Rage-quit" : "Gave up"}${where}${last === undefined ? "" : ` after ${failures}`}`,
    evidence: `${name}${where}${since} (${threshold}): ${ids}`,
    at: run[0] ?? at,
  };
}

/** The end of a session soon after a failure, with no success or crash in between. */
function findQuitAfterFailure(session: RecordedSession, byRoom: ActivityByRoom): NegativeMoment | null {
  const { lastOutcome, lastActivity } = byRoom;
  if (!session.ended || lastOutcome === null || lastOutcome.meaning !== "failure") return null;
  const waited = msBetween(session.events, lastOutcome.at, lastActivity);
  if (waited > QUIT_AFTER_FAILURE_MS) return null;
  const run = byRoom.rooms.get(lastOutcome.room)?.openRun ?? [];
  const failures = run.length > 0 ? run : [lastOutcome.at];
  const where = inRoom(lastOutcome.room);
  const earlier =
    failures.length === 1
      ? ""
      : `, the last of ${failures.length} failures with ${NO_LASTING_SUCCESS} in between: ${formatEventIds(session.events, failures)}`;
  return {
    room: lastOutcome.room,
    confidence: growingConfidence(failures.length, 1, 0.4, 0.9),
    title: `Left the game after ${formatCount(failures.length, "failure")}${where}`,
    evidence: `The session ended ${formatDuration(waited)} after a failure${where} (threshold: at most ${formatDuration(QUIT_AFTER_FAILURE_MS)}): ${formatEventIds(session.events, [lastOutcome.at])}${earlier}`,
    at: failures[0] ?? lastOutcome.at,
  };
}

/** One finding per room: the most confident moment gives the title, and the others add their evidence. */
function joinByRoom(moments: readonly NegativeMoment[]): readonly DraftFinding[] {
  const rooms = new Map<string, NegativeMoment[]>();
  for (const moment of moments) rooms.set(moment.room, [...(rooms.get(moment.room) ?? []), moment]);
  return [...rooms].map(([room, inSameRoom]) => {
    const [strongest, ...others] = inSameRoom.toSorted((a, b) => b.confidence - a.confidence);
    return {
      type: "negative-moment",
      sentiment: "negative",
      confidence: strongest?.confidence ?? 0,
      tag: formatTag("negative-moment", room),
      title: strongest?.title ?? "",
      evidence: [strongest, ...others].map((moment) => moment?.evidence).join(". "),
      at: Math.min(...inSameRoom.map(({ at }) => at)),
    };
  });
}
