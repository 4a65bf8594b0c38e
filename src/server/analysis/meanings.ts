/** Event meanings: which event names mean failures, successes, starts, resets, giving up, crashes and errors. */

import { defaultEventNames, EVENTS, type EventMeaning } from "../../shared/event-names.ts";

/** The meanings that the attempts in a room depend on, in order of precedence. */
export const attemptMeanings = [
  "failure",
  "success",
  "failureState",
  "successState",
  "reset",
  "start",
] as const;
export type AttemptMeaning = (typeof attemptMeanings)[number];

/** The meanings that the rules distinguish, in order of precedence. docs/rules.md defines them. */
const meanings = [...attemptMeanings, "givingUp", "crash", "error"] as const;
type Meaning = (typeof meanings)[number];

/** Event names by meaning. A name in several sets has the first of these meanings. */
export type EventMeanings = Readonly<Record<Meaning, ReadonlySet<string>>>;

/** The meanings for games without event config. */
export const defaultMeanings: EventMeanings = {
  failure: new Set(defaultEventNames.failure),
  success: new Set(defaultEventNames.success),
  failureState: new Set(defaultEventNames["failure-state"]),
  successState: new Set(defaultEventNames["success-state"]),
  reset: new Set(defaultEventNames.reset),
  start: new Set(defaultEventNames.start),
  givingUp: new Set(defaultEventNames["giving-up"]),
  crash: new Set([EVENTS.crash]),
  error: new Set([EVENTS.error]),
};

/** The event config of one name, as far as its meaning is concerned. */
interface ConfiguredMeaning {
  readonly name: string;
  readonly meaning: EventMeaning | null;
}

/** Which default names a configured meaning replaces: those of the same meaning, and those of the state that belongs to it. */
const replacedMeanings: Readonly<Record<EventMeaning, readonly [Meaning, ...Meaning[]]>> = {
  failure: ["failure", "failureState"],
  "failure-state": ["failureState"],
  success: ["success", "successState"],
  "success-state": ["successState"],
  start: ["start"],
  reset: ["reset"],
  "giving-up": ["givingUp"],
};

/**
 * The meanings of event names in a game. Names that the game configures for a meaning replace the default names of that
 * meaning, and each configured name has only that meaning. Outcomes also replace the default names of their states.
 */
export function resolveMeanings(config: readonly ConfiguredMeaning[]): EventMeanings {
  if (config.every(({ meaning }) => meaning === null)) return defaultMeanings;
  const configured = new Map(
    config.flatMap(({ name, meaning }) => (meaning === null ? [] : [[name, meaning]])),
  );
  const replaced = new Set([...configured.values()].flatMap((meaning) => replacedMeanings[meaning]));
  const resolve = (meaning: Meaning) => {
    const names = [...configured].filter(([, given]) => replacedMeanings[given][0] === meaning);
    const defaults = [...defaultMeanings[meaning]].filter((name) => !configured.has(name));
    return new Set([...(replaced.has(meaning) ? [] : defaults), ...names.map(([name]) => name)]);
  };
  return {
    failure: resolve("failure"),
    success: resolve("success"),
    failureState: resolve("failureState"),
    successState: resolve("successState"),
    reset: resolve("reset"),
    start: resolve("start"),
    givingUp: resolve("givingUp"),
    crash: resolve("crash"),
    error: resolve("error"),
  };
}

/** The meaning of an event name, or null if it has none. */
export function findMeaning(name: string, names: EventMeanings): Meaning | null {
  return meanings.find((meaning) => names[meaning].has(name)) ?? null;
}
