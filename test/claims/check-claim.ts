/** Recomputes each claim from the events of its session. */
import { type Claim, MAX_CLAIM_IDS } from "../../src/contract/claims.ts";
import { SESSION, type Timeline } from "./definitions.ts";
import { type CheckedSession, median, placeOf, type Recording } from "./sessions.ts";

/** The numbers of sessions that a usual time can rest on. */
const USUAL_SESSIONS = [160, 80, 40, 20, 10, 5];

/** Thrown for a claim that is false. Its message is the reason. */
class FalseClaim extends Error {}

function require(condition: boolean, reason: string): asserts condition {
  if (!condition) throw new FalseClaim(reason);
}

function requireEqual(claimed: unknown, actual: unknown, what: string): void {
  const [a, b] = [JSON.stringify(claimed), JSON.stringify(actual)];
  require(a === b, `${what} is ${b}, not ${a}`);
}

/** Returns the reason why a claim is false, or null if it is true. */
export function findFalsehood(claim: Claim, session: CheckedSession, recording: Recording): string | null {
  try {
    checkClaim(claim, session, recording);
    return null;
  } catch (error) {
    if (error instanceof FalseClaim) return error.message;
    throw error;
  }
}

function indexOf(timeline: Timeline, id: string): number {
  const at = timeline.indexOf(id);
  require(at !== null, `there is no event ${id}`);
  return at;
}

/** Checks a list of events, of which a claim lists at most MAX_CLAIM_IDS. */
function checkIds(
  claim: { ids: readonly string[]; count: number },
  actual: readonly string[],
  what: string,
): void {
  requireEqual(claim.count, actual.length, `the number of ${what}`);
  const isLong = actual.length > MAX_CLAIM_IDS;
  const listed = isLong ? [...actual.slice(0, MAX_CLAIM_IDS - 1), ...actual.slice(-1)] : actual;
  requireEqual(claim.ids, listed, `the list of ${what}`);
}

/** Checks that a claim lists exactly the given events within its bounds. */
function checkWithin(
  claim: { ids: readonly string[]; count: number; from: string | null; to: string | null },
  timeline: Timeline,
  all: readonly number[],
  what: string,
): void {
  const [first, last] = boundsOf(timeline, claim.from, claim.to);
  const within = all.filter((at) => first <= at && at <= last);
  checkIds(
    claim,
    within.map((at) => timeline.idOf(at)),
    what,
  );
}

function boundsOf(timeline: Timeline, from: string | null, to: string | null): [number, number] {
  const first = from === null ? 0 : indexOf(timeline, from);
  const last = to === null ? timeline.events.length - 1 : indexOf(timeline, to);
  require(first <= last, `${from} comes after ${to}`);
  return [first, last];
}

function checkClaim(claim: Claim, session: CheckedSession, recording: Recording): void {
  const { timeline } = session;
  switch (claim.kind) {
    case "events": {
      const at = claim.ids.map((id) => indexOf(timeline, id));
      requireEqual(claim.ids.length, Math.min(claim.count, MAX_CLAIM_IDS), "the number of listed events");
      require(at.every(
        (one, index) => index === 0 || (at[index - 1] ?? one) < one,
      ), "the events are out of order");
      requireEqual(
        claim.names,
        at.map((one) => timeline.nameOf(one)),
        "the list of names",
      );
      break;
    }
    case "failures":
      checkWithin(claim, timeline, timeline.failures(claim.room), "failures");
      break;
    case "successes":
      checkWithin(claim, timeline, timeline.successes(claim.room), "successes");
      break;
    case "resets":
      checkWithin(claim, timeline, claim.room === null ? [] : timeline.resets(claim.room), "resets");
      break;
    case "in-a-row":
      checkRow(claim, timeline);
      break;
    case "interval": {
      const [from, to] = [indexOf(timeline, claim.from), indexOf(timeline, claim.to)];
      requireEqual(claim.ms, timeline.between(from, to), "the interval");
      break;
    }
    case "room-time": {
      const [from, until] = boundsOf(timeline, claim.from, claim.until);
      require(timeline.visitsOf(claim.room).length > 0, `${claim.room} was not entered`);
      requireEqual(claim.ms, timeline.activeMs(claim.room, from, until), "the active time");
      break;
    }
    case "left": {
      const at = indexOf(timeline, claim.at);
      const named = timeline.find((one) => timeline.namedRoom(one) !== null);
      const last = named.findLast((one) => timeline.namedRoom(one) === claim.room);
      requireEqual(claim.at, last === undefined ? null : timeline.idOf(last), "the last event in the room");
      const next = named.find((one) => one > at);
      requireEqual(claim.nextRoom, next === undefined ? null : timeline.namedRoom(next), "the next room");
      break;
    }
    case "end": {
      const { end } = timeline;
      requireEqual(claim.at, end === null ? null : timeline.idOf(end), "the session's end");
      break;
    }
    case "usual-time":
      checkUsualTime(claim, session, recording);
      break;
    case "first-try":
      checkFirstTry(claim, timeline);
      break;
    case "idle":
      checkIdle(claim, timeline);
      break;
    case "still":
      checkStill(claim, timeline);
      break;
    case "frame-drops": {
      const drops = timeline.find(
        (at) => timeline.nameOf(at) === "fps_drop" && (timeline.namedRoom(at) ?? SESSION) === claim.room,
      );
      checkIds(
        claim,
        drops.map((at) => timeline.idOf(at)),
        "drops",
      );
      const rates = drops
        .map((at) => timeline.events[at]?.data?.fps)
        .filter((fps) => typeof fps === "number");
      requireEqual(
        claim.lowestFps,
        rates.length === 0 ? null : Math.round(Math.min(...rates)),
        "the lowest rate",
      );
      break;
    }
    case "bugs":
      checkBugs(claim, session, recording);
      break;
    case "rating":
      requireEqual(
        String(claim.value),
        session.answers.find(({ id }) => id === claim.response)?.value,
        "the rating",
      );
      break;
    case "quote": {
      const answer = session.answers.find(({ id }) => id === claim.source);
      require(answer !== undefined, `there is no answer ${claim.source}`);
      const line = answer.value.replace(/\s+/g, " ").trim();
      requireEqual(claim.text, line.length > 80 ? `${line.slice(0, 79)}…` : line, "the text");
      break;
    }
    case "transcript":
      throw new FalseClaim("recorded sessions has no transcript");
    case "summary":
      checkSummary(claim, session);
      break;
  }
}

type ClaimOf<K extends Claim["kind"]> = Extract<Claim, { kind: K }>;

function checkRow(claim: ClaimOf<"in-a-row">, timeline: Timeline): void {
  const all = timeline.failures(claim.room);
  const [first, last] = [claim.ids.at(0), claim.ids.at(-1)];
  require(first !== undefined && last !== undefined, "the row is empty");
  const [from, to] = boundsOf(timeline, first, last);
  const row = all.filter((at) => from <= at && at <= to);
  checkIds(
    claim,
    row.map((at) => timeline.idOf(at)),
    "failures in a row",
  );
  const [between] = timeline.find(
    (at) =>
      timeline.means(at, "success", "success-state", "reset", "giving-up") ||
      (claim.room !== SESSION && (timeline.namedRoom(at) ?? claim.room) !== claim.room),
    from,
    to,
  );
  require(between === undefined, `event ${timeline.events[between ?? 0]?.id} came between the failures`);
}

function checkUsualTime(claim: ClaimOf<"usual-time">, session: CheckedSession, recording: Recording): void {
  requireEqual(claim.environment, session.play.environment, "the environment");
  const builds = recording.usualTimes(session, claim.room).map(({ build, sessions, times }) => ({
    build,
    count: USUAL_SESSIONS.find((count) => sessions > count),
    times,
  }));
  const usual = builds.find(({ count }) => count !== undefined);
  require(usual !== undefined, `no build has enough sessions in ${claim.room}`);
  requireEqual(claim.build, usual.build, "the earliest build with enough sessions");
  requireEqual(claim.sessions, usual.count, "the number of sessions");
  const times = usual.times.slice(0, usual.count).sort((a, b) => a - b);
  requireEqual(claim.medianMs, median(times), "the median");
}

function checkFirstTry(claim: ClaimOf<"first-try">, timeline: Timeline): void {
  const [visit] = timeline.visitsOf(claim.room);
  require(visit !== undefined, `${claim.room} was not entered`);
  const [success] = timeline.successes(claim.room);
  require(success !== undefined, `there is no success in ${claim.room}`);
  requireEqual(claim.entered, timeline.idOf(visit.first), "the first event in the room");
  requireEqual(claim.success, timeline.idOf(success), "the first success");
  requireEqual(claim.ms, timeline.between(visit.first, success), "the time to the first success");
  require(success <= visit.last, "the success is not in the first visit");
  const isWithin = (at: number) => visit.first <= at && at < success;
  for (const room of [claim.room, SESSION]) {
    require(!timeline.failures(room).some(isWithin), `a failure in ${room} came before`);
    require(!timeline.resets(room).some(isWithin), `a reset in ${room} came before`);
  }
  const spoils = timeline.find((at) => timeline.belongs(at, claim.room, "giving-up") && isWithin(at));
  require(spoils.length === 0, "a giving-up event came before");
  const starts = timeline.find((at) => timeline.belongs(at, claim.room, "start") && isWithin(at));
  require(starts.length <= 1, "there is a second start");
}

function checkIdle(claim: ClaimOf<"idle">, timeline: Timeline): void {
  const from = indexOf(timeline, claim.from);
  requireEqual(timeline.nameOf(from), "idle_start", "the first event");
  requireEqual(claim.room, placeOf(timeline, from), "the room");
  const [to] = timeline.find((at) => timeline.nameOf(at) === "idle_end" || timeline.isPlay(at), from + 1);
  require(to !== undefined, "idling did not end");
  requireEqual(claim.to, timeline.idOf(to), "the event that ends idling");
  requireEqual(claim.ms, timeline.between(from, to), "the time");
  require(timeline.find((at) => timeline.isPlay(at), to).length > 0, "no event of play follows");
}

/** The events that end a period of standing still, in addition to those that name another room. */
const ENDS_STILL = new Set(["focus_lost", "idle_start"]);
const NO_INPUT = new Set(["player_pos", "fps_drop", "crash_reported", "application_error"]);
const MAX_POSITION_GAP_MS = 10_000;
const SPOT_SHARE = 0.05;

function checkStill(claim: ClaimOf<"still">, timeline: Timeline): void {
  const [from, to] = boundsOf(timeline, claim.from, claim.to);
  const positionOf = (at: number) => {
    const { x, y } = timeline.events[at]?.data ?? {};
    return typeof x === "number" && typeof y === "number" ? { x, y } : null;
  };
  const positions = timeline.find(
    (at) =>
      timeline.nameOf(at) === "player_pos" &&
      timeline.namedRoom(at) === claim.room &&
      positionOf(at) !== null,
  );
  const area = positions.map(positionOf).filter((one) => one !== null);
  require(area.length >= 20, `only ${area.length} positions are in ${claim.room}`);
  const [xs, ys] = [area.map(({ x }) => x), area.map(({ y }) => y)];
  const diagonal = Math.hypot(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
  const still = positions.filter((at) => from <= at && at <= to);
  const origin = positionOf(from);
  require(origin !== null && still.at(0) === from && still.at(-1) === to, "the bounds are no positions");
  for (const [index, at] of still.entries()) {
    const { x, y } = positionOf(at) ?? origin;
    require(Math.hypot(x - origin.x, y - origin.y) <=
      SPOT_SHARE * diagonal, `${timeline.idOf(at)} is elsewhere`);
    const before = still[index - 1] ?? at;
    require(timeline.between(before, at) <= MAX_POSITION_GAP_MS, "positions are too far apart in time");
  }
  const [interruption] = timeline.find(
    (at) => ENDS_STILL.has(timeline.nameOf(at)) || (timeline.namedRoom(at) ?? claim.room) !== claim.room,
    from,
    to,
  );
  require(interruption === undefined, "the period was interrupted");
  const inputs = timeline.find((at) => timeline.isPlay(at) && !NO_INPUT.has(timeline.nameOf(at)), from, to);
  requireEqual(claim.inputs, inputs.length, "the number of inputs");
  requireEqual(claim.ms, timeline.between(from, to), "the time");
}

const slug = (text: string) =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_.]+/gu, "-");

function checkBugs(claim: ClaimOf<"bugs">, session: CheckedSession, recording: Recording): void {
  const found = recording.bugs(session).filter(({ name, data }) => {
    const kind = name === "application_error" ? "error" : "crash";
    const text = [data?.message, data?.type, data?.name, data?.code].find((one) => typeof one === "string");
    const words = (text ?? kind).split(/\s+/).filter((word) => !/\d/.test(word));
    const room = typeof data?.room === "number" ? String(data.room) : data?.room;
    const said = words.slice(0, 6).join("-");
    const message = /^(crash|error|session|frame-rate-.*)$/.test(slug(said)) ? kind : said;
    const location = typeof room === "string" && room.trim() !== "" ? room : message;
    const isRoom = location === room;
    // A room that is named like another kind of location has a prefix in its tag.
    const tagged =
      isRoom && /^(crash|error|session|frame-rate-.*)$/.test(slug(location))
        ? `room--${slug(location)}`
        : slug(location);
    return tagged === (claim.location.startsWith("room--") ? claim.location : slug(claim.location));
  });
  const crashes = found.filter(({ name }) => name === "crash_reported").length;
  requireEqual(
    [claim.crashes, claim.errors],
    [crashes, found.length - crashes],
    "the number of crashes and errors",
  );
  const listed = found.map(({ id }) => id).sort();
  if (listed.length <= MAX_CLAIM_IDS) requireEqual([...claim.ids].sort(), listed, "the list of bugs");
  else requireEqual(claim.ids.length, MAX_CLAIM_IDS, "the number of listed bugs");
}

function checkSummary(claim: ClaimOf<"summary">, { timeline, play }: CheckedSession): void {
  const completed = timeline.rooms.filter((room) => timeline.successes(room).length > 0);
  requireEqual(claim.rooms, timeline.rooms.length, "the number of rooms");
  requireEqual(claim.roomsCompleted, completed.length, "the number of completed rooms");
  requireEqual(claim.failures, timeline.failures(null).length, "the number of failures");
  requireEqual(claim.events, play.events.length, "the number of events");
  const last = timeline.events.length - 1;
  requireEqual(claim.wallMs, Math.max(0, last < 0 ? 0 : timeline.between(0, last)), "the time of all events");
  requireEqual(claim.activeMs, timeline.activeMs(SESSION), "the active time");
}
