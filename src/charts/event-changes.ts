/** Which events appeared or vanished between two builds, and which became much more or less frequent. */
import type { EventAggregates } from "../contract/events.ts";

type EventCounts = Pick<EventAggregates, "byName" | "sessionCount">;

export interface EventChange {
  readonly name: string;
  readonly kind: "appeared" | "vanished" | "changed";
  readonly countA: number;
  readonly countB: number;
  /** A session; null where the build has none. */
  readonly eachA: number | null;
  readonly eachB: number | null;
}

/** Of what is in both, so many are told: those whose number a session changed by the largest factor. */
const MAX_CHANGED = 8;
/** Fewer in both builds together say nothing. */
const MIN_COUNT = 10;
/** A smaller factor is no news. */
const MIN_FACTOR = 1.25;

/** What appeared, then what vanished, each by count, then what changed most; nothing where a build has no sessions. */
export function eventChanges(a: EventCounts, b: EventCounts): EventChange[] {
  if (a.sessionCount === 0 || b.sessionCount === 0) return [];
  const names = [...new Set([...Object.keys(a.byName), ...Object.keys(b.byName)])];
  const all = names
    .map((name) => buildEventChange(name, a, b))
    .filter(({ countA, countB }) => countA + countB > 0);
  const of = (kind: EventChange["kind"]) => all.filter((one) => one.kind === kind);
  const changed = of("changed").filter(
    (one) => one.countA + one.countB >= MIN_COUNT && computeLogFactor(one) >= Math.log(MIN_FACTOR),
  );
  return [
    ...of("appeared").sort((x, y) => y.countB - x.countB || compareNames(x, y)),
    ...of("vanished").sort((x, y) => y.countA - x.countA || compareNames(x, y)),
    ...changed
      .sort((x, y) => computeLogFactor(y) - computeLogFactor(x) || compareNames(x, y))
      .slice(0, MAX_CHANGED),
  ];
}

const compareNames = (x: EventChange, y: EventChange) => (x.name < y.name ? -1 : 1);

function buildEventChange(name: string, a: EventCounts, b: EventCounts): EventChange {
  const count = ({ byName }: EventCounts) => (Object.hasOwn(byName, name) ? (byName[name] ?? 0) : 0);
  const [countA, countB] = [count(a), count(b)];
  const each = (total: number, { sessionCount }: EventCounts) =>
    sessionCount === 0 ? null : total / sessionCount;
  return {
    name,
    kind: countA === 0 ? "appeared" : countB === 0 ? "vanished" : "changed",
    countA,
    countB,
    eachA: each(countA, a),
    eachB: each(countB, b),
  };
}

/** How far the numbers a session are apart, as the logarithm of their factor. */
const computeLogFactor = ({ eachA, eachB }: EventChange) => Math.abs(Math.log((eachB ?? 1) / (eachA ?? 1)));
