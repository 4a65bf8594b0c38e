/** Negative moments: giving a room up after failing in it, and leaving the game soon after a failure. */

import { inRoom } from "../../insights/where.ts";
import { counted, eventIds, quote, spanText, tagOf } from "../../insights/wording.ts";
import type { SessionPlay } from "../play.ts";
import { type GivingUp, msBetween, type PlayByRoom } from "./rooms.ts";
import { type Draft, growingConfidence } from "./rule.ts";

/** Failures since the last success that make giving up a defeat: one may be a slip, two are a try and another. */
export const STRUGGLE_FAILURES = 2;
/** The longest time from the last failure to giving up, in ms: after two minutes something else was going on. */
export const GIVING_UP_MS = 120_000;
/** A session that ends within this time of a failure, in ms, ended because of it. */
export const LEAVING_MS = 30_000;
/** Confidence in an event that speaks of anger by its name, without any failure to back it. */
export const RAGE_CONFIDENCE = 0.7;

/** A negative moment before those of the same room are joined into one. */
interface Moment {
  readonly room: string;
  readonly confidence: number;
  readonly title: string;
  readonly evidence: string;
  readonly at: number;
}

/** At most one finding a room. Skipping what was never tried is no finding: that is looking around. */
export function findNegativeMoments(play: SessionPlay, byRoom: PlayByRoom): readonly Draft[] {
  const left = leftAfterFailing(play, byRoom);
  return joinByRoom([...givenUp(play, byRoom), ...(left === null ? [] : [left])]);
}

/** For each room, its hardest fought giving up; in anger counts more than after any failures. */
function givenUp(play: SessionPlay, byRoom: PlayByRoom): readonly Moment[] {
  const hardest = new Map<string, { givingUp: GivingUp; weight: number }>();
  for (const givingUp of byRoom.givingsUp) {
    const inAnger = isRage(play, givingUp);
    const last = givingUp.run.at(-1);
    const struggled = givingUp.run.length >= STRUGGLE_FAILURES && last !== undefined;
    if (!inAnger && !(struggled && msBetween(play.events, last, givingUp.at) <= GIVING_UP_MS)) continue;
    const weight = givingUp.run.length + (inAnger ? play.events.length : 0);
    if (weight >= (hardest.get(givingUp.room)?.weight ?? 0)) hardest.set(givingUp.room, { givingUp, weight });
  }
  return [...hardest.values()].map(({ givingUp }) => givenUpMoment(play, givingUp));
}

function isRage({ events, meanings }: SessionPlay, { at }: GivingUp): boolean {
  return meanings.rageQuit.has(events[at]?.name ?? "");
}

function givenUpMoment(play: SessionPlay, givingUp: GivingUp): Moment {
  const { events } = play;
  const { at, room, run } = givingUp;
  const where = inRoom(room);
  const name = quote(events[at]?.name ?? "");
  const inAnger = isRage(play, givingUp);
  const sure = inAnger ? RAGE_CONFIDENCE : 0.6;
  const failures = counted(run.length, "failure");
  const last = run.at(-1);
  const since =
    last === undefined
      ? "without a failure before"
      : `${spanText(msBetween(events, last, at))} after the last of ${failures} without a success that lasted`;
  const threshold = inAnger
    ? "threshold 1 event"
    : `threshold ${STRUGGLE_FAILURES} failures, the last within ${spanText(GIVING_UP_MS)}`;
  const ids = `${eventIds(events, [at])}${last === undefined ? "" : ` after ${eventIds(events, run)}`}`;
  return {
    room,
    confidence: growingConfidence(run.length, STRUGGLE_FAILURES, sure, 0.9),
    title: `Gave up${inAnger ? " in anger" : ""}${where}${last === undefined ? "" : ` after ${failures}`}`,
    evidence: `${name}${where} ${since} (${threshold}): ${ids}`,
    at: run[0] ?? at,
  };
}

/** The end of play soon after a failure that neither a success nor a crash followed. */
function leftAfterFailing(play: SessionPlay, byRoom: PlayByRoom): Moment | null {
  const { lastOutcome, lastPlay } = byRoom;
  if (!play.ended || lastOutcome === null || lastOutcome.meaning !== "failure") return null;
  const waited = msBetween(play.events, lastOutcome.at, lastPlay);
  if (waited > LEAVING_MS) return null;
  const run = byRoom.rooms.get(lastOutcome.room)?.openRun ?? [];
  const failures = run.length > 0 ? run : [lastOutcome.at];
  const where = inRoom(lastOutcome.room);
  const earlier =
    failures.length === 1
      ? ""
      : `, the last of ${failures.length} failures without a success that lasted: ${eventIds(play.events, failures)}`;
  return {
    room: lastOutcome.room,
    confidence: growingConfidence(failures.length, 1, 0.4, 0.9),
    title: `Left the game after ${counted(failures.length, "failure")}${where}`,
    evidence: `The session ended ${spanText(waited)} after a failure${where} (threshold ${spanText(LEAVING_MS)}): ${eventIds(play.events, [lastOutcome.at])}${earlier}`,
    at: failures[0] ?? lastOutcome.at,
  };
}

/** One finding a room: the surest moment speaks, the others add their evidence. */
function joinByRoom(moments: readonly Moment[]): readonly Draft[] {
  const rooms = new Map<string, Moment[]>();
  for (const moment of moments) rooms.set(moment.room, [...(rooms.get(moment.room) ?? []), moment]);
  return [...rooms].map(([room, ofRoom]) => {
    const [surest, ...others] = ofRoom.toSorted((a, b) => b.confidence - a.confidence);
    return {
      type: "negative-moment",
      sentiment: "negative",
      confidence: surest?.confidence ?? 0,
      tag: tagOf("negative-moment", room),
      title: surest?.title ?? "",
      evidence: [surest, ...others].map((moment) => moment?.evidence).join("; "),
      at: Math.min(...ofRoom.map(({ at }) => at)),
    };
  });
}
