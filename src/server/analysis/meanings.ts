/** Meanings: which event names tell of failing, succeeding, giving up, crashing and errors. */

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
  failure: new Set(["death", "player_death", "fail", "level_failed", "game_over"]),
  success: new Set(["succeed", "complete", "level_completed"]),
  givingUp: new Set(["skip_button", "quit", "rage_quit"]),
  rageQuit: new Set(["rage_quit"]),
  crash: new Set(["crash_reported"]),
  error: new Set(["application_error"]),
};

/** The meaning of an event name, or null when it has none. */
export function meaningOf(name: string, meanings: EventMeanings): Meaning | null {
  if (meanings.failure.has(name)) return "failure";
  if (meanings.success.has(name)) return "success";
  if (meanings.givingUp.has(name)) return "givingUp";
  if (meanings.crash.has(name)) return "crash";
  if (meanings.error.has(name)) return "error";
  return null;
}
