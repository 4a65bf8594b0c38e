/** Meanings: which event names tell of failing, succeeding, giving up, crashing and errors. */

import type { EventMeaning } from "../../contract/event-config.ts";
import { EVENTS, FAILURE_EVENTS, GIVING_UP_EVENTS, SUCCESS_EVENTS } from "../../shared/event-names.ts";

/** What an event may mean to the rules. */
export type Meaning = "failure" | "success" | "givingUp" | "crash" | "error";

/** The names behind each meaning. A name in several sets has the first of these meanings, in this order. */
export interface EventMeanings {
  readonly failure: ReadonlySet<string>;
  readonly success: ReadonlySet<string>;
  readonly givingUp: ReadonlySet<string>;
  /** Those of givingUp that tell of anger by themselves, whatever went before. */
  readonly rageQuit: ReadonlySet<string>;
  /** The game died. */
  readonly crash: ReadonlySet<string>;
  /** The game went on after it. */
  readonly error: ReadonlySet<string>;
}

/** What names mean in a game that has not said otherwise. */
export const defaultMeanings: EventMeanings = {
  failure: new Set(FAILURE_EVENTS),
  success: new Set(SUCCESS_EVENTS),
  givingUp: new Set(GIVING_UP_EVENTS),
  rageQuit: new Set([EVENTS.rageQuit]),
  crash: new Set([EVENTS.crash]),
  error: new Set([EVENTS.error]),
};

/** What a game may say of one event name. */
export interface ConfiguredMeaning {
  readonly name: string;
  readonly meaning: EventMeaning | null;
}

const meaningKeys = { failure: "failure", success: "success", "giving-up": "givingUp" } as const;

/**
 * The meanings of a game: the names it gives to a meaning stand in place of the default ones of that meaning, and a
 * name that it gives to one has no other.
 */
export function resolveMeanings(given: readonly ConfiguredMeaning[]): EventMeanings {
  const named = given.filter(({ meaning }) => meaning !== null);
  if (named.length === 0) return defaultMeanings;
  const taken = new Set(named.map(({ name }) => name));
  const without = (names: ReadonlySet<string>) => new Set([...names].filter((name) => !taken.has(name)));
  const meanings = {
    failure: without(defaultMeanings.failure),
    success: without(defaultMeanings.success),
    givingUp: without(defaultMeanings.givingUp),
    crash: without(defaultMeanings.crash),
    error: without(defaultMeanings.error),
  };
  for (const [meaning, kind] of Object.entries(meaningKeys)) {
    const names = named.filter((one) => one.meaning === meaning).map(({ name }) => name);
    if (names.length > 0) meanings[kind] = new Set(names);
  }
  const rageQuit = [...defaultMeanings.rageQuit].filter((name) => meanings.givingUp.has(name));
  return { ...meanings, rageQuit: new Set(rageQuit) };
}

/** The meaning of an event name, or null when it has none. */
export function findMeaning(name: string, meanings: EventMeanings): Meaning | null {
  if (meanings.failure.has(name)) return "failure";
  if (meanings.success.has(name)) return "success";
  if (meanings.givingUp.has(name)) return "givingUp";
  if (meanings.crash.has(name)) return "crash";
  if (meanings.error.has(name)) return "error";
  return null;
}
