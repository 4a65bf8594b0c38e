/** Finds events that appeared or vanished between two builds, or became much more or less frequent. */
import type { EventAggregates } from "../contract/events.ts";
import { ownValue } from "../shared/own-value.ts";

type EventCounts = Pick<EventAggregates, "byName" | "sessionCount">;

export interface EventChange {
  readonly name: string;
  readonly kind: "appeared" | "vanished" | "changed";
  readonly countA: number;
  readonly countB: number;
  /** Events per session; null if the build has no sessions. */
  readonly eachA: number | null;
  readonly eachB: number | null;
}

/** Limit for events that both builds have. Those with the largest factors are reported. */
const MAX_CHANGED = 8;
/** Events with fewer occurrences in both builds combined are too rare to compare. */
const MIN_COUNT = 10;
/** Smaller factors are not reported. */
const MIN_FACTOR = 1.25;

/**
 * Returns events that appeared and events that vanished, each by descending count, then those that changed, by
 * descending factor. Returns nothing if a build has no sessions.
 */
export function eventChanges(a: EventCounts, b: EventCounts): EventChange[] {
  if (a.sessionCount === 0 || b.sessionCount === 0) return [];
  const names = [...new Set([...Object.keys(a.byName), ...Object.keys(b.byName)])];
  const all = names
    .map((name) => buildEventChange(name, a, b))
    .filter(({ countA, countB }) => countA + countB > 0);
  const ofKind = (kind: EventChange["kind"]) => all.filter((change) => change.kind === kind);
  const changed = ofKind("changed").filter(
    (change) =>
      change.countA + change.countB >= MIN_COUNT && computeLogFactor(change) >= Math.log(MIN_FACTOR),
  );
  return [
    ...ofKind("appeared").sort((x, y) => y.countB - x.countB || compareNames(x, y)),
    ...ofKind("vanished").sort((x, y) => y.countA - x.countA || compareNames(x, y)),
    ...changed
      .sort((x, y) => computeLogFactor(y) - computeLogFactor(x) || compareNames(x, y))
      .slice(0, MAX_CHANGED),
  ];
}

const compareNames = (x: EventChange, y: EventChange) => (x.name < y.name ? -1 : 1);

function buildEventChange(name: string, a: EventCounts, b: EventCounts): EventChange {
  const count = ({ byName }: EventCounts) => ownValue(byName, name) ?? 0;
  const [countA, countB] = [count(a), count(b)];
  const perSession = (total: number, { sessionCount }: EventCounts) =>
    sessionCount === 0 ? null : total / sessionCount;
  return {
    name,
    kind: countA === 0 ? "appeared" : countB === 0 ? "vanished" : "changed",
    countA,
    countB,
    eachA: perSession(countA, a),
    eachB: perSession(countB, b),
  };
}

/** The absolute logarithm of the factor between the numbers per session, so that halving equals doubling. */
const computeLogFactor = ({ eachA, eachB }: EventChange) => Math.abs(Math.log((eachB ?? 1) / (eachA ?? 1)));
