/** The attempts in one room of a session, with their failures and successes. docs/rules.md explains the definitions. */

import { isPlayerActivity } from "../sessions/durations.ts";
import type { AttemptMeaning } from "./meanings.ts";
import type { SessionEvent } from "./recorded-session.ts";
import { msBetween } from "./visits.ts";

/**
 * A failure state less than this time after the start of an attempt, or before or after a success, in ms, is not a
 * failure: rooms start in that state, and a control that crosses the solution leaves and enters it. Outcomes with
 * different names in less than this time are one failure that is reported twice.
 */
export const SETTLE_MS = 1000;
/**
 * A failure with another name less than this time after the previous one is the same failure if nothing was played in between, in
 * ms: some games report the death first, and the end of the game after an animation.
 */
export const SAME_FAILURE_MS = 10_000;

/** A part of a visit. All numbers are indexes into the session's events. */
export interface Attempt {
  /** The event that started the attempt. */
  readonly from: number;
  /** The reset that ended the attempt; null if it ended otherwise. */
  readonly reset: number | null;
  readonly failure: number | null;
  readonly success: number | null;
}

/** An event that the attempts of a room depend on. */
export interface Mark {
  readonly at: number;
  /** `resetAgain` is a reset event that repeats the previous one, such as a double press. */
  readonly meaning: AttemptMeaning | "enter" | "resetAgain";
}

/** Marks the reset events of a room that come so soon after the previous press that they are the same reset. */
export function markRepeatedResets(events: readonly SessionEvent[], marks: readonly Mark[]): readonly Mark[] {
  let previous: number | null = null;
  return marks.map((mark) => {
    if (mark.meaning !== "reset") return mark;
    const isRepeated = previous !== null && msBetween(events, previous, mark.at) < SETTLE_MS;
    previous = mark.at;
    return isRepeated ? { at: mark.at, meaning: "resetAgain" } : mark;
  });
}

/**
 * Divides the visits to one room into attempts. In a session with starts or resets (`delimited`), states do not end an
 * attempt; in other sessions they do.
 */
export function readAttempts(
  events: readonly SessionEvent[],
  marks: readonly Mark[],
  delimited: boolean,
): readonly Attempt[] {
  return new AttemptReader(events, marks, delimited).read();
}

class AttemptReader {
  readonly #events: readonly SessionEvent[];
  readonly #marks: readonly Mark[];
  readonly #delimited: boolean;
  readonly #attempts: Attempt[] = [];
  #from = 0;
  #failure: number | null = null;
  /** The first success state of the attempt that no failure state followed so far. */
  #solved: number | null = null;
  /** The first event that reported the last failure, and the last one. */
  #firstReport: number | null = null;
  #lastReport = 0;

  constructor(events: readonly SessionEvent[], marks: readonly Mark[], delimited: boolean) {
    this.#events = events;
    this.#marks = marks;
    this.#delimited = delimited;
  }

  read(): readonly Attempt[] {
    const crossing = this.#findCrossings();
    for (const [index, mark] of this.#marks.entries()) {
      if (index === 0) this.#from = mark.at;
      else this.#add(mark, crossing.has(mark.at));
    }
    if (this.#marks.length > 0) this.#end(null, this.#solved);
    return this.#attempts;
  }

  #add({ at, meaning }: Mark, isCrossing: boolean): void {
    if (meaning === "failure") {
      this.#fail(at);
      this.#end(at, null);
    } else if (meaning === "success") this.#end(at, at);
    else if (meaning === "failureState") {
      this.#solved = null;
      if (isCrossing) return;
      this.#fail(at);
      if (!this.#delimited) this.#end(at, null);
    } else if (meaning === "successState") {
      if (this.#delimited) this.#solved ??= at;
      else if (!isCrossing) this.#end(at, at);
    } else if (meaning !== "resetAgain") this.#end(at, this.#solved, meaning === "reset" ? at : null);
  }

  /** Counts a failure, unless it is the second one of the attempt, or another name for the previous one. */
  #fail(at: number): void {
    const isRepeated = this.#isRepeatedReport(at);
    this.#lastReport = at;
    if (isRepeated) return;
    this.#firstReport = at;
    this.#failure ??= at;
  }

  /** Whether a failure is the previous one, reported with another name. */
  #isRepeatedReport(at: number): boolean {
    const first = this.#firstReport;
    if (first === null || this.#events[first]?.name === this.#events[at]?.name) return false;
    const ms = msBetween(this.#events, first, at);
    return (
      ms < SETTLE_MS ||
      (ms < SAME_FAILURE_MS && !this.#events.slice(this.#lastReport + 1, at).some(isPlayerActivity))
    );
  }

  /** Ends the attempt. The next one starts with the same event. */
  #end(at: number | null, success: number | null, reset: number | null = null): void {
    this.#attempts.push({ from: this.#from, reset, failure: this.#failure, success });
    this.#from = at ?? this.#from;
    this.#failure = null;
    this.#solved = null;
  }

  /**
   * The failure states that are not failures, because the room starts in them or a control crosses the solution, and in
   * a session without starts and resets, the success states that do not last.
   */
  #findCrossings(): ReadonlySet<number> {
    return new Set([...this.#findSettling(), ...this.#findUndone()]);
  }

  /** The failure states soon after the room was entered, a start, a reset or a success. */
  #findSettling(): number[] {
    let before: number | null = null;
    return this.#marks.flatMap(({ at, meaning }) => {
      if (meaning === "failureState") return this.#isSoon(before, at) ? at : [];
      if (meaning !== "failure") before = at;
      return [];
    });
  }

  /** The failure states soon before a success, and the success states soon before a failure state of the same visit. */
  #findUndone(): number[] {
    let success: number | null = null;
    let failure: number | null = null;
    return this.#marks.toReversed().flatMap(({ at, meaning }) => {
      const next = meaning === "failureState" ? success : this.#delimited ? null : failure;
      if (meaning === "success" || meaning === "successState") success = at;
      if (meaning === "failureState") failure = at;
      if (meaning === "enter") failure = null;
      const isState = meaning === "failureState" || meaning === "successState";
      return isState && this.#isSoon(at, next) ? at : [];
    });
  }

  #isSoon(from: number | null, to: number | null): boolean {
    return from !== null && to !== null && msBetween(this.#events, from, to) < SETTLE_MS;
  }
}
