/** Expectations: which events, or values of metrics of performance, the sessions of a game must have. */
import type { GroupFacts } from "../../../scorecard/facts.ts";
import { type Figure, measureGroups } from "../../../scorecard/figures.ts";
import { METRICS, type Metric } from "../../../scorecard/metrics.ts";
import { MIN_FRAMES, parsePerformanceSubject } from "../../../scorecard/performance.ts";
import { OTHER_EVENTS } from "../../../shared/event-names.ts";
import { fail } from "../../errors.ts";

const operators = {
  ">=": (count: number, n: number) => count >= n,
  "<=": (count: number, n: number) => count <= n,
  "==": (count: number, n: number) => count === n,
  ">": (count: number, n: number) => count > n,
  "<": (count: number, n: number) => count < n,
  "=": (count: number, n: number) => count === n,
} as const;

export interface Expectation {
  /** The name of an event, or a row of a metric of performance. */
  readonly event: string;
  readonly expected: string;
  readonly isMetric: boolean;
  readonly bound: number;
  isMet(count: number): boolean;
}

export interface ExpectationRow {
  readonly event: string;
  readonly expected: string;
  /** The number of events, or the highest value of a metric; null if no analyzed session has one. */
  readonly count: number | null;
  /** The highest possible count, if the service counted events without their names. */
  readonly maxCount?: number;
  /** Null if the answer depends on events that the service counted without their names. */
  readonly met: boolean | null;
}

/** Parses an expectation such as `player_death>=1`. Throws `usage`. */
export function parseExpectation(given: string): Expectation {
  const at = given.search(/[<>=]/);
  const name = (at === -1 ? given : given.slice(0, at)).trim();
  // Without a comparison, and with the prefix, the name of a metric is that of an event.
  const isMetric = at !== -1 && isMetricName(name);
  const unprefixed = name.startsWith(EVENT_PREFIX) ? name.slice(EVENT_PREFIX.length) : name;
  const event = isMetricName(unprefixed) ? unprefixed : name;
  const comparison = at === -1 ? ">=1" : given.slice(at).trim();
  const [, operator = null, number = ""] = /^(>=|<=|==|=|>|<)\s*(\d+(?:\.\d+)?)$/.exec(comparison) ?? [];
  const isInvalid = !isMetric && number.includes(".");
  if (event === "" || operator === null || isInvalid)
    throw fail("usage", {
      message: `Expectation ${JSON.stringify(given)} is not valid`,
      hint: "Use the name of an event, or a comparison such as 'player_death>=1', 'frame-time-p95<=33' or, for an event with the name of a metric, 'event:memory>=1'.",
    });
  const compare = operators[operator as keyof typeof operators];
  return {
    event,
    isMetric,
    expected: `${operator} ${number}`,
    bound: Number(number),
    isMet: (count) => compare(count, Number(number)),
  };
}

const isOfPerformance = ({ family }: Metric) => family === "performance";

/** Whether a name is that of a metric of performance, such as `frame-time-p95:dock`, and not of an event. */
function isMetricName(event: string): boolean {
  const [name] = event.split(":");
  return METRICS.some((metric) => isOfPerformance(metric) && metric.name === name);
}

/** Before the name of an event that is also that of a metric. */
const EVENT_PREFIX = "event:";

/** Checks an expectation with the number of events by name. */
export function checkExpectation(
  { event, expected, bound, isMet }: Expectation,
  counts: ReadonlyMap<string, number>,
): ExpectationRow {
  const count = counts.get(event) ?? 0;
  const unnamed = event === OTHER_EVENTS ? 0 : (counts.get(OTHER_EVENTS) ?? 0);
  if (unnamed === 0) return { event, expected, count, met: isMet(count) };
  const maxCount = count + unnamed;
  // Comparisons can only change their result next to the bound.
  const near = [bound - 1, bound, bound + 1].filter((n) => n > count && n < maxCount);
  const results = new Set([count, ...near, maxCount].map(isMet));
  return { event, expected, count, maxCount, met: results.size === 1 ? results.has(true) : null };
}

export interface Measurements {
  readonly values: ReadonlyMap<string, number>;
  /** Why a metric has no value. */
  readonly reason: string | null;
}

/** Measures the metrics of performance of some testers: the highest value of the rooms of a metric without a room. */
export function measureExpected(
  group: Pick<GroupFacts, "testers">,
  expectations: readonly Expectation[],
): Measurements {
  const [figures = []] = measureGroups([group], METRICS.filter(isOfPerformance));
  const values = new Map(
    expectations.flatMap(({ event }) => {
      const own = figures.filter(({ metric: { name }, subject }) =>
        [name, `${name}:${subject}`, `${name}:${parsePerformanceSubject(subject).room}`].includes(event),
      );
      const found = own.flatMap(({ value }) => value ?? []);
      return found.length === 0 ? [] : [[event, round(Math.max(...found))] as const];
    }),
  );
  const isComplete = expectations.every(({ event }) => values.has(event));
  return { values, reason: isComplete ? null : explainUnmeasured(group, figures) };
}

/** Why a metric has no value, or the rows that have one. */
function explainUnmeasured({ testers }: Pick<GroupFacts, "testers">, figures: readonly Figure[]): string {
  if (!testers.some(({ sessions }) => sessions.some(({ analyzed }) => analyzed)))
    return "No session is analyzed yet.";
  const measured = figures.filter(({ value }) => value !== null);
  const few = `Frame times and stutter need ${MIN_FRAMES} frames of a tester in a room.`;
  if (measured.length === 0) return `Nothing was measured. ${few}`;
  const names = measured.map(({ metric: { name }, subject }) =>
    subject === null ? name : `${name}:${subject}`,
  );
  return `Measured: ${names.slice(0, MAX_NAMES).join(", ")}${names.length > MAX_NAMES ? ", …" : ""}. ${few}`;
}

/** How many rows a hint lists. */
const MAX_NAMES = 8;

const round = (value: number): number => Math.round(value * 10) / 10;

export function checkMetric(
  { event, expected, isMet }: Expectation,
  values: ReadonlyMap<string, number>,
): ExpectationRow {
  const count = values.get(event) ?? null;
  return { event, expected, count, met: count !== null && isMet(count) };
}

export function addCounts(counts: Map<string, number>, added: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(added)) counts.set(name, (counts.get(name) ?? 0) + count);
}

/** An expectation with what was found, such as `player_death >= 1 (was 0)`. */
export function describeExpectation({ event, expected, count, maxCount, met }: ExpectationRow): string {
  return `${event} ${expected} (was ${count ?? "not measured"}${met === null ? ` to ${maxCount}` : ""})`;
}
