/** Mutations of the analysis that make its statements false. Each replaces a text that occurs exactly once in its file. */

export interface Mutation {
  /** Path from `src/server/analysis`. */
  readonly file: string;
  /** What the mutation breaks. */
  readonly breaks: string;
  readonly find: string;
  readonly replace: string;
}

export const mutations: readonly Mutation[] = [
  {
    file: "attempts.ts",
    breaks: "off by one: states settle in 1001 ms",
    find: "SETTLE_MS = 1000;",
    replace: "SETTLE_MS = 1001;",
  },
  {
    file: "session-play.ts",
    breaks: "dropped condition: attempts without a success have one",
    find: "if (from === null || (success !== null && from > success)) continue;",
    replace: "if (false) continue;",
  },
  {
    file: "attempts.ts",
    breaks: "dropped condition: the last failure of an attempt counts",
    find: "this.#failure ??= at;",
    replace: "this.#failure = at;",
  },
  {
    file: "attempts.ts",
    breaks: "off by one: reports of one failure are 10 s apart",
    find: "SAME_FAILURE_MS = 10_000;",
    replace: "SAME_FAILURE_MS = 10_001;",
  },
  {
    file: "attempts.ts",
    breaks: "dropped condition: failures before and after play are the same",
    find: " && !this.#events.slice(this.#lastReport + 1, at).some(isPlayerActivity)",
    replace: "",
  },
  {
    file: "attempts.ts",
    breaks: "dropped condition: the second press is another reset",
    find: 'return isRepeated ? { at: mark.at, meaning: "resetAgain" } : mark;',
    replace: "return mark;",
  },
  {
    file: "attempts.ts",
    breaks: "condition replaced: no failure state counts",
    find: 'if (meaning === "failureState") return this.#isSoon(before, at) ? at : [];',
    replace: 'if (meaning === "failureState") return at;',
  },
  {
    file: "visits.ts",
    breaks: "dropped condition: inactive time counts",
    find: "if (at > 0 && !inactive[at - 1]) total",
    replace: "if (at > 0) total",
  },
  {
    file: "../sessions/inactivity.ts",
    breaks: "dropped condition: play does not end the time out of focus",
    find: "close(played ?? events.length);",
    replace: "close(events.length);",
  },
  {
    file: "rules/claims.ts",
    breaks: "dropped condition: a missing success is called a later one",
    find: "if (success === null) return isFirst",
    replace: "if (false) return isFirst",
  },
  {
    file: "rules/movement.ts",
    breaks: "dropped condition: positions elsewhere are in the same spot",
    find: " &&\n      isNear(movement, current.stay, position);",
    replace: ";",
  },
  {
    file: "rules/long-idle.ts",
    breaks: "dropped condition: short idle periods are long",
    find: "if (idle.ms >= LONG_IDLE_MS && idle.ms >",
    replace: "if (idle.ms >",
  },
  {
    file: "rules/session-summary.ts",
    breaks: "swapped bound: failures elsewhere are in one room",
    find: "if (count < failures) return",
    replace: "if (count > failures) return",
  },
  {
    file: "rules/session-summary.ts",
    breaks: "off by one: rooms without a success count as completed",
    find: "successes.length > 0).length",
    replace: "successes.length >= 0).length",
  },
  {
    file: "rules/room-times.ts",
    breaks: "negated condition: no active time in a room",
    find: "if (!start || !end) return 0;",
    replace: "if (!start || end) return 0;",
  },
  {
    file: "rules/frame-rate.ts",
    breaks: "negated condition: no frame rate is reported",
    find: "!Number.isFinite(fps)",
    replace: "Number.isFinite(fps)",
  },
  {
    file: "rules/difficulty-spike.ts",
    breaks: "off by one: 4 failures are a spike",
    find: "RUN_THRESHOLD = 5;",
    replace: "RUN_THRESHOLD = 4;",
  },
  {
    file: "rules/stuck-point.ts",
    breaks: "off by one: twice the usual time is slow",
    find: "SLOW_FACTOR = 3;",
    replace: "SLOW_FACTOR = 2;",
  },
  {
    file: "rules/negative-moment.ts",
    breaks: "off by one second: 29 s are a long stay",
    find: "MIN_STAY_MS = 30_000;",
    replace: "MIN_STAY_MS = 29_000;",
  },
  {
    file: "rules/leaving.ts",
    breaks: "off by one second: leaving 31 s after a failure",
    find: "LEAVING_MS = 30_000;",
    replace: "LEAVING_MS = 31_000;",
  },
  {
    file: "rules/leaving.ts",
    breaks: "off by some seconds: giving up takes effect within 10 s",
    find: "GIVING_UP_MS = 5000;",
    replace: "GIVING_UP_MS = 10_000;",
  },
  {
    file: "rules/leaving.ts",
    breaks: "dropped condition: a failure before a solved state is the last",
    find: "return isSolved ? null : last;",
    replace: "return last;",
  },
  {
    file: "rules/negative-moment.ts",
    breaks: "dropped condition: any room can be completed",
    find: "starts.length > 0 || successes.length > 0;",
    replace: "starts.length >= 0 || successes.length > 0;",
  },
  {
    file: "rules/positive-moment.ts",
    breaks: "off by one second: a success after 31 s is quick",
    find: "QUICK_MS = 30_000;",
    replace: "QUICK_MS = 31_000;",
  },
  {
    file: "visits.ts",
    breaks: "off by one second: a gap counts for 61 s",
    find: "MAX_GAP_MS = 60_000;",
    replace: "MAX_GAP_MS = 61_000;",
  },
  {
    file: "rules/frame-rate.ts",
    breaks: "off by one: 2 drops are a low frame rate",
    find: "DROPS_THRESHOLD = 3;",
    replace: "DROPS_THRESHOLD = 2;",
  },
];
