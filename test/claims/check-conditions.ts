/** Checks that an insight satisfies the conditions of its rule in docs/rules.md. */
import type { Claim } from "../../src/contract/claims.ts";
import type { InsightWithClaims } from "../../src/contract/insights.ts";
import { SESSION, type Timeline, type Visit } from "./definitions.ts";
import { type CheckedSession, median, placeOf, type Recording } from "./sessions.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;

/** The thresholds that evidence may name, by type of insight. */
const THRESHOLDS: Readonly<Record<string, readonly string[]>> = {
  "difficulty-spike": ["5 failures", "5 unsuccessful attempts", "10 failures"],
  "negative-moment": ["1 failure, or 30s in the room", "30s", "at most 30s after a failure"],
  "positive-moment": ["30s"],
  "bug-report": ["1", "3 drops"],
  "stuck-point": ["3 times the median, and at least 2m", "45s within 5% of the room, with 10 other events"],
  "pacing-issue": ["2m"],
};

type ClaimOf<K extends Claim["kind"]> = Extract<Claim, { kind: K }>;

/** The conditions that an insight violates. */
export function findUnmetConditions(
  insight: InsightWithClaims,
  claims: readonly Claim[],
  session: CheckedSession,
  recording: Recording,
): string[] {
  const { timeline } = session;
  const unmet: string[] = [];
  const require = (condition: boolean, words: string) => {
    if (!condition) unmet.push(`the condition "${words}" does not hold`);
  };
  const [, threshold] = /\(threshold: ([^)]*)\)/.exec(insight.evidence) ?? [];
  if (threshold !== undefined) {
    require(THRESHOLDS[insight.type]?.includes(threshold) ?? false, `the threshold ${threshold}`);
  }
  const of = <K extends Claim["kind"]>(kind: K): ClaimOf<K> | undefined =>
    claims.find((claim): claim is ClaimOf<K> => claim.kind === kind);
  const [drops, idle, still, firstTry, rating] = [
    of("frame-drops"),
    of("idle"),
    of("still"),
    of("first-try"),
    of("rating"),
  ];
  const [usual, time] = [of("usual-time"), of("room-time")];
  if (insight.type === "difficulty-spike") checkSpike(claims, timeline, require);
  if (insight.type === "negative-moment" && of("failures")) checkLeaving(claims, session, recording, require);
  if (drops) require(drops.count >= 3, "at least 3 frame rate drops");
  if (idle) {
    require(idle.ms >= 2 * MINUTE_MS, "idle for at least 2 minutes");
    require(idle.ms === longestIdle(timeline, idle.room), "the longest idle period of the room");
  }
  if (still) {
    const [from, to] = [timeline.indexOf(still.from) ?? 0, timeline.indexOf(still.to) ?? 0];
    require(still.ms >= 45 * SECOND_MS && still.inputs >= 10, "at least 45 s and 10 inputs");
    require(!timeline
      .successes(still.room)
      .some((at) => from <= at && at <= to), "no success while standing still");
  }
  if (usual && time) {
    require(time.ms >= 2 * MINUTE_MS &&
      time.ms >= 3 * usual.medianMs, "2 minutes and 3 times the usual time");
    const stretches = timeline
      .stretches(time.room)
      .map(({ first, success }) => timeline.activeMs(time.room, first, success ?? undefined));
    require(time.ms === Math.max(...stretches), "the longest stretch in the room");
  }
  if (firstTry) {
    require(firstTry.ms >= SECOND_MS && firstTry.ms <= 30 * SECOND_MS, "a success within 1 to 30 s");
    require(timeline.rooms[0] !== firstTry.room, "not the first room of the session");
    require(timeline.stretches(firstTry.room).length === 1, "no second stretch");
    const own = timeline.failures(firstTry.room);
    const others = timeline.failures(null).filter((at) => !own.includes(at));
    require(others.length > 0 || timeline.rooms.length >= 3, "a failure elsewhere or 3 rooms");
  }
  if (rating) require(rating.value !== 3, "a rating of 1, 2, 4 or 5");
  return unmet;
}

function longestIdle(timeline: Timeline, room: string): number {
  const starts = timeline.find(
    (at) => timeline.nameOf(at) === "idle_start" && placeOf(timeline, at) === room,
  );
  const periods = starts.map((from) => {
    const [to] = timeline.find((at) => timeline.nameOf(at) === "idle_end" || timeline.isPlay(at), from + 1);
    if (to === undefined || timeline.find((at) => timeline.isPlay(at), to).length === 0) return 0;
    return timeline.between(from, to);
  });
  return Math.max(0, ...periods);
}

type Require = (condition: boolean, words: string) => void;

function checkSpike(claims: readonly Claim[], timeline: Timeline, require: Require): void {
  const failures = claims.find((claim) => claim.kind === "failures");
  const room = failures?.room;
  if (!failures || room === null || room === undefined) {
    require(false, "failures in one room");
    return;
  }
  const row = claims.find((claim) => claim.kind === "in-a-row");
  const played = [...timeline.rooms, SESSION].filter(
    (one) => timeline.failures(one).length + timeline.successes(one).length > 0,
  );
  const counts = played.map((one) => timeline.failures(one).length).sort((a, b) => a - b);
  const stretches = timeline.stretches(room).map((stretch) => {
    const last = stretch.success ?? timeline.events.length - 1;
    const attempts = timeline.attempts(room).filter(({ first }) => stretch.first <= first && first <= last);
    const failed = attempts.filter(({ failure }) => failure !== null).length;
    const unsuccessful = attempts.filter(({ first, failure, success, endedBy }) => {
      const isReset =
        endedBy !== null && timeline.isReset(endedBy, room) && timeline.between(first, endedBy) >= SECOND_MS;
      return success === null && (failure !== null || isReset);
    }).length;
    const ms = timeline.activeMs(room, stretch.first, stretch.success ?? undefined);
    return { ...stretch, failed, unsuccessful, ms };
  });
  const most = Math.max(timeline.failures(room).length, ...stretches.map(({ unsuccessful }) => unsuccessful));
  const isOutstanding = most >= 2 * median(counts);
  require((row?.count ?? 0) >= 10 || played.length < 4 || isOutstanding, "twice the median of the rooms");
  if (row) {
    require(row.count >= 5, "at least 5 failures in a row");
    return;
  }
  const resets = claims.find((claim) => claim.kind === "resets");
  if (!resets) {
    require(failures.count >= 10, "at least 10 failures in the session");
    return;
  }
  const from = failures.from === null ? 0 : (timeline.indexOf(failures.from) ?? 0);
  const reported = stretches.find(({ first, success }) => first <= from && from <= (success ?? Infinity));
  if (!reported) {
    require(false, "failures and resets of one stretch");
    return;
  }
  require(reported.unsuccessful >= 5, "at least 5 unsuccessful attempts in one stretch");
  require(reported.failed >= 3 || reported.ms >= 45 * SECOND_MS, "3 failures or 45 s in the stretch");
  require(stretches.every(
    ({ unsuccessful }) => unsuccessful <= reported.unsuccessful,
  ), "the stretch with most attempts");
}

const MAX_BEFORE_LEAVING_MS = 30 * SECOND_MS;

function checkLeaving(
  claims: readonly Claim[],
  session: CheckedSession,
  recording: Recording,
  require: Require,
): void {
  const { timeline } = session;
  const left = claims.find((claim) => claim.kind === "left");
  const { end } = timeline;
  if (!left || left.room === SESSION) {
    const last = timeline.failures(SESSION).at(-1);
    if (last === undefined || end === null) {
      require(false, "a failure that names no room");
      return;
    }
    const states = timeline.find((at) => timeline.means(at, "success-state"), last + 1);
    require(claims.some(({ kind }) => kind === "events") || states.length === 0, "no solved state follows");
    require(timeline.between(last, end) <= MAX_BEFORE_LEAVING_MS, "the session ended within 30 s");
    require(!timeline.successes(null).some((at) => at > last), "no success follows");
    return;
  }
  const visit = timeline.visitsOf(left.room).at(-1);
  const stretch = timeline.stretches(left.room).at(-1);
  if (!visit || !stretch || end === null) {
    require(false, "a visit to the room");
    return;
  }
  require(stretch.success === null, "no success in the last stretch");
  const leaving = visit.endedBy ?? end;
  const start = Math.max(visit.first, stretch.first);
  require(visit.endedBy !== null ||
    !crashedSince(visit.first, session, recording), "no crash since the visit started");
  const failures = timeline.failures(left.room).filter((at) => at >= start);
  const isLong = timeline.activeMs(left.room, start, leaving) >= 30 * SECOND_MS;
  require(failures.length > 0 || isLong, "a failure or 30 s of active time");
  const anonymous = timeline
    .successes(SESSION)
    .some((at) => timeline.visitsOf(left.room).some(({ first, last }) => first <= at && at <= last));
  require(!anonymous, "no success that names no room in the visits");
  const events = claims.find((claim) => claim.kind === "events");
  if (events) {
    checkGivingUp(timeline.indexOf(events.ids[0] ?? "") ?? 0, visit, leaving, timeline, require);
    require(failures.length > 0 || isCompletable(left.room, timeline), "a failure, or a room to complete");
    return;
  }
  const interval = claims.find((claim) => claim.kind === "interval");
  if (interval) checkLeavingAfterFailure(interval, failures, leaving, timeline, require);
  else require(visit.endedBy !== null && isLong, "going to another room after 30 s");
  require(visit.endedBy === null || isCompletable(left.room, timeline), "a room that can be completed");
}

function checkLeavingAfterFailure(
  interval: ClaimOf<"interval">,
  failures: readonly number[],
  leaving: number,
  timeline: Timeline,
  require: Require,
): void {
  const last = failures.at(-1);
  require(timeline.indexOf(interval.from) === last, "the interval starts at the last failure");
  if (last === undefined) return;
  require(msToLeaving(last, leaving, timeline) <= MAX_BEFORE_LEAVING_MS, "a failure within 30 s");
  const room = timeline.roomOf(last);
  const solved = timeline.find((at) => timeline.belongs(at, room, "success-state"), last + 1);
  require(solved.length === 0, "no solved state after the failure");
}

/** Whether the session has a start or a success in a room. */
function isCompletable(room: string, timeline: Timeline): boolean {
  const starts = timeline.find((at) => timeline.belongs(at, room, "start"));
  return starts.length + timeline.successes(room).length > 0;
}

/** Whether the game crashed after an event, by its own report or that of a later session. */
function crashedSince(at: number, session: CheckedSession, recording: Recording): boolean {
  if (recording.findReporters(session).length > 0) return true;
  return recording
    .bugs(session)
    .some(({ id, name }) => name === "crash_reported" && (session.timeline.indexOf(id) ?? -1) >= at);
}

/** Time from an event until the player left. At the session's end, the active time after it counts as well. */
function msToLeaving(at: number, leaving: number, timeline: Timeline): number {
  const after = leaving === timeline.end ? timeline.activeMs(SESSION, leaving) : 0;
  return timeline.between(at, leaving) + after;
}

function checkGivingUp(
  at: number,
  { room, last }: Visit,
  leaving: number,
  timeline: Timeline,
  require: Require,
): void {
  require(timeline.belongs(at, room, "giving-up"), "a giving-up event of the room");
  const after = leaving === timeline.end ? timeline.events.length - 1 : leaving;
  require(timeline.activeMs(SESSION, at, after) <= 5 * SECOND_MS, "leaving within 5 s of active time");
  const later = timeline.find(
    (other) => timeline.meaningOf(other) !== null && timeline.roomOf(other) === room,
    at + 1,
    Math.min(last, leaving),
  );
  require(later.length === 0, "no other event between giving up and leaving");
}
