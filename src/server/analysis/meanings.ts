/** Event meanings: which event names mean failures, successes, giving up, crashes and errors. */

import type { EventMeaning } from "../../contract/event-config.ts";
import { EVENTS, FAILURE_EVENTS, GIVING_UP_EVENTS, SUCCESS_EVENTS } from "../../shared/event-names.ts";

/** The meanings that the rules distinguish. */
export type Meaning = "failure" | "success" | "givingUp" | "crash" | "error";

/** Event names by meaning. A name in several sets has the first of these meanings, in the order of the fields. */
export interface EventMeanings {
  readonly failure: ReadonlySet<string>;
  readonly success: ReadonlySet<string>;
  readonly givingUp: ReadonlySet<string>;
  /** The names in givingUp that count even without failures before them. */
  readonly rageQuit: ReadonlySet<string>;
  /** The game terminated. */
  readonly crash: ReadonlySet<string>;
  /** The game continued. */
  readonly error: ReadonlySet<string>;
}

/** The meanings for games without event config. */
export const defaultMeanings: EventMeanings = {
  failure: new Set(FAILURE_EVENTS),
  success: new Set(SUCCESS_EVENTS),
  givingUp: new Set(GIVING_UP_EVENTS),
  rageQuit: new Set([EVENTS.rageQuit]),
  crash: new Set([EVENTS.crash]),
  error: new Set([EVENTS.error]),
};

/** The event config of one name, as far as its meaning is concerned. */
export interface ConfiguredMeaning {
  readonly name: string;
  readonly meaning: EventMeaning | null;
}

const meaningKeys = { failure: "failure", success: "success", "giving-up": "givingUp" } as const;

/**
 * The meanings of event names in a game. Names that the game configures for a meaning replace the default names of that
 * meaning, and each configured name has only that meaning.
 */
export function resolveMeanings(config: readonly ConfiguredMeaning[]): EventMeanings {
  const configured = config.filter(({ meaning }) => meaning !== null);
  if (configured.length === 0) return defaultMeanings;
  const configuredNames = new Set(configured.map(({ name }) => name));
  const omitConfigured = (names: ReadonlySet<string>) =>
    new Set([...names].filter((name) => !configuredNames.has(name)));
  const meanings = {
    failure: omitConfigured(defaultMeanings.failure),
    success: omitConfigured(defaultMeanings.success),
    givingUp: omitConfigured(defaultMeanings.givingUp),
    crash: omitConfigured(defaultMeanings.crash),
    error: omitConfigured(defaultMeanings.error),
  };
  for (const [meaning, kind] of Object.entries(meaningKeys)) {
    const names = configured.filter((entry) => entry.meaning === meaning).map(({ name }) => name);
    if (names.length > 0) meanings[kind] = new Set(names);
  }
  const rageQuit = [...defaultMeanings.rageQuit].filter((name) => meanings.givingUp.has(name));
  return { ...meanings, rageQuit: new Set(rageQuit) };
}

/** The meaning of an event name, or null if it has none. */
export function findMeaning(name: string, meanings: EventMeanings): Meaning | null {
  if (meanings.failure.has(name)) return "failure";
  if (meanings.success.has(name)) return "success";
  if (meanings.givingUp.has(name)) return "givingUp";
  if (meanings.crash.has(name)) return "crash";
  if (meanings.error.has(name)) return "error";
  return null;
}
