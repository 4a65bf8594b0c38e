/**
 * The terms of docs/rules.md, computed by brute force. This is a second implementation, to check the first one: it
 * shares no code with `src/server/analysis` and prefers the words of the page to speed.
 */
import type { EventMeaning } from "../../src/shared/event-names.ts";
import type { PlayEvent } from "./recording.ts";

/** The room of failures, successes, starts and resets that name no room. */
export const SESSION = "session";
const SECOND_MS = 1000;
const MAX_GAP_MS = 60_000;
/** Maximum time between two reports of one failure. */
const MAX_REPORTS_MS = 10_000;

const DEFAULT_MEANINGS: Readonly<Record<EventMeaning, readonly string[]>> = {
  failure: ["death", "player_death", "level_failed", "game_over"],
  "failure-state": ["fail"],
  success: ["complete", "level_completed"],
  "success-state": ["succeed"],
  start: ["begin", "level_start", "level_started"],
  reset: ["reset", "restart", "reset_btn_press", "level_restart"],
  "giving-up": ["skip_button", "quit", "rage_quit"],
};

/** Events that do not show activity of the player. */
const PASSIVE = new Set([
  "session_heartbeat",
  "session_summary",
  "focus_lost",
  "focus_gained",
  "idle_start",
  "idle_end",
]);

/** Event names with the meanings that a game sets for them. */
export type MeaningConfig = Readonly<Record<string, EventMeaning>>;

/** Returns the meaning of each event name that has one. */
function resolveMeanings(config: MeaningConfig): Map<string, EventMeaning> {
  const configured = new Set(Object.values(config));
  if (configured.has("failure")) configured.add("failure-state");
  if (configured.has("success")) configured.add("success-state");
  const meanings = new Map<string, EventMeaning>();
  let meaning: EventMeaning;
  for (meaning in DEFAULT_MEANINGS) {
    if (configured.has(meaning)) continue;
    for (const name of DEFAULT_MEANINGS[meaning]) meanings.set(name, meaning);
  }
  for (const [name, own] of Object.entries(config)) meanings.set(name, own);
  return meanings;
}

/** A visit to a room. Numbers are indexes of events. */
export interface Visit {
  readonly room: string;
  readonly first: number;
  readonly last: number;
  /** The event that ends the visit by naming another room; null if the session ends in the room. */
  readonly endedBy: number | null;
}

/** An attempt. Numbers are indexes of events. */
export interface Attempt {
  readonly visit: Visit;
  readonly first: number;
  failure: number | null;
  success: number | null;
  /** The event that ends the attempt; null if it ends with the visit. */
  endedBy: number | null;
}

/** The play in a room up to a success. Numbers are indexes of events. */
export interface Stretch {
  readonly first: number;
  readonly success: number | null;
}

/** The events of one session with everything that docs/rules.md defines about them. */
export class Timeline {
  readonly events: readonly PlayEvent[];
  readonly visits: readonly Visit[];
  /** Whether a start or reset separates attempts anywhere in the session. */
  readonly isDelimited: boolean;
  readonly #meanings: ReadonlyMap<string, EventMeaning>;
  readonly #inactive: readonly boolean[];
  readonly #attempts = new Map<string, Attempt[]>();

  constructor(events: readonly PlayEvent[], config: MeaningConfig = {}) {
    this.events = events;
    this.#meanings = resolveMeanings(config);
    this.visits = this.#findVisits();
    const [away, idle] = [
      this.#findPeriods("focus_lost", "focus_gained"),
      this.#findPeriods("idle_start", "idle_end"),
    ];
    this.#inactive = events.map((_, at) =>
      [...away, ...idle].some(({ first, end }) => first <= at && at < end),
    );
    this.isDelimited = this.find((at) => this.means(at, "start", "reset")).length > 0;
  }

  #event(at: number): PlayEvent {
    const event = this.events[at];
    if (!event) throw new RangeError(`No event ${at}`);
    return event;
  }

  /** All indexes of events that pass a test, between two indexes, both included. */
  find(test: (at: number) => boolean, first = 0, last = this.events.length - 1): number[] {
    const found: number[] = [];
    for (let at = first; at <= last; at++) if (test(at)) found.push(at);
    return found;
  }

  /** The periods from each `start` event to the event that ends it. */
  #findPeriods(start: string, stop: string): { first: number; end: number }[] {
    const periods: { first: number; end: number }[] = [];
    for (const first of this.find((at) => this.nameOf(at) === start)) {
      const [next] = this.find((at) => [start, stop].includes(this.nameOf(at)), first + 1);
      const [played] = this.find((at) => this.isPlay(at), first + 1, next);
      const isMatched = next !== undefined && this.nameOf(next) === stop;
      periods.push({ first, end: (isMatched ? next : (played ?? next)) ?? this.events.length });
    }
    return periods;
  }

  /** The last event before an index that passes a test. */
  #findBefore(end: number, test: (at: number) => boolean): number | null {
    for (let at = end - 1; at >= 0; at--) if (test(at)) return at;
    return null;
  }

  indexOf(id: string): number | null {
    const at = this.events.findIndex((event) => event.id === id);
    return at < 0 ? null : at;
  }

  nameOf(at: number): string {
    return this.#event(at).name;
  }

  idOf(at: number): string {
    return this.#event(at).id;
  }

  timeOf(at: number): number {
    return this.#event(at).timestamp;
  }

  /** Time from one event to another, ms. */
  between(from: number, to: number): number {
    return this.timeOf(to) - this.timeOf(from);
  }

  meaningOf(at: number): EventMeaning | null {
    return this.#meanings.get(this.nameOf(at)) ?? null;
  }

  means(at: number, ...meanings: readonly EventMeaning[]): boolean {
    const own = this.meaningOf(at);
    return own !== null && meanings.includes(own);
  }

  /** The room that an event names, or null. */
  namedRoom(at: number): string | null {
    const room = this.#event(at).data?.room;
    if (typeof room === "number") return String(room);
    if (typeof room !== "string" || room.trim() === "" || room.length > 200 || room === SESSION) return null;
    return room;
  }

  /** The visit in which an event happened, or null before the first one. */
  visitAt(at: number): Visit | null {
    return this.visits.find(({ room, first, last }) => room !== SESSION && first <= at && at <= last) ?? null;
  }

  /** The room that a failure, success, start, reset or giving-up event belongs to. */
  roomOf(at: number): string {
    const named = this.namedRoom(at);
    if (named !== null) return named;
    return this.means(at, "giving-up") ? (this.visitAt(at)?.room ?? SESSION) : SESSION;
  }

  belongs(at: number, room: string, ...meanings: readonly EventMeaning[]): boolean {
    return this.means(at, ...meanings) && this.roomOf(at) === room;
  }

  /** The visits to rooms, and one to `session` that lasts the whole session. */
  #findVisits(): Visit[] {
    const end = this.events.length - 1;
    const visits: Visit[] = [{ room: SESSION, first: 0, last: end, endedBy: null }];
    for (const first of this.find((at) => this.namedRoom(at) !== null)) {
      const room = this.namedRoom(first) ?? SESSION;
      const before = this.#findBefore(first, (at) => this.namedRoom(at) !== null);
      if (before !== null && this.namedRoom(before) === room) continue;
      const [endedBy] = this.find((at) => (this.namedRoom(at) ?? room) !== room, first);
      visits.push({
        room,
        first,
        last: endedBy === undefined ? end : endedBy - 1,
        endedBy: endedBy ?? null,
      });
    }
    return visits;
  }

  visitsOf(room: string): Visit[] {
    return this.visits.filter((visit) => visit.room === room);
  }

  /** The rooms that were entered, in the order of their first visits. */
  get rooms(): string[] {
    return [...new Set(this.visits.map(({ room }) => room))].filter((room) => room !== SESSION);
  }

  /** Whether some event in `others` is less than 1 s before `at`, or also after it. */
  #isNear(at: number, others: readonly number[], side: "after" | "around"): boolean {
    return others.some((other) => {
      const passed = side === "around" ? Math.abs(this.between(other, at)) : this.between(other, at);
      return other !== at && passed < SECOND_MS && (side === "around" || other < at);
    });
  }

  /** The attempts in a room, with their failures and successes. */
  attempts(room: string): readonly Attempt[] {
    let attempts = this.#attempts.get(room);
    if (!attempts) {
      attempts = this.#divide(room);
      this.#attempts.set(room, attempts);
    }
    return attempts;
  }

  #divide(room: string): Attempt[] {
    const failures = this.#findFailures(room);
    const attempts = this.visitsOf(room).flatMap((visit) => this.#divideVisit(visit, failures));
    if (this.isDelimited) for (const attempt of attempts) attempt.success ??= this.#findSolvedState(attempt);
    return attempts;
  }

  /** Divides a visit into attempts. `failures` are all failures of the room, also several of one attempt. */
  #divideVisit(visit: Visit, failures: readonly number[]): Attempt[] {
    const { room } = visit;
    const begin = (first: number): Attempt => ({ visit, first, failure: null, success: null, endedBy: null });
    const attempts: Attempt[] = [];
    let attempt = begin(visit.first);
    for (let at = visit.first; at <= visit.last; at++) {
      if (failures.includes(at)) attempt.failure ??= at;
      const isSolved = this.#isOnlySolved(at, visit);
      if (this.belongs(at, room, "success") || isSolved) attempt.success = at;
      const endsByState = isSolved || (!this.isDelimited && this.#isFailedState(at, room));
      if (this.belongs(at, room, "start", "failure", "success") || this.isReset(at, room) || endsByState) {
        attempt.endedBy = at;
        attempts.push(attempt);
        attempt = begin(at);
      }
    }
    return [...attempts, attempt];
  }

  /** The failures of a room, without the events that report one again under another name. */
  #findFailures(room: string): number[] {
    const failures: number[] = [];
    const again: number[] = [];
    for (const at of this.find(
      (one) => this.belongs(one, room, "failure") || this.#isFailedState(one, room),
    )) {
      const previous = failures.at(-1);
      const isAgain = previous !== undefined && this.#isSameFailure(previous, at, again);
      (isAgain ? again : failures).push(at);
    }
    return failures;
  }

  /** Whether `at` reports the failure `previous` under another name. `again` are the events that do so already. */
  #isSameFailure(previous: number, at: number, again: readonly number[]): boolean {
    if (this.nameOf(previous) === this.nameOf(at)) return false;
    const passed = this.between(previous, at);
    if (passed < SECOND_MS) return true;
    const played = this.find((one) => this.isPlay(one) && !again.includes(one), previous + 1, at - 1);
    return passed < MAX_REPORTS_MS && played.length === 0;
  }

  /** Whether an event is a failed state that the player reached, rather than the first state of the room or a crossed one. */
  #isFailedState(at: number, room: string): boolean {
    if (!this.belongs(at, room, "failure-state")) return false;
    const entered = this.visitsOf(room).map(({ first }) => first);
    const begun = [...entered, ...this.find((other) => this.belongs(other, room, "start", "reset"))];
    const solved = this.find((other) => this.belongs(other, room, "success", "success-state"));
    return !begun.includes(at) && !this.#isNear(at, begun, "after") && !this.#isNear(at, solved, "around");
  }

  /** Whether a success state ends its attempt, in a session without starts and resets. */
  #isOnlySolved(at: number, { room, last }: Visit): boolean {
    if (this.isDelimited || !this.belongs(at, room, "success-state")) return false;
    const failed = this.find((other) => this.belongs(other, room, "failure-state"), at, last);
    return !failed.some((other) => this.between(at, other) < SECOND_MS);
  }

  /** The first success state of an attempt that no failure state of the attempt follows. */
  #findSolvedState({ visit, first, endedBy }: Attempt): number | null {
    if (endedBy !== null && this.means(endedBy, "success", "failure")) return null;
    const last = endedBy === null ? visit.last : endedBy - 1;
    const states = this.find((at) => this.belongs(at, visit.room, "success-state"), first, last);
    const failed = this.find((at) => this.belongs(at, visit.room, "failure-state"), first, last);
    return states.find((at) => !failed.some((other) => other > at)) ?? null;
  }

  /** The failures in a room, or in all rooms and `session`. */
  failures(room: string | null): number[] {
    return this.#inRooms(room, (attempt) => attempt.failure);
  }

  successes(room: string | null): number[] {
    return this.#inRooms(room, (attempt) => attempt.success);
  }

  #inRooms(room: string | null, pick: (attempt: Attempt) => number | null): number[] {
    const rooms = room === null ? [...this.rooms, SESSION] : [room];
    return rooms
      .flatMap((one) => this.attempts(one).map(pick))
      .filter((at) => at !== null)
      .sort((a, b) => a - b);
  }

  resets(room: string): number[] {
    return this.find((at) => this.isReset(at, room));
  }

  /** Whether an event is a reset of a room, and not the second press of one. */
  isReset(at: number, room: string): boolean {
    if (!this.belongs(at, room, "reset")) return false;
    const before = this.#findBefore(at, (other) => this.belongs(other, room, "reset"));
    return before === null || this.between(before, at) >= SECOND_MS;
  }

  /** Whether a game is idle or out of focus after an event. */
  isInactiveAfter(at: number): boolean {
    return this.#inactive[at] ?? false;
  }

  /** The active time in a room from one event to another, ms. */
  activeMs(room: string, from = 0, until = this.events.length - 1): number {
    let sum = 0;
    for (const { first, last, endedBy } of this.visitsOf(room)) {
      for (let at = Math.max(first, from); at < Math.min(endedBy ?? last, until); at++) {
        if (!this.isInactiveAfter(at)) sum += Math.min(this.between(at, at + 1), MAX_GAP_MS);
      }
    }
    return sum;
  }

  /** The active time from the first visit to the first success, or in all visits; null if the room was not entered. */
  timeToSuccess(room: string): number | null {
    const [first] = this.visitsOf(room);
    if (!first) return null;
    return this.activeMs(room, first.first, this.successes(room)[0]);
  }

  /** The stretches of play in a room, each up to a success. */
  stretches(room: string): Stretch[] {
    const stretches: Stretch[] = [];
    const successes = this.successes(room);
    let [first]: (number | undefined)[] = this.visitsOf(room).map((visit) => visit.first);
    while (first !== undefined) {
      const start: number = first;
      const success = successes.find((at) => at >= start) ?? null;
      stretches.push({ first: start, success });
      if (success === null) break;
      [first] = this.find((at) => this.belongs(at, room, "start") || this.isReset(at, room), success + 1);
    }
    return stretches;
  }

  /** Whether an event shows activity of the player. */
  isPlay(at: number): boolean {
    return !PASSIVE.has(this.nameOf(at));
  }

  /** The last event that shows activity of the player. */
  get end(): number | null {
    return this.find((at) => this.isPlay(at)).at(-1) ?? null;
  }
}
