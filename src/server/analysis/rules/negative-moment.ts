/** Negative moments: giving a room up after failing in it, and leaving the game soon after a failure. */

import { inRoom } from "../../insights/tag-location.ts";
import { formatCount, formatDuration, formatEventIds, formatTag, quote } from "../../insights/wording.ts";
import type { RecordedSession } from "../recorded-session.ts";
import { type ActivityByRoom, type GivingUp, msBetween } from "./rooms.ts";
import { type DraftFinding, growingConfidence } from "./rule.ts";

/** Failures since the last success that make giving up a defeat: one may be a slip, two are a try and another. */
export const STRUGGLE_FAILURES = 2;
/** The longest time from the last failure to giving up, in ms: after two minutes something else was going on. */
export const GIVING_UP_MS = 120_000;
/** A session that ends within this time of a failure, in ms, ended because of it. */
export const QUIT_AFTER_FAILURE_MS = 30_000;
/** Confidence in an event that speaks of anger by its name, without any failure to back it. */
export const RAGE_CONFIDENCE = 0.7;

/** A negative moment before those of the same room are joined into one. */
interface NegativeMoment {
  readonly room: string;
  readonly confidence: number;
  readonly title: string;
  readonly evidence: string;
  readonly at: number;
}

/** At most one finding a room. Skipping what was never tried is no finding: that is looking around. */
export function findNegativeMoments(play: RecordedSession, byRoom: ActivityByRoom): readonly DraftFinding[] {
  const left = findQuitAfterFailure(play, byRoom);
  return joinByRoom([...findGivingUp(play, byRoom), ...(left === null ? [] : [left])]);
}

/** For each room, its hardest fought giving up; in anger counts more than after any failures. */
function findGivingUp(play: RecordedSession, byRoom: ActivityByRoom): readonly NegativeMoment[] {
  const hardest = new Map<string, { givingUp: GivingUp; weight: number }>();
  for (const givingUp of byRoom.givingsUp) {
    const inAnger = isRage(play, givingUp);
    const last = givingUp.run.at(-1);
    const struggled = givingUp.run.length >= STRUGGLE_FAILURES && last !== undefined;
    if (!inAnger && !(struggled && msBetween(play.events, last, givingUp.at) <= GIVING_UP_MS)) continue;
    const weight = givingUp.run.length + (inAnger ? play.events.length : 0);
    if (weight >= (hardest.get(givingUp.room)?.weight ?? 0)) hardest.set(givingUp.room, { givingUp, weight });
  }
  return [...hardest.values()].map(({ givingUp }) => toGivingUpMoment(play, givingUp));
}

function isRage({ events, meanings }: RecordedSession, { at }: GivingUp): boolean {
  return meanings.rageQuit.has(events[at]?.name ?? "");
}

function toGivingUpMoment(play: RecordedSession, givingUp: GivingUp): NegativeMoment {
  const { events } = play;
  const { at, room, run } = givingUp;
  const where = inRoom(room);
  const name = quote(events[at]?.name ?? "");
  const inAnger = isRage(play, givingUp);
  const sure = inAnger ? RAGE_CONFIDENCE : 0.6;
  const failures = formatCount(run.length, "failure");
  const last = run.at(-1);
  const since =
    last === undefined
      ? "without a failure before"
      : `${formatDuration(msBetween(events, last, at))} after the last of ${failures} without a success that lasted`;
  const threshold = inAnger
    ? "threshold 1 event"
    : `threshold ${STRUGGLE_FAILURES} failures, the last within ${formatDuration(GIVING_UP_MS)}`;
  const ids = `${formatEventIds(events, [at])}${last === undefined ? "" : ` after ${formatEventIds(events, run)}`}`;
  return {
    room,
    confidence: growingConfidence(run.length, STRUGGLE_FAILURES, sure, 0.9),
    title: `Gave up${inAnger ? " in anger" : ""}${where}${last === undefined ? "" : ` after ${failures}`}`,
    evidence: `${name}${where} ${since} (${threshold}): ${ids}`,
    at: run[0] ?? at,
  };
}

/** The end of play soon after a failure that neither a success nor a crash followed. */
function findQuitAfterFailure(play: RecordedSession, byRoom: ActivityByRoom): NegativeMoment | null {
  const { lastOutcome, lastPlay } = byRoom;
  if (!play.ended || lastOutcome === null || lastOutcome.meaning !== "failure") return null;
  const waited = msBetween(play.events, lastOutcome.at, lastPlay);
  if (waited > QUIT_AFTER_FAILURE_MS) return null;
  const run = byRoom.rooms.get(lastOutcome.room)?.openRun ?? [];
  const failures = run.length > 0 ? run : [lastOutcome.at];
  const where = inRoom(lastOutcome.room);
  const earlier =
    failures.length === 1
      ? ""
      : `, the last of ${failures.length} failures without a success that lasted: ${formatEventIds(play.events, failures)}`;
  return {
    room: lastOutcome.room,
    confidence: growingConfidence(failures.length, 1, 0.4, 0.9),
    title: `Left the game after ${formatCount(failures.length, "failure")}${where}`,
    evidence: `The session ended ${formatDuration(waited)} after a failure${where} (threshold ${formatDuration(QUIT_AFTER_FAILURE_MS)}): ${formatEventIds(play.events, [lastOutcome.at])}${earlier}`,
    at: failures[0] ?? lastOutcome.at,
  };
}

/** One finding a room: the surest moment speaks, the others add their evidence. */
function joinByRoom(moments: readonly NegativeMoment[]): readonly DraftFinding[] {
  const rooms = new Map<string, NegativeMoment[]>();
  for (const moment of moments) rooms.set(moment.room, [...(rooms.get(moment.room) ?? []), moment]);
  return [...rooms].map(([room, ofRoom]) => {
    const [surest, ...others] = ofRoom.toSorted((a, b) => b.confidence - a.confidence);
    return {
      type: "negative-moment",
      sentiment: "negative",
      confidence: surest?.confidence ?? 0,
      tag: formatTag("negative-moment", room),
      title: surest?.title ?? "",
      evidence: [surest, ...others].map((moment) => moment?.evidence).join("; "),
      at: Math.min(...ofRoom.map(({ at }) => at)),
    };
  });
}
